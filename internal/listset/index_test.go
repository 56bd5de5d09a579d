package listset

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// TestWrite writes two sets, and compares lengths and answers with the lists.
func TestWrite(t *testing.T) {
	const docs, terms = 3000, 40
	var sets []*Set
	for seed := range uint64(2) {
		s, err := Range(seed, docs, terms, 2, 1500)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	if !slices.Equal(sets[0].Terms, sets[1].Terms) {
		t.Fatal("sets of two seeds have other terms")
	}
	dir := t.TempDir()
	x, err := Write(context.Background(), dir, bp128.Codec{}, sets...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := search.NewSearcher(x.Snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for i, term := range x.Set.Terms {
		r, err := s.Search(context.Background(), search.Query{RawTerms: [][]byte{[]byte(term)}, K: 2 * docs, Mode: query.ModeAnd})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(sets[0].Lists[i])
		for _, d := range sets[1].Lists[i] {
			want = append(want, docs+d)
		}
		var got []uint32
		for _, h := range r.Hits {
			got = append(got, h.Doc)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("%s: %d documents, the lists have %d", term, len(got), len(want))
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestRange compares the lengths of lists with those asked for.
func TestRange(t *testing.T) {
	s, err := Range(1, 20000, 50, 10, 10000)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.Lists); n < 48 {
		t.Errorf("%d lists of 50", n)
	}
	off := 0.0
	for i, l := range s.Lists {
		want := 10000 * math.Pow(0.001, float64(i)/49)
		off += math.Abs(math.Log(float64(max(len(l), 1))/want)) / float64(len(s.Lists))
	}
	if off > 0.5 {
		t.Errorf("lengths are off by a factor of %.2f, on average", math.Exp(off))
	}
}
