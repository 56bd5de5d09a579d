package corpus

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/order"
	"github.com/pinion-index/pinion/internal/synth"
)

// terms describes the distinct terms of a long log by the lengths of their lists: those
// below 100 K docIDs are lognormal. Ao 2011, table 1, gives the median: with random docIDs
// the contraction ratio of a list of n is about 1.16/sqrt(n), which fixes the mean of
// 1/sqrt(n). The spread is the largest with which 1 - R², about 0.8/n, stays within a
// factor of 2 of the table's.
type terms struct{ median, spread float64 }

// Lists draws lists of a collection with the paper's number of documents times scale, in
// each of its orders: most of each group, which begins at that many docIDs at scale 1. From
// 100 K on, the number of lists of n docIDs is in proportion to 1/n², as Zipf's law has it.
// take may keep nothing; its calls do not overlap.
func Lists(ctx context.Context, names []string, scale float64, groups []float64, most int, take func(name string, docs []uint32)) error {
	k, ok := kinds[names[0]]
	if !ok {
		return fmt.Errorf("no collection %q", names[0])
	}
	k = k.scaled(scale)
	c, err := synth.New(k.spec)
	if err != nil {
		return err
	}
	orders := make([]order.Permutation, len(names))
	for i, name := range names {
		if orders[i], err = kinds[name].permutation(c); err != nil {
			return err
		}
	}
	var mu sync.Mutex
	ranks := k.ranks(c, groups, most)
	return c.Draw(ctx, ranks, 0, func(_ int, p format.Postings) {
		for i, name := range names {
			l := place(p.Docs, orders[i])
			mu.Lock()
			take(name, l)
			mu.Unlock()
		}
	})
}

// ranks draws terms for each group, 16 times as many of the first, whose lists differ most.
func (k kind) ranks(c *synth.Collection, groups []float64, most int) (out []int) {
	rng := rand.New(rand.NewPCG(k.spec.Seed, 7))
	share := float64(k.spec.Docs) / float64(k.docs)
	for range 16 * most {
		n := k.terms.median * math.Exp(k.terms.spread*rng.NormFloat64())
		out = append(out, c.Rank(min(n, groups[1])*share))
	}
	for g := 1; g < len(groups); g++ {
		// Lists turn out shorter than expected where a term fills regions.
		lo, hi := groups[g], 1.4e6
		if g+1 < len(groups) {
			hi = groups[g+1]
		}
		for i := range most {
			u := (float64(i) + 0.5) / float64(most)
			out = append(out, c.Rank(share/(1/lo+(1/hi-1/lo)*u)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// place returns documents in another order.
func place(docs []uint32, p order.Permutation) []uint32 {
	if p == nil {
		return docs
	}
	out := make([]uint32, len(docs))
	if len(docs) < len(p)/64 {
		for i, d := range docs {
			out[i] = p[d]
		}
		slices.Sort(out)
		return out
	}
	marks := make([]uint64, len(p)/64+1)
	for _, d := range docs {
		marks[p[d]/64] |= 1 << (p[d] % 64)
	}
	n := 0
	for i, m := range marks {
		for ; m != 0; m &= m - 1 {
			out[n] = uint32(64*i + bits.TrailingZeros64(m))
			n++
		}
	}
	return out
}
