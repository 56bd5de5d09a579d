//go:build emu && cgo

package gpu

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// TestResident compares what Resident says of the terms of a log with the table of lists:
// before any query, after all, with room for all lists and for some, and after evictions.
func TestResident(t *testing.T) {
	c, sc := newCollection(t, someShape)
	qs := c.Draw(rand.New(rand.NewPCG(8, 1)), 60, 4, 10, query.ModeOr)
	for _, memory := range []int64{48 << 10, 1 << 24} {
		x, err := newExecutor(testDevice(t, 0), viewsIn(c), Options{Scorer: sc, Memory: memory, AsStored: true, CPU: &counted{brute: brute{c: c, sc: sc}}})
		if err != nil {
			t.Fatal(err)
		}
		defer closeExecutor(t, x)
		there, not := 0, 0
		compare := func() {
			there, not = 0, 0
			for _, q := range qs {
				for _, term := range q.Query().RawTerms {
					wants, lists, err := x.demands([]search.Query{{RawTerms: [][]byte{term}, K: 10, Mode: query.ModeOr}})
					if err != nil {
						t.Fatal(err)
					}
					want := len(lists) > 0
					for _, d := range lists {
						want = want && x.lists.ByKey[wants[d.Key].Key] != nil
					}
					if got := x.Resident(term); got != want {
						t.Errorf("%d bytes: %q is on the device: %v, want %v", memory, term, got, want)
					}
					if want {
						there++
					} else {
						not++
					}
				}
			}
		}
		for _, q := range qs {
			if x.Resident(q.Query().RawTerms[0]) {
				t.Error("a list is on the device before the first query")
			}
		}
		if _, err := x.Execute(context.Background(), []search.Query{qs[0].Query()}); err != nil {
			t.Fatal(err)
		}
		compare()
		for i := range qs { // one after the other, so that lists can be evicted
			check(t, x, c, sc, qs[i:i+1], nil)
		}
		compare()
		if there == 0 || memory < 1<<20 && not == 0 {
			t.Errorf("%d bytes: %d terms on the device, %d not", memory, there, not)
		}
		if s := x.Stats(); memory < 1<<20 && s.Evicted == 0 {
			t.Errorf("nothing was evicted: %+v", s)
		}
	}
}
