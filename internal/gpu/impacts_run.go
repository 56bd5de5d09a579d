package gpu

import (
	"math/bits"
	"unsafe"

	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// tiled prepares a batch of Dots over one field. If that has been evicted, it leaves them to the CPU.
func (l *batch) tiled(plans []*plan) error {
	x, st, t := l.x, l.st, plans[0].dot.tiles
	if !x.lists.Hold(t.tiles, st.Epoch) {
		for _, p := range plans {
			p.why = reasonMisfit
		}
		return nil
	}
	l.plans = append(l.plans, plans...)
	n, terms := len(plans), 0
	caps := sized(&l.caps, n)
	keys := int64(0)
	for i, p := range plans {
		terms += p.dot.n
		caps[i] = x.shape().leastKeys(p)
		keys += caps[i]
	}
	for i, spare := 0, (tileWork/8-keys)/int64(n); spare > 0 && i < n && x.options.tileKeys == 0; i++ {
		more := min(spare, int64(t.total)*kernels.ImpactList-caps[i])
		caps[i], keys = caps[i]+more, keys+more
	}
	outKeys, outBytes := l.outLayout()
	const querySize, termSize, segmentSize = int(unsafe.Sizeof(kernels.ImpactQuery{})), int(unsafe.Sizeof(kernels.ImpactTerm{})), int(unsafe.Sizeof(kernels.ImpactSegment{}))
	zeros := int64(n)*(4+4+4*kernels.ImpactBins) + 16
	segs := len(t.segments)
	spansIn, spansWork := l.spanBytes()
	if err := l.reserve(n*(querySize+8)+segs*(terms*termSize+segmentSize)+spansIn+1024, 8*keys+zeros+spansWork+64, outBytes); err != nil {
		return err
	}
	p := kernels.ImpactParams{Segments: layout.Put(st.Buffers, t.segments), NSegments: uint32(segs), NWanted: uint32(terms), Tiles: t.total,
		Width: uint32(x.options.tileDocs), NQueries: uint32(n), NTasks: uint32(n) * t.total}
	if t.deleted > 0 {
		p.Live = x.docs.Live
	}
	p.Bins = st.Scratch(zeros)
	p.Counts = p.Bins + kernels.Ptr(4*kernels.ImpactBins*n)
	p.Ended = p.Counts + kernels.Ptr(4*n)
	p.Next = p.Ended + kernels.Ptr(4*n)
	launches := l.markSpans()
	floors, floorsAt := layout.Space[uint64](st.Buffers, n)
	queries, queriesAt := layout.Space[kernels.ImpactQuery](st.Buffers, n)
	wanted, wantedAt := layout.Space[kernels.ImpactTerm](st.Buffers, segs*terms)
	p.Floors, p.Queries, p.Wanted = floorsAt, queriesAt, wantedAt
	at := st.Scratch(8 * keys)
	first := 0
	for i, o := range plans {
		d := o.dot
		floors[i] = uint64(d.low) << 32
		queries[i] = kernels.ImpactQuery{Filter: o.within, Keys: at, Out: st.OutDev + kernels.Ptr(outKeys[i]), OutCount: st.OutDev + kernels.Ptr(4*i),
			FirstTerm: uint32(first), Terms: uint32(d.n), K: uint32(o.k), Cap: uint32(caps[i]), Low: d.low,
			Shift: uint32(max(bits.Len32(d.bound-min(d.low, d.bound))-bits.Len32(kernels.ImpactBins-1), 0))}
		for s := range segs {
			copy(wanted[s*terms+first:], d.terms[s*d.stride:][:d.n])
		}
		first += d.n
		at += kernels.Ptr(8 * caps[i])
	}
	grid := min(x.dev.Info().Multiprocessors*x.options.tileBlocks, int(p.NTasks))
	return l.finish(outKeys, append(launches, func() {
		st.Batch.Fill(p.Bins, zeros)
		st.Batch.Launch(kernels.AddImpacts, grid, kernels.ImpactShared+4*int(p.Width), kernels.Bytes(&p))
	})...)
}
