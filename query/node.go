package query

// Node is what a Query searches for, over one field or several: a Term, a Match, a Prefix, Wildcard, Regexp or Fuzzy,
// which stand for terms of the index, or a Bool, Best, Const or All of other nodes, to any depth up to MaxDepth. Each
// term that is matched, in its field, adds to the score of a document if all nodes around it match too;
// format/FORMAT.md, section 8, has the rules.
//
// A Match without a term, such as one of stop words only, is as good as absent, and so is a node of such nodes only.
type Node interface {
	// visit tells v what the node consists of, and sets v.copy if it copies.
	visit(v *visitor)
}

// Term is a term as the dictionary of a field spells it: no analyzer sees it.
type Term struct {
	Field string // "" or "text" in the implicit schema
	Text  string
	Boost float64 // multiplies the score, together with the field's weight; up to MaxBoost, and 0 means 1
}

// Match is text, which the field's analyzer cuts into terms. In a field of keywords the text is the term. A word that comes
// several times is one with the sum of its boosts.
type Match struct {
	Field string // "" means all fields of text: a document has a term if one of them does
	Text  string
	// Fields, in place of Field, are the fields that are searched, each as its name, or as name^boost: a Boost in place of the
	// schema's, such as title^3.
	Fields []string
	Mode   Mode    // how the terms are combined; ModeAndOr only if the query is this Match alone, or a pinion.Request with a Filter
	Boost  float64 // as in Term
	// Typos says that a term of five characters or more also stands for those that one edit behind the first character makes of it, as
	// a Fuzzy does, unless more than ten documents and one in a thousand have it in the field, as one that is typed right. They score a
	// thousandth of what they would, so that what has the words as they are typed comes first.
	Typos bool
}

// Bool is matched by the documents that match all of Must, at least AtLeast of Should, none of MustNot, and all of
// Filter. Must and Should score.
//
// A disjunction is a Bool of Should only, a conjunction one of Must only. A Bool of MustNot only matches nothing: that
// something is to be left out of all documents, Must: []Node{All{}} says. A term that Must or Should has several
// times is one with the sum of its boosts, and AtLeast counts it once.
type Bool struct {
	Must, Should, MustNot, Filter []Node
	AtLeast                       int     // 0 means 1 without Must and Filter, and none with them
	Boost                         float64 // as in Term, for all terms and constants within
}

// Best is matched by the documents that match at least one of Of. It scores the best of their scores, and Tie times
// the sum of the others: with a Tie of 0 the field where words are found best counts alone, with 1 all count as in a
// Bool.
type Best struct {
	Of    []Node
	Tie   float64 // from 0 to 1
	Boost float64 // as in Bool
}

// Const is matched by the documents that match Node, all with the same score.
type Const struct {
	Node  Node
	Score float64 // times the boosts of the nodes around it; up to MaxBoost. 0 means 1, and Zero means 0
}

// All is matched by all documents, with the same score.
type All struct {
	Score float64 // as in Const
}

// The limits of a Node.
const (
	MaxBoost = 1e6    // of a boost, also of a product of boosts, and of a constant score
	MaxNodes = 10_000 // nodes and filters
	MaxDepth = 100    // nodes and filters within one another
	// MaxPlaces limits the places of all phrases and of all words near each other, in each field that they are searched in.
	MaxPlaces = 4096
)

func (n Term) visit(v *visitor) {
	v.leaf("term", n.Field, n.Text, n.Boost)
	if v.copies {
		v.copy = n
	}
}

func (n Match) visit(v *visitor) {
	v.leaf("match", n.Field, n.Text, n.Boost)
	v.integer(int(n.Mode))
	n.Fields = v.texts(n.Fields)
	n.Typos = n.Typos || v.typos
	v.flag(n.Typos)
	if v.copies {
		v.copy = n
	}
}

func (n Bool) visit(v *visitor) {
	v.kind("bool")
	v.number(n.Boost)
	v.integer(n.AtLeast)
	n.Must, n.Should = v.matched(n.Must), v.matched(n.Should)
	typos := v.typos
	v.typos = false // they score nothing
	n.MustNot, n.Filter = v.nodes(n.MustNot), v.nodes(n.Filter)
	v.typos = typos
	if v.copies {
		v.copy = n
	}
}

func (n Best) visit(v *visitor) {
	v.kind("best")
	v.number(n.Boost)
	v.number(n.Tie)
	if n.Of = v.matched(n.Of); v.copies {
		v.copy = n
	}
}

func (n Const) visit(v *visitor) {
	v.kind("const")
	v.number(n.Score)
	if n.Node = v.matched([]Node{n.Node})[0]; v.copies {
		v.copy = n
	}
}

func (n All) visit(v *visitor) {
	v.kind("all")
	if v.number(n.Score); v.copies {
		v.copy = n
	}
}
