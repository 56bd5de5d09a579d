package search

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// AppendLengths gives what a count of the documents does, also of terms that are in none, whether the
// cache has the terms or not.
func TestAppendLengths(t *testing.T) {
	docs := querytest.ZipfDocs(rand.New(rand.NewPCG(8, 9)), 900, 60, 12)
	deleted := map[int]bool{4: true, 500: true, 899: true}
	holding := map[string]uint64{"absent": 0}
	for d, words := range docs {
		words = slices.Clone(words)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			if !deleted[d] {
				holding[w]++
			}
		}
	}
	c, _ := registry.ByName("bp128")
	s := searcherOver(t, querytest.Parts(t, docs, deleted, c, 300), Options{})
	words := slices.Sorted(maps.Keys(holding))
	words = append(words, words[:3]...)
	for range 2 {
		lengths, err := s.AppendLengths([]uint64{7}, querytest.Terms(words...))
		if err != nil || len(lengths) != 1+len(words) || lengths[0] != 7 {
			t.Fatalf("%d lengths, %v", len(lengths), err)
		}
		for i, w := range words {
			if lengths[1+i] != holding[w] {
				t.Errorf("%s: %d, want %d", w, lengths[1+i], holding[w])
			}
		}
	}
}

// AppendWordLengths has the lengths of a query that Complete has cut into terms, also where the one field has a name.
func TestAppendWordLengthsOfOneField(t *testing.T) {
	for _, field := range []string{"", "body"} {
		x := querytest.NewLive(t, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text}}}})
		for i := range 4 {
			if err := x.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.TextValue(0, []byte("rose thorn rose"[:5+6*(i%2)]))}}); err != nil {
				t.Fatal(err)
			}
		}
		s, err := NewSearcher(x.Snapshot(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		q := []Query{{Node: query.Match{Field: field, Text: "thorn rose", Mode: query.ModeAnd}}}
		own, err := s.Complete(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []Query{q[0], own[0]} {
			lengths, mode, flat, err := s.AppendWordLengths(nil, &q)
			slices.Sort(lengths)
			if err != nil || mode != query.ModeAnd || !flat || !slices.Equal(lengths, []uint64{2, 4}) {
				t.Errorf("field %q: %d, %v, %v, %v", field, lengths, mode, flat, err)
			}
		}
	}
}
