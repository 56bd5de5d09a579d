package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// A match whose score rounds to 0 is a hit, also where few documents pass a filter.
func TestZeroScores(t *testing.T) {
	docs := [][]string{strings.Fields("w1 w2" + strings.Repeat(" x", 4000))}
	for range 400 {
		docs = append(docs, []string{"w1"}, []string{"w2"})
	}
	s := paramsSearcher(t, paramsIndex(t, paramsSchema(query.Params{}, 0), docs, len(docs)), search.Options{})
	defer s.Close()
	for _, name := range []string{"", "inl2"} {
		for _, a := range []search.Algorithm{search.Auto, search.FilterFirst} {
			filter := docset.GlobalOf(0)
			q := search.Query{Node: query.Match{Text: "w1 w2", Field: "text"}, K: len(docs), Filter: filter, Params: query.Params{K1: 1e6, B: 1, Scorer: name}, Algorithm: a}
			r, err := s.Search(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			if last := r.Hits[max(len(r.Hits)-1, 0):]; len(last) == 0 || last[0].Doc != 0 {
				t.Errorf("scorer %q, %v: the long document is no hit, but %v", name, a, last)
			} else if name == "" && last[0].Score != 0 {
				t.Errorf("score %v, want 0", last[0].Score)
			}
		}
	}
}
