package search

import (
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A filter over columns takes few allocations more.
func TestFilterAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops pooled memory at random")
	}
	l := querytest.NewLive(t, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "simple"},
		{Name: "price", Kind: schema.Integer, Column: true},
		{Name: "brand", Kind: schema.Keyword, Column: true},
	}}})
	for d := range 100 {
		values := []schema.Value{schema.TextValue(0, []byte("blue paint")), schema.IntegerValue(1, int64(d)), schema.KeywordValue(2, []byte("a"))}
		l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: values}))
	}
	l.Do(l.Commit(t.Context()))
	s, err := NewSearcher(l.Snapshot(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	match := query.Match{Field: "title", Text: "blue paint"}
	price := query.Range{Field: "price", Min: schema.IntegerValue(0, 40)}
	brand := query.In{Field: "brand", Values: []any{schema.KeywordValue(0, []byte("a"))}}
	for what, c := range map[string]struct {
		node query.Node
		most float64
	}{
		"no filter": {match, 1},
		"a range":   {query.Bool{Must: []query.Node{match}, Filter: []query.Node{price}}, 3},
		"a keyword": {query.Bool{Must: []query.Node{match}, Filter: []query.Node{brand}}, 4},
	} {
		q := Query{Node: c.node}
		var hits []Hit
		n := testing.AllocsPerRun(50, func() {
			var err error
			if hits, err = s.AppendHits(t.Context(), hits[:0], &q); err != nil || len(hits) != 10 {
				t.Fatal(len(hits), err)
			}
		})
		if n > c.most {
			t.Errorf("%s: %v allocations, want %v at most", what, n, c.most)
		}
	}
}
