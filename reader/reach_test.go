package reader_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/reader"
)

// Deletes.Of counts exactly the deleted postings that reach each k-th impact, from cold and
// from memory.
func TestReach(t *testing.T) {
	longtest.Once(t)
	longtest.Checks(t, 20)
	known, lost := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		c := &content{docs: 6000, lists: map[string]postings{}, codec: rapid.SampledFrom(registry.All()).Draw(rt, "codec").ID()}
		share := rapid.SampledFrom([]float64{0.001, 0.03, 0.3, 0.99}).Draw(rt, "deleted")
		deleted := make([]bool, c.docs)
		for d := range deleted {
			if deleted[d] = r.Float64() < share; deleted[d] {
				c.deleted = append(c.deleted, uint32(d))
			}
		}
		for i, f := range []float64{0.001, 0.05, 0.4, 1} {
			var l postings
			for d := range c.docs {
				if r.Float64() < f {
					l.docs = append(l.docs, d)
					l.freqs = append(l.freqs, 1+uint32(r.ExpFloat64()*3))
				}
			}
			if len(l.docs) > 0 {
				c.lists[fmt.Sprint(i)] = l
			}
		}
		s := open(t, c)
		seg, lens := s.Segments()[0], c.lengths()
		d, err := seg.Deletes()
		if err != nil {
			rt.Fatal(err)
		}
		for term, p := range c.lists {
			e, ok, err := seg.Lookup([]byte(term))
			if err != nil || !ok {
				rt.Fatal(ok, err)
			}
			l, err := seg.Views().Lists().List(e)
			if err != nil {
				rt.Fatal(err)
			}
			var dead [3]int
			for j, doc := range p.docs {
				for i := range dead {
					if tf, dl, ok := l.Kth[i].Pair(); l.HasKth && ok && deleted[doc] && p.freqs[j] >= tf && lens[doc] <= dl {
						dead[i]++
					}
				}
			}
			var want reader.Reach
			for i, k := range format.KthValues() {
				want[i] = uint16(max(0, k-dead[i]))
				if dead[i] > 0 {
					lost++
				}
			}
			if l.HasKth {
				known++
			}
			for range 2 {
				if _, got, err := d.Of(seg.Views(), e); got != want || err != nil {
					rt.Errorf("term %s of %d postings: %v, %v; want %v", term, len(p.docs), got, err, want)
				}
			}
		}
	})
	if known == 0 || lost == 0 {
		t.Errorf("%d lists have k-th impacts, which %d sets of deletes reach", known, lost)
	}
}
