package query

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format/codec/registry"
	"github.com/pinion-index/pinion/query/internal/querytest"
)

// AppendHitsIf passes on the lengths that a count of the documents gives, and answers exactly the queries that
// are accepted.
func TestAppendHitsIf(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	docs := querytest.ZipfDocs(rng, 900, 60, 12)
	deleted := map[int]bool{4: true, 500: true, 899: true}
	holding := map[string]uint64{}
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
	s := searcherOver(t, buildParts(t, docs, deleted, c, 300), Options{})
	ahead := Hit{Doc: 7, Score: 7}
	for i := range 300 {
		var words []string
		for range 1 + rng.IntN(4) {
			words = append(words, fmt.Sprintf("w%d", rng.IntN(70))) // some are in no document
		}
		q := Query{RawTerms: querytest.Terms(words...), K: 10, Mode: []Mode{And, Or, AndOr}[i%3]}
		slices.Sort(words)
		words = slices.Compact(words)
		want := Lengths{Terms: len(words)}
		var n []uint64
		for _, w := range words {
			n = append(n, holding[w])
			want.Sum += holding[w]
		}
		slices.Sort(n)
		if want.Shortest = n[0]; len(n) > 1 {
			want.Second = n[1]
		}
		answer, err := s.AppendHits(t.Context(), []Hit{ahead}, &q)
		if err != nil {
			t.Fatal(err)
		}
		for _, accepted := range []bool{true, false} {
			hits, ok, err := s.AppendHitsIf(t.Context(), []Hit{ahead}, &q, func(l Lengths) bool {
				if l != want {
					t.Errorf("%q: %+v, want %+v", words, l, want)
				}
				return accepted
			})
			if err != nil || ok != accepted {
				t.Errorf("%q: answered %v, want %v: %v", words, ok, accepted, err)
			}
			if expected := answer[:1+(len(answer)-1)*bit(accepted)]; !slices.Equal(hits, expected) {
				t.Errorf("%q: %v, want %v", words, hits, expected)
			}
		}
	}
	unasked := func(Lengths) bool { t.Error("asked"); return false }
	for name, q := range map[string]*Query{"no terms": {K: 3}, "no terms or K": {}} {
		if hits, ok, err := s.AppendHitsIf(t.Context(), nil, q, unasked); hits != nil || !ok || err != nil {
			t.Errorf("%s: %v, %v, %v", name, hits, ok, err)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok, err := s.AppendHitsIf(canceled, nil, &Query{RawTerms: querytest.Terms("w1"), K: 3}, unasked); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v, %v", ok, err)
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
