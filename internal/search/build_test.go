package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// built is what an Expr says, in short.
func built(p *Parser, w *engine.Words) string {
	word := func(i int) string {
		x := w.Words[i]
		s := string(x.Bytes)
		if f := p.Fields[x.Field].Name; f != "" {
			s = f + ":" + s
		}
		if x.Boost != 1 {
			s += fmt.Sprint("^", x.Boost)
		}
		return s
	}
	set := func(e *algorithm.Expr) string {
		if e.Columns != nil {
			return "columns"
		}
		return fmt.Sprint("docs", slices.Collect(e.Set.All()))
	}
	if w.Tree == nil {
		var words []string
		for i := range w.Words {
			words = append(words, word(i))
		}
		if w.Filter != nil {
			words = append(words, fmt.Sprint("#docs", slices.Collect(w.Filter.All())))
		}
		if w.Columns != nil {
			words = append(words, "#columns")
		}
		return strings.TrimSpace(fmt.Sprintf("%v %s", query.Mode(w.Mode), strings.Join(words, " ")))
	}
	var show func(e *algorithm.Expr) string
	show = func(e *algorithm.Expr) string {
		switch e.Op {
		case algorithm.OpNone:
			return "none"
		case algorithm.OpAll:
			return fmt.Sprint("all=", e.Score)
		case algorithm.OpWord:
			return word(e.Word)
		case algorithm.OpSet:
			return set(e)
		case algorithm.OpConst:
			return fmt.Sprintf("(%s)=%v", show(&e.Kids[0]), e.Score)
		}
		var kids []string
		for i := range e.Kids {
			role := ""
			if e.Op == algorithm.OpBool {
				switch must, should := e.Must, e.Must+e.Should; {
				case i < must:
					role = "+"
				case i >= should+e.Not:
					role = "#"
				case i >= should:
					role = "-"
				}
			}
			kids = append(kids, role+show(&e.Kids[i]))
		}
		s := "(" + strings.Join(kids, " ") + ")"
		switch {
		case e.Op == algorithm.OpBest:
			s = fmt.Sprintf("best%v%s", e.Tie, s)
		case e.AtLeast != 1 && e.Should > 0:
			s = fmt.Sprintf("%d%s", e.AtLeast, s)
		}
		return s
	}
	return show(w.Tree)
}

