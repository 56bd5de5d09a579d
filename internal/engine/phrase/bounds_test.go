package phrase

import (
	"slices"
	"testing"
)

// many returns n slots one after the other, each with the word that its number has modulo words, and the positions of a
// text that begins with them twice.
func many(n, words int, width int64) (Shape, [][]uint32) {
	offsets, its, lists := make([]uint32, n), make([][]int, n), make([][]uint32, n)
	of := make([][]uint32, words)
	for p := range 2 * n {
		of[p%words] = append(of[p%words], uint32(p))
	}
	for i := range n {
		offsets[i], its[i], lists[i] = uint32(i), []int{i % words}, of[i%words]
	}
	return NewShape(offsets, its, width, false), lists
}

// The groups of a great many slots are found: joining them is not a walk over all.
func TestShapeOfMany(t *testing.T) {
	s, _ := many(200_000, 2, 0)
	for i, x := range s.Slots {
		if x.Group != i%2 || x.Times != 100_000 {
			t.Fatalf("slot %d: %+v", i, x)
		}
	}
	chain := make([][]int, 100_000) // each shares a word with the next
	for i := range chain {
		chain[i] = []int{i, i + 1}
	}
	s = NewShape(make([]uint32, len(chain)), chain, 0, false)
	if slices.ContainsFunc(s.Slots, func(x Slot) bool { return x.Group != 0 || x.Times != len(chain) }) {
		t.Error("a chain is one group")
	}
}

// Counting looks at a number of slots that grows as their number, and hardly at any more once it is to stop.
func TestCounterStops(t *testing.T) {
	count := func(n, words int, width int64, most int) (asked int) {
		s, lists := many(n, words, width)
		c := Counter{Stop: func() bool {
			asked++
			return asked > most
		}}
		c.Count(&s, lists, 1<<30)
		return asked
	}
	for _, c := range []struct {
		words int
		width int64
	}{{1, 3}, {7, 3}, {1 << 20, 3}} {
		words := func(n int) int { return min(c.words, 2*n) }
		few, more := count(1000, words(1000), c.width, 1<<30), count(2000, words(2000), c.width, 1<<30)
		if few < 1000 || float64(more) > 2.5*float64(few) {
			t.Errorf("%+v: asked %d times for 1,000 slots, %d for 2,000", c, few, more)
		}
		if n := count(2000, words(2000), c.width, 500); n > 510 {
			t.Errorf("%+v: goes on for %d slots", c, n-500)
		}
	}
	// Synonyms that overlap are a matter of matching.
	lists := make([][]uint32, 14)
	words := make([][]int, 14)
	for i := range lists {
		words[i] = []int{i, i + 1}
		for p := range uint32(400) {
			lists[i] = append(lists[i], 2*p+uint32(i%2))
		}
	}
	s := NewShape(make([]uint32, 14), words, 40, false)
	asked := 0
	c := Counter{Stop: func() bool {
		asked++
		return asked > 300
	}}
	if c.Count(&s, lists, 1<<30); asked < 300 || asked > 340 {
		t.Errorf("asked %d times", asked)
	}
}
