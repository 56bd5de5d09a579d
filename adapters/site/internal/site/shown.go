package site

import (
	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// The page shows perPage hits, up to the one of rank lastHit, and of a facet fewValues or, on demand, manyValues.
const (
	perPage    = 10
	lastHit    = 1000
	fewValues  = 10
	manyValues = 200
)

// shown is what the page shows of an index.
type shown struct {
	title, url string   // fields; "" if there are none
	values     []string // title and url, as far as there are
	texts      []text
	facets     []string // fields
	sorts      []order
	schema     *schema.Schema
	passages   bool
}

// text is a field of text that queries search.
type text struct {
	name     string
	analyzer analysis.Analyzer // nil if it is not registered
	stems    bool              // without a field that has its words
	stored   bool
}

// terms returns the terms of a word.
func (t *text) terms(word string) [][]byte {
	return analysis.Terms(t.analyzer.Tokenizer(), []byte(word))
}

// order is what hits may be sorted by.
type order struct{ sort, says string }

// shownOf returns what the page shows of an index: a stored field that is called title or name as the heading of a hit,
// one called url or link as where it leads, and counts of the keywords of all fields that have columns of them.
func shownOf(s *schema.Schema) (x shown) {
	x.schema = s
	stored := func(names ...string) string {
		for _, name := range names {
			if f, ok := s.Field(name); ok && f.Stored && (f.Kind == schema.Text || f.Kind == schema.Keyword) {
				x.values = append(x.values, name)
				return name
			}
		}
		return ""
	}
	x.title, x.url = stored("title", "name"), stored("url", "link")
	words := map[string]bool{}
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Of != "" {
			words[f.Of] = true
		}
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind == schema.Text && f.Of == "" && f.Index != schema.IndexNone {
			x.passages = x.passages || f.Stored
			t := text{name: f.Name, stored: f.Stored}
			if a, err := analysis.New(f.Analyzer, f.Options); err == nil {
				t.analyzer, t.stems = a, analysis.Stems(a) && !words[f.Name]
			}
			x.texts = append(x.texts, t)
		}
		if !f.Column {
			continue
		}
		if f.Kind == schema.Keyword && len(x.facets) < query.MaxFacets {
			x.facets = append(x.facets, f.Name)
		}
		x.sorts = append(x.sorts, ordersOf(f)...)
	}
	return x
}

// ordersOf returns the orders by a field with a column.
func ordersOf(f *schema.Field) []order {
	switch f.Kind {
	case schema.Keyword:
		return []order{{f.Name, f.Name + ", A to Z"}, {"-" + f.Name, f.Name + ", Z to A"}}
	case schema.Time:
		return []order{{"-" + f.Name, f.Name + ", newest first"}, {f.Name, f.Name + ", oldest first"}}
	}
	return []order{{f.Name, f.Name + ", low to high"}, {"-" + f.Name, f.Name + ", high to low"}}
}
