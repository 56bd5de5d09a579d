package gpu

import (
	"cmp"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
)

// sortHead is the offset of keys in Out, after the count and the device's count.
const sortHead = 16

// partialSort scores the conjunction p on the device in one launch and selects the best on
// the CPU, since few documents match most queries (Griffin 2018 section 3.1.3). If more
// than StepOptions.sorted match, the device selects. descs are the descriptors of p's intermediate
// result.
func (w *stepping) partialSort(p *plan, descs []kernels.ListDesc) error {
	st := w.st
	l := &batch{x: w.s.x, st: st, conjunctive: true, plans: []*plan{p}, descs: descs}
	limit := l.rankedJobs()[0]
	most := int(min(limit, int64(w.s.o.sorted)))
	if len(l.jobs) == 0 {
		return nil
	}
	tilesIn, tilesWork := l.tileBytes()
	size := 4096 + (256+fieldScoreSize)*len(p.lists) + 128*len(l.jobs) + tilesIn
	for i := range p.lists {
		if o := &p.lists[i]; o.n > 0 && o.small != nil {
			size += 8*o.small.Len() + 64
		}
	}
	if err := l.reserve(size, 8*limit+tilesWork+64, sortHead+8*max(most, p.k)); err != nil {
		return err
	}
	out := st.Scratch(8 * limit)
	for i := range l.jobs {
		l.addTerms(&l.jobs[i])
	}
	all := pass{queries: l.queries()}
	for i := range l.jobs {
		all.queries[i].Out, all.queries[i].Cap = out, uint32(limit)
		n := blocksOf(l.jobs[i].drive[0])
		all.parts = append(all.parts, part{uint32(i), 0, n})
		all.blocks += int64(n)
	}
	floors := layout.Put(st.Buffers, []uint64{0})
	rank := l.launch(&all, l.putTerms(), st.OutDev, floors)
	onDevice := l.selection([]kernels.Select{{Keys: out, Counts: st.OutDev, Groups: 1, Stride: uint32(limit), K: uint32(p.k),
		Out: st.OutDev + sortHead, OutCount: st.OutDev + 4}})
	l.send()
	st.Batch.Fill(st.OutDev, sortHead)
	rank()
	st.Batch.CopyOut(st.Out[:4], st.OutDev)
	st.Batch.CopyOut(st.Out[sortHead:][:8*most], out)
	if err := w.flush(); err != nil {
		return err
	}
	n := int(format.Uint32s(st.Out[:4])[0])
	if n > most {
		st.Batch.Reset()
		onDevice()
		st.Batch.CopyOut(st.Out[:sortHead+8*p.k], st.OutDev)
		if err := w.flush(); err != nil {
			return err
		}
		n = int(min(format.Uint32s(st.Out[4:8])[0], uint32(p.k)))
	}
	keys := best(format.Uint64s(st.Out[sortHead:][:8*n]), p.k)
	p.hits = make([]search.Hit, len(keys))
	for i, k := range keys {
		p.hits[i] = search.Hit{Doc: ^uint32(k), Score: math.Float32frombits(uint32(k >> 32))}
	}
	return nil
}

// best moves the k greatest keys to the front and returns them, the greatest first.
func best(keys []uint64, k int) []uint64 {
	if len(keys) > k {
		top := keys[:k]
		slices.Sort(top) // a heap, the least at the front
		for i := k; i < len(keys); i++ {
			if keys[i] > top[0] {
				sift(top, keys[i])
			}
		}
		keys = top
	}
	slices.SortFunc(keys, func(a, b uint64) int { return cmp.Compare(b, a) })
	return keys
}

// sift replaces the first key of a heap by another.
func sift(heap []uint64, key uint64) {
	i := 0
	for c := 1; c < len(heap); c = 2*i + 1 {
		if c+1 < len(heap) && heap[c+1] < heap[c] {
			c++
		}
		if key <= heap[c] {
			break
		}
		heap[i] = heap[c]
		i = c
	}
	heap[i] = key
}
