package ding

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/papers/internal/corpus"
)

// counting counts the blocks that are decoded.
type counting struct {
	codec.Codec
	blocks *int
}

func (c counting) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	*c.blocks += count
	return c.Codec.DecodeDocs(dst, s, block, count)
}

// bestOf answers a query by all postings, with as many terms as a document must have.
func bestOf(st *steps, q []int, terms int) (out []float32) {
	scores, has := make([]float32, st.s.Docs), make([]int, st.s.Docs)
	for _, list := range q {
		for i, d := range st.s.Lists[list] {
			scores[d] += search.Score(st.weight(list), float32(max(st.s.Freqs[list][i], 1)), st.norms[d])
			has[d]++
		}
	}
	for d, n := range has {
		if n >= terms {
			out = append(out, scores[d])
		}
	}
	slices.SortFunc(out, func(a, b float32) int { return cmp.Compare(b, a) })
	return out[:min(len(out), 10)]
}

// TestSteps compares one core's answers, step by step, with those by all postings, and counts the blocks
// that it decodes: of AND, as many of a later list as candidates fall in.
func TestSteps(t *testing.T) {
	s, err := corpus.New("Terabyte", 1./4096)
	if err != nil {
		t.Fatal(err)
	}
	qs := s.Queries[:min(len(s.Queries), 12)]
	st, err := newSteps(s, qs)
	if err != nil {
		t.Fatal(err)
	}
	decoded, later, skipped := 0, 0, 0
	for _, x := range st.docs {
		if x != nil {
			x.Codec = counting{x.Codec, &decoded}
		}
	}
	for _, q := range qs {
		st.took = map[string]time.Duration{}
		decoded = 0
		got, err := st.and(q)
		if err != nil {
			t.Fatal(err)
		}
		if want := bestOf(st, q, len(q)); !slices.Equal(got, want) {
			t.Errorf("AND of %v: %v, want %v", q, got, want)
		}
		first, all := codec.Blocks(len(s.Lists[q[0]]), blockOf), 0
		for _, list := range q {
			all += codec.Blocks(len(s.Lists[list]), blockOf)
		}
		later, skipped = later+all-first, skipped+all-decoded
		decoded = 0
		if got, err = st.or(q); err != nil {
			t.Fatal(err)
		}
		if want := bestOf(st, q, 1); !slices.Equal(got, want) {
			t.Errorf("OR of %v: %v, want %v", q, got, want)
		}
		if decoded != all {
			t.Errorf("OR of %v: %d blocks decoded of %d", q, decoded, all)
		}
	}
	if skipped == 0 || skipped >= later {
		t.Errorf("%d of %d blocks of later lists are not decoded", skipped, later)
	}
}
