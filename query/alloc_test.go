package query

import (
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/query/internal/querytest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A filter over columns takes few allocations more.
func TestFilterAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops pooled memory at random")
	}
	l := querytest.NewLive(t, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.KindText, Analyzer: "simple"},
		{Name: "price", Kind: schema.KindInteger, Column: true},
		{Name: "brand", Kind: schema.KindKeyword, Column: true},
	}}})
	for d := range 100 {
		values := []schema.Value{schema.TextValue(0, []byte("blue paint")), schema.IntegerValue(1, int64(d)), schema.KeywordValue(2, []byte("a"))}
		l.Do(l.AddDoc(t.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: values}))
	}
	l.Do(l.Commit(t.Context()))
	s, err := NewSearcher(l.Snapshot(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	match := Match{Field: "title", Text: "blue paint"}
	price := filter.Range{Field: "price", Min: schema.IntegerValue(0, 40)}
	brand := filter.In{Field: "brand", Values: []schema.Value{schema.KeywordValue(0, []byte("a"))}}
	for what, c := range map[string]struct {
		node Node
		most float64
	}{
		"no filter": {match, 1},
		"a range":   {Bool{Must: []Node{match}, Filter: []Filter{price}}, 3},
		"a keyword": {Bool{Must: []Node{match}, Filter: []Filter{brand}}, 4},
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
