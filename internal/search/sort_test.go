package search

import (
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Where documents are in the order of a column, the first of its order are found without looking at all matches.
func TestSortInOrder(t *testing.T) {
	l := querytest.NewLive(t, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Analyzer: "simple"},
		{Name: "added", Kind: schema.Integer, Column: true},
	}}})
	for d := range 40_000 {
		text := "often"
		if d%400 == 0 {
			text = "seldom"
		}
		l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{schema.TextValue(0, []byte(text)), schema.IntegerValue(1, int64(d))}}))
	}
	l.Do(l.Commit(t.Context()))
	s, err := NewSearcher(l.Snapshot(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, desc := range []bool{false, true} {
		r, err := s.Search(t.Context(), Query{Node: query.Match{Field: "text", Text: "seldom"}, K: 3, Sort: []SortBy{{Field: "added", Desc: desc}}, Trace: true})
		if err != nil || len(r.Hits) != 3 {
			t.Fatal(r, err)
		}
		for i, h := range r.Hits {
			want := 400 * i
			if desc {
				want = 39_600 - want
			}
			if int(h.Doc) != want {
				t.Errorf("descending %v: hit %d is %d, want %d", desc, i, h.Doc, want)
			}
		}
		n := uint64(0)
		for _, seg := range r.Trace.Segments {
			n += seg.Candidates
		}
		if n == 0 || n > 30 {
			t.Errorf("descending %v: %d matches are looked at", desc, n)
		}
	}
}
