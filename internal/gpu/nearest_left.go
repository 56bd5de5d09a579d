package gpu

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/vector"
)

// scoreLeft finds the hits of plans among the documents that the device has left, for want of floats. A plan whose floats cannot be read is left to
// the CPU, which says why.
func scoreLeft(plans []*plan) {
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < len(plans); i = int(next.Add(1)) - 1 {
			if err := plans[i].scoreLeft(); err != nil {
				plans[i].leave(reasonVectors)
			}
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(plans)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// scoreLeft sets the hits of a plan to the best of those documents.
func (p *plan) scoreLeft() (err error) {
	q, r := vector.NewExact(p.near.field.parts[0].By, p.near.Vector()), p.near.field.reader()
	slices.SortFunc(p.hits, func(a, b search.Hit) int { return cmp.Compare(a.Doc, b.Doc) })
	all := slices.CompactFunc(p.hits, func(a, b search.Hit) bool { return a.Doc == b.Doc })
	for i := range all {
		if all[i].Score, err = r.Nearest(q, all[i].Doc); err != nil {
			return err
		}
		all[i].Score += 0 // of -0 and 0, which are as near
	}
	slices.SortFunc(all, func(a, b search.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc)) })
	p.hits = p.near.hits(all[:min(len(all), p.near.k)])
	return nil
}