// Nodes are brought into the form in which they are executed: flat where a mode says it, without what is absent, with
// boosts multiplied and equal leaves of a list merged.
func TestBuild(t *testing.T) {
	s, _ := simpleSearcher(t)
	a, b, c := query.Term{Text: "a"}, query.Term{Text: "b"}, query.Term{Text: "c"}
	none := query.Match{Text: "!"}
	ids, docs := query.IDs{"x"}, query.DocsOf(slices.Values([]uint32{3}))
	and := func(n ...query.Node) query.Node { return query.Bool{Must: n} }
	or := func(n ...query.Node) query.Node { return query.Bool{Should: n} }
	boosted := func(n query.Bool, by float64) query.Node { n.Boost = by; return n }
	for _, x := range []struct {
		node query.Node
		want string
	}{
		{or(a, or(b, or(c))), "or a b c"},
		{and(a, and(b, or(c))), "and a b c"},
		{or(and(a, b)), "and a b"},
		{or(a, b, a), "or a a b"},
		{or(a, boosted(query.Bool{Should: []query.Node{a, b}}, 3)), "or a a^3 b^3"},
		{and(or(a, a), b), "and a a b"},
		{or(), "or"},
		{or(none, and(none), query.Best{}), "or"},
		{and(none, or(none, a)), "or a"},
		{query.Bool{MustNot: []query.Node{none}}, "or"},
		{query.Bool{MustNot: []query.Node{a}}, "none"},
		{query.Bool{Must: []query.Node{query.All{}}, MustNot: []query.Node{a}}, "(+all=1 -a)"},
		{query.Bool{Must: []query.Node{none}, Should: []query.Node{a, b}}, "or a b"},
		{and(or(a, b), c), "(+(a b) +c)"},
		{or(and(a, b), c, c), "((+a +b) c^2)"},
		{query.Bool{Must: []query.Node{a}, Should: []query.Node{or(b, c), a}}, "0(+a b c a)"},
		{query.Bool{Should: []query.Node{a, b, c}, AtLeast: 2}, "2(a b c)"},
		{query.Bool{Should: []query.Node{a, b, a, or(a)}, AtLeast: 2}, "2(a^3 b)"},
		{query.Bool{Should: []query.Node{a, or(b, c)}, AtLeast: 2}, "2(a (b c))"},
		{query.Bool{Should: []query.Node{a, a}, AtLeast: 2}, "none"},
		{query.Bool{Must: []query.Node{a}, Should: []query.Node{b}, AtLeast: 1}, "(+a b)"},
		{query.Best{Of: []query.Node{a, or(b, c)}, Tie: 0.5, Boost: 2}, "best0.5(a^2 (b^2 c^2))"},
		{query.Best{Of: []query.Node{a, a}}, "best0(a a)"},
		{query.Best{Of: []query.Node{a, or(b, a)}, Tie: 1}, "or a a b"},
		{query.Best{Of: []query.Node{a, none}}, "or a"},
		{query.Const{Node: or(a, b)}, "((a b))=1"},
		{boosted(query.Bool{Should: []query.Node{query.Const{Node: a, Score: 3}, query.All{Score: 5}}}, 0.5), "((a)=1.5 all=2.5)"},
		{query.Const{Node: none}, "or"},
		{query.Const{Node: a, Score: query.Zero}, "(a)=0"},
		{query.Bool{Should: []query.Node{a}, Filter: []query.Node{or(b, c), none}}, "0(a #(b c))"},
		{query.Bool{Filter: []query.Node{ids, docs}}, "(#docs[3] #columns)"},
		{query.Bool{Must: []query.Node{or(a, b)}, Filter: []query.Node{docs}}, "or a b #docs[3]"},
		{query.Bool{Must: []query.Node{a, b}, Filter: []query.Node{ids, docs, docs, ids}}, "and a b #docs[3] #columns"},
		{query.Bool{Must: []query.Node{a}, Filter: []query.Node{query.And{}}}, "or a"},
		{query.Bool{Must: []query.Node{a}, Filter: []query.Node{query.Or{}}}, "(+a #none)"},
		{query.Bool{Must: []query.Node{a}, Filter: []query.Node{query.Not{Node: query.Or{}}, query.Not{Node: ids}}}, "or a #columns"},
		{query.Bool{Should: []query.Node{a, b}, Filter: []query.Node{docs}}, "0(a b #docs[3])"},
		{query.Bool{Should: []query.Node{a, b}, AtLeast: 1, Filter: []query.Node{docs}}, "or a b #docs[3]"},
		{query.Bool{Must: []query.Node{a}, MustNot: []query.Node{b}, Filter: []query.Node{docs}}, "(+a -b)"},
		{query.Bool{Must: []query.Node{and(a, or(b, c))}, Filter: []query.Node{docs}}, "(+a +(b c))"},
		{query.Bool{Must: []query.Node{a}, Filter: []query.Node{query.And{docs, ids, b}}}, "(+a #b)"},
		{query.Bool{Must: []query.Node{a}, Filter: []query.Node{query.Or{docs, query.Not{Node: b}}}}, "(+a #(docs[3] (+all=0 -b)))"},
		{query.Bool{Must: []query.Node{a}, Filter: []query.Node{query.Not{Node: none}, query.Or{none}}}, "or a"},
		{query.And{a, b}, "and a b"},
		{query.Or{a, query.Or{b, c}}, "or a b c"},
		{query.Or{}, "none"},
		{query.And{a, ids}, "or a #columns"}, // what only matches becomes the filter of the query
		{query.Bool{Must: []query.Node{ids, a}}, "or a #columns"},
		{query.Bool{Must: []query.Node{a}, MustNot: []query.Node{ids}}, "or a #columns"},
		{query.Bool{Should: []query.Node{a, b}, MustNot: []query.Node{ids}}, "or a b #columns"},
		{query.Bool{MustNot: []query.Node{ids}}, "none"},
		{query.Match{Text: "a b a", Mode: query.ModeAndOr}, "and-or a b a"},
		{or(query.Match{Text: "a b", Mode: query.ModeAndOr}, none), "and-or a b"},
	} {
		var w engine.Words
		if err := s.parser.build(x.node, &w, &engine.Query{}); err != nil {
			t.Errorf("%+v: %v", x.node, err)
		} else if got := built(s.parser, &w); got != x.want {
			t.Errorf("%+v is %s, want %s", x.node, got, x.want)
		}
	}
}

