package search_test

import (
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// A query is one Dot if nothing else adds to scores or matches; filters may stand around it.
func TestAppendDot(t *testing.T) {
	p := search.NewParserFor(&schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Impacts, Scale: 0.5}, {Name: "n", Kind: schema.Integer, Column: true},
		{Name: "k", Kind: schema.Keyword}}})
	d := query.Dot{Field: "v", Boost: 3, Terms: []query.WeightedTerm{{Term: "b", Weight: 2}, {Term: "a", Weight: 7}, {Term: "b", Weight: 1}}}
	word := query.Term{Field: "k", Text: "x"}
	columns := []query.Node{query.Exists{Field: "n"}}
	for name, test := range map[string]struct {
		n        query.Node
		one      bool
		filtered bool
	}{
		"alone":              {d, true, false},
		"must":               {query.Bool{Must: []query.Node{d}}, true, false},
		"should":             {query.Bool{Should: []query.Node{d}}, true, false},
		"filtered":           {query.Bool{Must: []query.Node{d}, Filter: columns}, true, true},
		"filtered, optional": {query.Bool{Should: []query.Node{d}, Filter: columns}, false, false},
		"filtered, required": {query.Bool{Should: []query.Node{d}, AtLeast: 1, Filter: columns}, true, true},
		"with a word":        {query.Bool{Should: []query.Node{d, word}}, false, false},
		"not a word":         {query.Bool{Must: []query.Node{d}, MustNot: []query.Node{word}}, false, false},
		"constant":           {query.Const{Node: d, Score: 1}, false, false},
		"a word":             {word, false, false},
	} {
		var got terms.Dot
		ok, err := p.AppendDot(&got, &search.Query{Node: test.n, K: 1})
		if err != nil || ok != test.one {
			t.Errorf("%s: %v, %v", name, ok, err)
			continue
		}
		if ok && (len(got.Terms) != 2 || string(got.Terms[0]) != "a" || string(got.Terms[1]) != "b" || got.Weights[0] != 7 || got.Weights[1] != 3 ||
			got.Factor != 1.5 || got.Docs != nil || (got.Columns != nil) != test.filtered) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, err := p.AppendDot(new(terms.Dot), &search.Query{Node: query.Dot{Field: "k"}, K: 1}); err == nil {
		t.Error("a Dot in a field of keywords: no error")
	}
}
