package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/schema"
)

// built is what an Expr says, in short.
func built(p *Parser, w *engine.Words) string {
	word := func(i int) string {
		x := w.Words[i]
		s := string(x.Bytes)
		if f := p.fields[x.Field].name; f != "" {
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
		return fmt.Sprint("docs", e.Set.ToArray())
	}
	if w.Tree == nil {
		var words []string
		for i := range w.Words {
			words = append(words, word(i))
		}
		if w.Filter != nil {
			words = append(words, fmt.Sprint("#docs", w.Filter.ToArray()))
		}
		if w.Columns != nil {
			words = append(words, "#columns")
		}
		return strings.TrimSpace(fmt.Sprintf("%v %s", Mode(w.Mode), strings.Join(words, " ")))
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
	a, b, c := Term{Term: []byte("a")}, Term{Term: []byte("b")}, Term{Term: []byte("c")}
	none := Match{Text: "!"}
	ids, docs := IDs{IDs: [][]byte{[]byte("x")}}, Bitmap{Docs: roaring.BitmapOf(3)}
	and := func(n ...Node) Node { return Bool{Must: n} }
	or := func(n ...Node) Node { return Bool{Should: n} }
	boosted := func(n Bool, by float64) Node { n.Boost = by; return n }
	for _, x := range []struct {
		node Node
		want string
	}{
		{or(a, or(b, or(c))), "or a b c"},
		{and(a, and(b, or(c))), "and a b c"},
		{or(and(a, b)), "and a b"},
		{or(a, b, a), "or a a b"},
		{or(a, boosted(Bool{Should: []Node{a, b}}, 3)), "or a a^3 b^3"},
		{and(or(a, a), b), "and a a b"},
		{or(), "or"},
		{or(none, and(none), Best{}), "or"},
		{and(none, or(none, a)), "or a"},
		{Bool{Not: []Node{none}}, "or"},
		{Bool{Not: []Node{a}}, "none"},
		{Bool{Must: []Node{All{}}, Not: []Node{a}}, "(+all=1 -a)"},
		{Bool{Must: []Node{none}, Should: []Node{a, b}}, "or a b"},
		{and(or(a, b), c), "(+(a b) +c)"},
		{or(and(a, b), c, c), "((+a +b) c^2)"},
		{Bool{Must: []Node{a}, Should: []Node{or(b, c), a}}, "0(+a b c a)"},
		{Bool{Should: []Node{a, b, c}, AtLeast: 2}, "2(a b c)"},
		{Bool{Should: []Node{a, b, a, or(a)}, AtLeast: 2}, "2(a^3 b)"},
		{Bool{Should: []Node{a, or(b, c)}, AtLeast: 2}, "2(a (b c))"},
		{Bool{Should: []Node{a, a}, AtLeast: 2}, "none"},
		{Bool{Must: []Node{a}, Should: []Node{b}, AtLeast: 1}, "(+a b)"},
		{Best{Of: []Node{a, or(b, c)}, Tie: 0.5, Boost: 2}, "best0.5(a^2 (b^2 c^2))"},
		{Best{Of: []Node{a, a}}, "best0(a a)"},
		{Best{Of: []Node{a, or(b, a)}, Tie: 1}, "or a a b"},
		{Best{Of: []Node{a, none}}, "or a"},
		{Const{Node: or(a, b)}, "((a b))=1"},
		{boosted(Bool{Should: []Node{Const{Node: a, Score: 3}, All{Score: 5}}}, 0.5), "((a)=1.5 all=2.5)"},
		{Const{Node: none}, "or"},
		{Const{Node: a, Score: Zero}, "(a)=0"},
		{Bool{Should: []Node{a}, Filter: []Filter{Where{Node: or(b, c)}, Where{Node: none}}}, "0(a #(b c))"},
		{Bool{Filter: []Filter{ids, docs}}, "(#docs[3] #columns)"},
		{Bool{Must: []Node{or(a, b)}, Filter: []Filter{docs}}, "or a b #docs[3]"},
		{Bool{Must: []Node{a, b}, Filter: []Filter{ids, docs, docs, ids}}, "and a b #docs[3] #columns"},
		{Bool{Must: []Node{a}, Filter: []Filter{filter.And{}}}, "or a"},
		{Bool{Must: []Node{a}, Filter: []Filter{filter.Or{}}}, "(+a #none)"},
		{Bool{Must: []Node{a}, Filter: []Filter{filter.Not{Filter: filter.Or{}}, filter.Not{Filter: ids}}}, "or a #columns"},
		{Bool{Should: []Node{a, b}, Filter: []Filter{docs}}, "0(a b #docs[3])"},
		{Bool{Should: []Node{a, b}, AtLeast: 1, Filter: []Filter{docs}}, "or a b #docs[3]"},
		{Bool{Must: []Node{a}, Not: []Node{b}, Filter: []Filter{docs}}, "(+a -b)"},
		{Bool{Must: []Node{and(a, or(b, c))}, Filter: []Filter{docs}}, "(+a +(b c))"},
		{Bool{Must: []Node{a}, Filter: []Filter{filter.And{docs, ids, Where{Node: b}}}}, "(+a #(+docs[3] +columns +b))"},
		{Bool{Must: []Node{a}, Filter: []Filter{filter.Or{docs, filter.Not{Filter: Where{Node: b}}}}}, "(+a #(docs[3] (+all=0 -b)))"},
		{Bool{Must: []Node{a}, Filter: []Filter{filter.Not{Filter: Where{Node: none}}, filter.Or{Where{Node: none}}}}, "or a"},
		{Match{Text: "a b a", Mode: AndOr}, "and-or a b a"},
		{or(Match{Text: "a b", Mode: AndOr}, none), "and-or a b"},
	} {
		var w engine.Words
		if err := s.parser.build(x.node, &w, nil); err != nil {
			t.Errorf("%+v: %v", x.node, err)
		} else if got := built(s.parser, &w); got != x.want {
			t.Errorf("%+v is %s, want %s", x.node, got, x.want)
		}
	}
}

// A text of which all words must match over several fields: each in any of them, unless some field leaves it out.
func TestBuildFields(t *testing.T) {
	analysis.Register("query_test halves", func(string) (analysis.Analyzer, error) { return halves{}, nil })
	p := newParser(&schema.Schema{Fields: []schema.Field{{Name: "x", Kind: schema.KindText, Analyzer: "whitespace"},
		{Name: "y", Kind: schema.KindText, Analyzer: "query_test halves"}}}, "", "")
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
		if err := p.build(Match{Text: c.text, Mode: And}, &w, nil); err != nil {
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
	a := Term{Term: []byte("a")}
	deep := Node(a)
	for range MaxDepth {
		deep = Bool{Must: []Node{deep, a}}
	}
	in := func(n Node) Node { return Bool{Must: []Node{a, Bool{Should: []Node{n, a}}}} }
	for _, c := range []struct {
		node Node
		says string
	}{
		{in(Term{Term: []byte("a"), Boost: -1}), `the boost is -1, not above 0 and up to 1e+06, at Must[1].Should[0]: "a"`},
		{in(Bool{Boost: 2e6}), "the boost is 2e+06, not above 0 and up to 1e+06, at Must[1].Should[0]"},
		{Bool{Boost: 1e4, Should: []Node{Match{Text: "b", Boost: 1e4}}}, "the boost is 1e+08, above 1e+06, at Should[0]"},
		{in(Bool{AtLeast: -1}), "AtLeast is -1, at Must[1].Should[0]"},
		{in(Best{Tie: 1.5}), "Tie is 1.5, not from 0 to 1, at Must[1].Should[0]"},
		{in(Best{Of: []Node{nil}}), "a node of type <nil>, at Must[1].Should[0].Of[0]"},
		{in(Const{Node: &a}), "a node of type *query.Term, at Must[1].Should[0].Node"},
		{in(All{Score: -1}), "the score is -1, not from 0 to 1e+06, at Must[1].Should[0]"},
		{Bool{Filter: []Filter{nil}}, "a filter of type <nil>, at Filter[0]"},
		{Bool{Filter: []Filter{Bitmap{}}}, "a Bitmap without Docs, at Filter[0]"},
		{Bool{Filter: []Filter{filter.And{}, filter.Exists{Field: "x"}}}, `filter: there is no field "x"; the index has no columns, at Filter[1]`},
		{Bool{Filter: []Filter{filter.Or{Where{Node: a}, filter.Not{}}}}, "filter: a filter is nil, at Filter[0].Or[1]"},
		{Bool{Filter: []Filter{filter.And{nil}}}, "filter: a filter is nil, at Filter[0]"},
		{Bool{Not: []Node{a}, Filter: []Filter{Where{Node: All{Score: 2e6}}}}, "the score is 2e+06, not from 0 to 1e+06, at Filter[0].Node"},
		{in(Match{Text: "a b", Mode: AndOr}), "mode and-or within other nodes"},
		{Bool{Should: make([]Node, 1)}, "<nil>, at Should[0]"},
		{deep, "to a depth of more than 100, at Must[0].Must[0]"},
		{Bool{Should: slicesOf(Node(a), MaxNodes)}, "more than 10000 nodes, at Should[9999]"},
	} {
		_, err := s.Search(context.Background(), Query{Node: c.node})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(fmt.Sprint(err), c.says) {
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