// A text of which all words must match over several fields: each in any of them, unless some field leaves it out.
func TestBuildFields(t *testing.T) {
	analysis.Register("query_test halves", func(string) (analysis.Analyzer, error) { return halves{}, nil })
	p := NewParserFor(&schema.Schema{Fields: []schema.Field{{Name: "x", Kind: schema.Text, Analyzer: "whitespace"},
		{Name: "y", Kind: schema.Text, Analyzer: "query_test halves"}}})
	for _, c := range []struct{ text, want string }{
		{"", "or"},
		{"rose", "or x:rose y:rose"},
		{"rose thorn", "(+(x:rose y:rose) +(x:thorn y:thorn))"},
		{"rose thorn rose", "(+(x:rose^2 y:rose^2) +(x:thorn y:thorn))"},
		{"a|b rose", "(+(x:a|b (+y:a +y:b)) +(x:rose y:rose))"},
		{"of rose", "0(+(x:rose y:rose) x:of)"},
		{"of of", "or x:of x:of"},
	} {
		var w engine.Words
		if err := p.build(query.Match{Text: c.text, Mode: query.ModeAnd}, &w, &engine.Query{}); err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if got := built(p, &w); got != c.want {
			t.Errorf("%q is %s, want %s", c.text, got, c.want)
		}
	}
}

// halves cuts text at spaces and bars, and leaves "of" out.
type halves struct{}

func (halves) Name() string                  { return "query_test halves" }
func (halves) Options() string               { return "" }
func (halves) Tokenizer() analysis.Tokenizer { return halves{} }
func (halves) Tokenize(to *analysis.Tokens, text []byte) {
	for at := 0; at < len(text); {
		n := strings.IndexAny(string(text[at:])+" ", " |")
		if word := text[at : at+n]; n > 0 && string(word) != "of" {
			to.Add(analysis.Token{Term: word, Start: at, End: at + n, Increment: 1})
		}
		at += n + 1
	}
}

// Errors say which node they are about, and which limit it exceeds.
func TestBuildErrors(t *testing.T) {
	s, _ := simpleSearcher(t)
	a := query.Term{Text: "a"}
	deep := query.Node(a)
	for range query.MaxDepth {
		deep = query.Bool{Must: []query.Node{deep, a}}
	}
	in := func(n query.Node) query.Node {
		return query.Bool{Must: []query.Node{a, query.Bool{Should: []query.Node{n, a}}}}
	}
	for _, c := range []struct {
		node query.Node
		says string
	}{
		{in(query.Term{Text: "a", Boost: -1}), `the boost is -1, not above 0 and up to 1e+06, at Must[1].Should[0]: "a"`},
		{in(query.Bool{Boost: 2e6}), "the boost is 2e+06, not above 0 and up to 1e+06, at Must[1].Should[0]"},
		{query.Bool{Boost: 1e4, Should: []query.Node{query.Match{Text: "b", Boost: 1e4}}}, "the boost is 1e+08, above 1e+06, at Should[0]"},
		{in(query.Bool{AtLeast: -1}), "AtLeast is -1, at Must[1].Should[0]"},
		{in(query.Best{Tie: 1.5}), "Tie is 1.5, not from 0 to 1, at Must[1].Should[0]"},
		{in(query.Best{Of: []query.Node{nil}}), "a node of type <nil>, at Must[1].Should[0].Of[0]"},
		{in(query.Const{Node: &a}), "a node of type *query.Term, at Must[1].Should[0].Node"},
		{in(query.All{Score: -1}), "the score is -1, not from 0 to 1e+06, at Must[1].Should[0]"},
		{query.Bool{Filter: []query.Node{nil}}, "a node of type <nil>, at Filter[0]"},
		{query.Bool{Filter: []query.Node{query.Docs{}}}, "the zero Docs: DocsOf makes one, at Filter[0]"},
		{query.Bool{Filter: []query.Node{query.And{}, query.Exists{Field: "x"}}}, `filter: there is no field "x"; the index has no columns, at Filter[1]`},
		{query.Bool{Filter: []query.Node{query.Or{a, query.Not{}}}}, "a node of type <nil>, at Filter[0].Or[1].Not"},
		{query.Bool{Filter: []query.Node{query.And{nil}}}, "a node of type <nil>, at Filter[0].And[0]"},
		{query.Bool{MustNot: []query.Node{a}, Filter: []query.Node{query.All{Score: 2e6}}}, "the score is 2e+06, not from 0 to 1e+06, at Filter[0]"},
		{in(query.Match{Text: "a b", Mode: query.ModeAndOr}), "mode and-or within other nodes"},
		{query.Bool{Should: make([]query.Node, 1)}, "<nil>, at Should[0]"},
		{deep, "to a depth of more than 100, at Must[0].Must[0]"},
		{query.Bool{Should: slicesOf(query.Node(a), query.MaxNodes)}, "more than 10000 nodes, at Should[9999]"},
	} {
		_, err := s.Search(context.Background(), Query{Node: c.node})
		if !errors.Is(err, query.ErrInvalid) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%.200s: %v, want one that says %q", fmt.Sprint(c.node), err, c.says)
		}
	}
}

func slicesOf[T any](x T, n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = x
	}
	return all
}
