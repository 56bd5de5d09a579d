package griffin

import (
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/papers/internal/corpus"
)

// TestConjunction intersects lists that are merged and lists that are searched, and does not allocate
// where the buffer has room.
func TestConjunction(t *testing.T) {
	const docs = 60_000
	s := corpus.Of("conjunction", docs, [][]uint32{synthetic.Uniform(1, 700, docs), synthetic.Uniform(2, 5_000, docs), synthetic.Uniform(3, 40_000, docs)})
	for _, q := range [][]int{{0}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}} {
		all, err := packs(s, [][]int{q})
		if err != nil {
			t.Fatal(err)
		}
		var lists []*packed
		for _, i := range q {
			lists = append(lists, all[i])
		}
		buf := make([]uint32, 5_000)
		if got, want := conjunction(buf, lists), s.Intersect(q); !slices.Equal(got, want) {
			t.Errorf("lists %v: %d docIDs, want %d", q, len(got), len(want))
		}
		if n := testing.AllocsPerRun(5, func() { conjunction(buf, lists) }); n > 0 {
			t.Errorf("lists %v: %.0f allocations", q, n)
		}
	}
}

// TestLeastOf counts how often a query is asked: twice before its time counts, and three times.
func TestLeastOf(t *testing.T) {
	n := 0
	if v, err := leastOf(func() error { n++; return nil }); n != 5 || v < 0 || err != nil {
		t.Errorf("asked %d times: %g s, %v", n, v, err)
	}
}
