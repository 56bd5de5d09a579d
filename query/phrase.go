package query

import "math"

// Phrase is matched by the documents in which words stand one after the other. Its field must be one that is indexed with
// positions, unless the phrase has one place only.
//
// The text is cut as that of a Match. Its terms have places: what an analyzer leaves out, such as a stop word, keeps its
// place, where any word or none may stand, and terms at one place are alternatives. format/FORMAT.md, section 8.2, has the
// rules, which for phrases without repeated words are those of Lucene.
type Phrase struct {
	Field  string   // "" means all fields of text: a document matches if one of them does
	Text   string   // of a field of text; in a field of keywords it is the term
	Terms  []string // in place of Text: terms as the dictionary has them, one a place
	Slop   int      // by how many places in all words may be out of place, up to MaxSlop: 1 allows for one word between two, 2 for two that are swapped
	Prefix bool     // the last term stands for all that begin with it, of which there may be MaxConstant
	Boost  float64  // as in Term
}

// Near is matched by the documents in which words stand near each other. Its field must be one that is indexed with
// positions, unless there is one word only. Terms are those of a Phrase, but only their order counts, not their places.
type Near struct {
	Field    string   // as in Phrase
	Text     string   // as in Phrase
	Terms    []string // as in Phrase
	Distance int      // how many places at most between the first word and the last have none of the words, up to MaxSlop
	Ordered  bool     // the words stand in this order; else in any
	Boost    float64  // as in Term
}

// MaxSlop limits Phrase.Slop and Near.Distance.
const MaxSlop = math.MaxInt32

func (n Phrase) visit(v *visitor) {
	v.leaf("phrase", n.Field, n.Text, n.Boost)
	v.integer(n.Slop)
	v.flag(n.Prefix)
	if n.Terms = v.texts(n.Terms); v.copies {
		v.copy = n
	}
}

func (n Near) visit(v *visitor) {
	v.leaf("near", n.Field, n.Text, n.Boost)
	v.integer(n.Distance)
	v.flag(n.Ordered)
	if n.Terms = v.texts(n.Terms); v.copies {
		v.copy = n
	}
}
