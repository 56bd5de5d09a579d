package gpuload

import (
	"math/bits"
	"unsafe"

	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// What a batch of Dots takes of scratch memory for keys, and how many keys a query may collect as a multiple of its k:
// the floor rises as tiles are done, so about 1.4*k*ln(tiles) are found.
const (
	tileWork = 64 << 20
	keysOfK  = 32
)

// tileStep is what the documents of a tile are a multiple of, so that all threads have as many.
const tileStep = 3072

// setTiles sets how many documents a tile has, by the shared memory of a thread block: half that of a multiprocessor if
// that is 160 KiB or more.
func (o *Options) setTiles(shared int) {
	const reserved = 2048 // of each thread block: 1,024 bytes are the driver's
	o.tileBlocks, shared = 1, shared-reserved
	if shared >= 159<<10 {
		shared, o.tileBlocks = shared/2, 2
	}
	most := (shared - kernels.ImpactShared) / 4
	if o.tileDocs > 0 {
		most = min(most, o.tileDocs)
	}
	o.tileDocs = most
	if most >= 2*tileStep {
		o.tileDocs = most - most%tileStep
	}
}

// cutTiled divides plans of Dots into batches, each over one field. Those that overflow, in which a query had no room for
// its keys, get as much as they can need.
func (x *Executor) cutTiled(plans []*plan, overflow bool) (batches [][]*plan) {
	most := min(max(len(plans)/(2*len(x.stages))+1, leastQueries), batchQueries)
	keys, first := int64(0), 0
	for i, p := range plans {
		n := x.leastKeys(p, overflow)
		if i > first && (8*(keys+n) > tileWork || i-first >= most || p.dot.tiles != plans[first].dot.tiles ||
			uint64(i-first+1)*uint64(p.dot.tiles.Tiles) > 1<<31) {
			batches = append(batches, plans[first:i])
			keys, first = 0, i
		}
		keys += n
	}
	if first < len(plans) {
		batches = append(batches, plans[first:])
	}
	return batches
}

// leastKeys returns for how many keys a query has room at least.
func (x *Executor) leastKeys(p *plan, overflow bool) int64 {
	all := int64(p.dot.tiles.Tiles) * kernels.ImpactList // no tile finds more
	switch {
	case overflow:
		return all
	case x.options.tileKeys > 0:
		return x.options.tileKeys
	}
	return min(all, keysOfK*int64(p.k))
}

// tiled prepares a batch of Dots over one field. If that has been evicted, it leaves them to the CPU.
func (l *batch) tiled(plans []*plan, overflow bool) error {
	x, st, t := l.x, l.st, plans[0].dot.tiles
	if !x.lists.Hold(t, st.epoch) {
		for _, p := range plans {
			p.cpu, p.misfit = true, true
		}
		return nil
	}
	l.plans = append(l.plans, plans...)
	n, terms := len(plans), 0
	caps := sized(&l.caps, n)
	keys := int64(0)
	for i, p := range plans {
		terms += len(p.dot.terms)
		caps[i] = x.leastKeys(p, overflow)
		keys += caps[i]
	}
	for i, spare := 0, (tileWork/8-keys)/int64(n); spare > 0 && i < n && x.options.tileKeys == 0; i++ {
		more := min(spare, int64(t.Tiles)*kernels.ImpactList-caps[i])
		caps[i], keys = caps[i]+more, keys+more
	}
	outKeys, outBytes := l.outLayout()
	const querySize, termSize = int(unsafe.Sizeof(kernels.ImpactQuery{})), int(unsafe.Sizeof(kernels.ImpactTerm{}))
	zeros := int64(n)*(4+4+4*kernels.ImpactBins) + 16
	if err := l.reserve(n*(querySize+8)+terms*termSize+1024, 8*keys+zeros+64, outBytes); err != nil {
		return err
	}
	p := kernels.ImpactParams{Docs: t.Docs, Weights: t.Weights, Starts: t.Starts, Terms: t.Terms, Tiles: t.Tiles, Width: t.Width,
		NQueries: uint32(n), NTasks: uint32(n) * t.Tiles}
	p.Bins = st.Scratch(zeros)
	p.Counts = p.Bins + kernels.Ptr(4*kernels.ImpactBins*n)
	p.Ended = p.Counts + kernels.Ptr(4*n)
	p.Next = p.Ended + kernels.Ptr(4*n)
	floors, floorsAt := layout.Space[uint64](st.Buffers, n)
	queries, queriesAt := layout.Space[kernels.ImpactQuery](st.Buffers, n)
	wanted, wantedAt := layout.Space[kernels.ImpactTerm](st.Buffers, terms)
	p.Floors, p.Queries, p.Wanted = floorsAt, queriesAt, wantedAt
	at := st.Scratch(8 * keys)
	terms = 0
	for i, o := range plans {
		d := o.dot
		floors[i] = uint64(d.low) << 32
		queries[i] = kernels.ImpactQuery{Filter: o.within, Keys: at, Out: st.OutDev + kernels.Ptr(outKeys[i]), OutCount: st.OutDev + kernels.Ptr(4*i),
			FirstTerm: uint32(terms), Terms: uint32(len(d.terms)), K: uint32(o.k), Cap: uint32(caps[i]), Low: d.low,
			Shift: uint32(max(bits.Len32(d.bound-min(d.low, d.bound))-bits.Len32(kernels.ImpactBins-1), 0))}
		terms += copy(wanted[terms:], d.terms)
		at += kernels.Ptr(8 * caps[i])
	}
	grid := min(x.dev.Info().Multiprocessors*x.options.tileBlocks, int(p.NTasks))
	return l.finish(outKeys, func() {
		st.Batch.Fill(p.Bins, zeros)
		st.Batch.Launch(kernels.AddImpacts, grid, kernels.ImpactShared+4*int(t.Width), kernels.Bytes(&p))
	})
}
