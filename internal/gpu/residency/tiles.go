package residency

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/kernels"
)

// Tiles are a field of impacts in a segment on the device, in the form that kernels.AddImpacts takes. Documents that were deleted
// when they were made are left out. The field's lists are not on the device otherwise.
type Tiles struct {
	Whole
	Docs, Weights, Starts kernels.Ptr
	Width, Tiles, Terms   uint32
	terms                 map[string]uint32 // the number of each
	facts                 []TileTerm        // by number
}

// TileTerm is a term of a field in tiles.
type TileTerm struct {
	Number   uint32
	Postings uint32 // of documents that are not deleted
	Most     uint8  // the greatest weight
	// Kth are weights that at least format.KthValues() postings have each; 0 for none.
	Kth [format.NumKth]uint8
}

// Term returns a term. ok is false if no document that is not deleted has it.
func (t *Tiles) Term(term []byte) (x TileTerm, ok bool) {
	n, ok := t.terms[string(term)]
	if !ok {
		return x, false
	}
	return t.facts[n], true
}

// AtLeast returns a weight that at least k postings have, 0 if none is known.
func (x *TileTerm) AtLeast(k int) uint8 {
	for i, n := range format.KthValues() {
		if k <= n {
			return x.Kth[i]
		}
	}
	return 0
}

const unitPostings = 8

// mostStarts is how many bytes the table of where terms are in tiles takes at most, as a multiple of the postings, or if
// that is more leastStarts: it has an entry for each term in each tile.
const mostStarts, leastStarts = 4, 64 << 20

// errTiles is why a field does not go to the device.
var errTiles = errors.New("gpuload: a field of impacts does not fit into device memory")

// Hold keeps tiles from being evicted while a batch of epoch is in flight. It reports false if they have been.
func (l *Lists) Hold(all []*Tiles, epoch uint64) bool { return hold(l, all, epoch) }

// LoadTiles puts a field of impacts of a segment, which it reads all the while, on the device, in tiles of width documents, a
// multiple of 4. It does not evict lists used by batches of epoch oldest or later. An error that is not one of the device or of ctx says
// why the field does not go there.
func (l *Lists) LoadTiles(ctx context.Context, s Segment, field int, width uint32, oldest uint64) (*Tiles, error) {
	s.Base = 0
	t := &tiling{l: l, ctx: ctx, segment: s, field: field, Tiles: Tiles{Whole: wholeOf(&s), Width: width, terms: map[string]uint32{}}}
	err := t.count()
	if err == nil && t.units > 0 {
		var d *loader
		select {
		case d = <-l.Loaders:
			err = t.load(d, oldest)
			l.Loaders <- d
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		l.Mu.Lock()
		defer l.Mu.Unlock()
		l.stats.Refused++
		return nil, err
	}
	return &t.Tiles, nil
}

// tiling is the making of tiles.
type tiling struct {
	Tiles
	l       *Lists
	ctx     context.Context
	segment Segment // its documents count from 0
	field   int
	docs    uint64
	parts   [][]ListPart // of the terms
	starts  []uint32     // by tile and term, terms and one of each tile
	units   uint64
}

// stride is the number of starts of a tile.
func (t *tiling) stride() int { return int(t.Terms) + 1 }

// count finds where each term's postings begin in each tile. It checks all lists, as idxcheck does.
func (t *tiling) count() error {
	t.docs = uint64(t.segment.Seg.Meta().Docs)
	t.Tiles.Tiles = uint32((t.docs + uint64(t.Width) - 1) / uint64(t.Width))
	if err := t.list(); err != nil {
		return err
	}
	postings := uint64(0)
	for i := range t.parts {
		for _, p := range t.parts[i] {
			postings += uint64(p.Entry.DF)
		}
	}
	if size := 4 * uint64(t.stride()) * uint64(t.Tiles.Tiles); size > max(mostStarts*postings, leastStarts) {
		return fmt.Errorf("%w: %d terms in %d tiles", errTiles, t.Terms, t.Tiles.Tiles)
	}
	t.starts = make([]uint32, t.stride()*int(t.Tiles.Tiles))
	t.facts = make([]TileTerm, t.Terms)
	if err := t.each(true, t.countTerm); err != nil {
		return err
	}
	for i, at := 0, 0; i < int(t.Tiles.Tiles); i++ {
		for range t.Terms {
			n := t.starts[at]
			t.starts[at] = uint32(t.units)
			t.units += (uint64(n) + unitPostings - 1) / unitPostings
			at++
		}
		t.starts[at] = uint32(t.units)
		at++
	}
	if t.units >= 1<<32-1<<16 {
		return fmt.Errorf("%w: %d units of postings", errTiles, t.units)
	}
	return nil
}

// list lists the terms of the field.
func (t *tiling) list() (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	all := View{Parts: []Segment{t.segment}}
	return all.eachTerm(t.field, func(term []byte, parts []ListPart, _ uint32) {
		t.terms[string(term)] = t.Terms
		t.parts = append(t.parts, slices.Clone(parts))
		t.Terms++
	})
}

// termsAtOnce is the number of terms that a goroutine takes at a time.
const termsAtOnce = 8

// each calls f for each term, in as many goroutines as there are processors, with one postings each, which check lists or not.
func (t *tiling) each(check bool, f func(p *postings, term int) error) error {
	var wg sync.WaitGroup
	var next atomic.Int64
	var failed atomic.Pointer[error]
	for range min(runtime.GOMAXPROCS(0), int(t.Terms)/termsAtOnce+1) {
		wg.Go(func() {
			p := &postings{segments: []Segment{t.segment}, check: check}
			err := error(nil)
			for err == nil && failed.Load() == nil {
				lo := int(next.Add(termsAtOnce)) - termsAtOnce
				if lo >= int(t.Terms) {
					return
				}
				err = t.ctx.Err()
				for i := lo; i < min(lo+termsAtOnce, int(t.Terms)) && err == nil; i++ {
					err = p.guard(func() error { return f(p, i) })
				}
			}
			if err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// countTerm counts the postings of a term in each tile, where they will begin.
func (t *tiling) countTerm(p *postings, term int) error {
	var weights [256]uint32
	own := &t.facts[term]
	own.Number = uint32(term)
	err := p.read(t.parts[term], 0, t.docs, func(docs, w []uint32) {
		t.byTile(docs, func(tile, from, to int) { t.starts[tile*t.stride()+term] += uint32(to - from) })
		for _, w := range w[:len(docs)] {
			weights[w&255]++
		}
		own.Postings += uint32(len(docs))
	})
	n, kth := uint32(0), format.KthValues()
	for w := 255; w > 0; w-- {
		if weights[w] > 0 && own.Most == 0 {
			own.Most = uint8(w)
		}
		n += weights[w]
		for i, k := range kth {
			if own.Kth[i] == 0 && n >= uint32(k) {
				own.Kth[i] = uint8(w)
			}
		}
	}
	return err
}

// byTile calls f with the parts of ascending docs that are in one tile each.
func (t *tiling) byTile(docs []uint32, f func(tile, from, to int)) {
	for from := 0; from < len(docs); {
		tile := docs[from] / t.Width
		last, to := uint64(tile+1)*uint64(t.Width), from+1
		for to < len(docs) && uint64(docs[to]) < last {
			to++
		}
		f(int(tile), from, to)
		from = to
	}
}

// mostStaged is how many bytes of pinned memory the tiles that are copied at a time take, at most unless one takes more.
const mostStaged = 256 << 20

const unitSize = 3 * unitPostings

// load puts the tiles on the device, by a loader.
func (t *tiling) load(d *loader, oldest uint64) error {
	l := t.l
	docs, weights := 2*unitPostings*int64(t.units), unitPostings*int64(t.units)
	starts := 4 * int64(len(t.starts)+len(t.starts)&1)
	size := docs + weights + starts
	l.Mu.Lock()
	at, ok := l.rangeFor(1, size, oldest)
	slot := uint32(0)
	if ok {
		slot = l.slot()
	}
	l.Mu.Unlock()
	if !ok {
		return fmt.Errorf("%w: %d bytes, of which %d may be free", errTiles, size, l.Arena.Size())
	}
	t.Docs, t.Weights, t.Starts = at, at+kernels.Ptr(docs), at+kernels.Ptr(docs+weights)
	sum, err := t.copyAll(d)
	if err == nil {
		err = t.proveAll(d, sum)
	}
	l.Mu.Lock()
	defer l.Mu.Unlock()
	t.List = &List{Key: wholeKey(t.segment.Number, t.field), Slot: slot, At: at, Size: size}
	if err != nil {
		l.Release(at, size)
		l.free = append(l.free, slot)
		return err
	}
	t.List.Uses.Store(l.clock + 1)
	l.ByKey[t.List.Key] = t.List
	l.stats.Loaded++
	l.stats.Bytes += size
	l.stats.BytesLoaded += size
	t.starts, t.parts = nil, nil
	return nil
}

// copyAll copies the tiles, some at a time, and returns the sum of all words.
func (t *tiling) copyAll(d *loader) (sum uint64, err error) {
	most := 0
	for lo := 0; lo < int(t.Tiles.Tiles); {
		hi, units := t.some(lo)
		most, lo = max(most, units), hi
	}
	pinned, err := d.dev.HostAlloc(max(unitSize*most, FirstRing))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.dev.HostFree(pinned)) }()
	b := cuda.Batch{Stream: d.copyStream}
	for lo := 0; lo < int(t.Tiles.Tiles); {
		hi, units := t.some(lo)
		first := kernels.Ptr(t.starts[lo*t.stride()])
		part := pinned[:unitSize*units]
		docs, weights := part[:2*unitPostings*units], part[2*unitPostings*units:]
		if err := t.fill(lo, hi, docs, weights); err != nil {
			return 0, err
		}
		sum += sumOf(t.ctx, 2*uint64(first), format.Uint64s(docs))
		sum += sumOf(t.ctx, t.weightsFrom()+uint64(first), format.Uint64s(weights))
		b.CopyIn(t.Docs+2*unitPostings*first, docs)
		b.CopyIn(t.Weights+unitPostings*first, weights)
		if err := Flush(d.dev, &b); err != nil {
			return 0, err
		}
		lo = hi
	}
	if len(t.starts)%2 != 0 {
		t.starts = append(t.starts, 0)
	}
	all := kernels.Slice(t.starts)
	sum += sumOf(t.ctx, t.startsFrom(), format.Uint64s(all))
	for at := t.Starts; len(all) > 0; {
		n := copy(pinned, all)
		b.CopyIn(at, pinned[:n])
		if err := Flush(d.dev, &b); err != nil {
			return 0, err
		}
		all, at = all[n:], at+kernels.Ptr(n)
	}
	return sum, nil
}

// some returns the end of the tiles from lo on that are copied together, and their units.
func (t *tiling) some(lo int) (hi, units int) {
	first := t.starts[lo*t.stride()]
	for hi = lo; hi < int(t.Tiles.Tiles); hi++ {
		n := int(t.starts[hi*t.stride()+int(t.Terms)] - first)
		if hi > lo && n > mostStaged/unitSize {
			break
		}
		units = n
	}
	return hi, units
}

// weightsFrom and startsFrom are the numbers of the first words of weights and starts.
func (t *tiling) weightsFrom() uint64 { return 2 * t.units }
func (t *tiling) startsFrom() uint64  { return 3 * t.units }

// fill writes the units of tiles lo up to hi.
func (t *tiling) fill(lo, hi int, docs, weights []byte) error {
	first, stride := t.starts[lo*t.stride()], t.stride()
	to := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(docs))), len(docs)/2)
	pool := sync.Pool{New: func() any { return new(extent) }}
	return t.each(false, func(p *postings, term int) error {
		tile, at, x := -1, 0, pool.Get().(*extent)
		defer pool.Put(x)
		write := func() {
			if x.units > 0 {
				x.write(to[unitPostings*at:], weights[unitPostings*at:])
			}
		}
		err := p.read(t.parts[term], uint64(lo)*uint64(t.Width), min(uint64(hi)*uint64(t.Width), t.docs), func(found, w []uint32) {
			t.byTile(found, func(n, from, to int) {
				if n != tile {
					write()
					own := t.starts[n*stride+term:]
					tile, at, x.units = n, int(own[0]-first), int(own[1]-own[0])
				}
				for i, d := range found[from:to] {
					x.add(uint16(d-uint32(tile)*t.Width), uint8(w[from+i]))
				}
			})
		})
		write()
		return err
	})
}

// sumsPerJob is how many words a goroutine of sumOf adds up.
const sumsPerJob = 1 << 20

// sumOf is what check_impacts computes of words that are numbered from first on.
func sumOf(_ context.Context, first uint64, words []uint64) uint64 {
	var sum atomic.Uint64
	var wg sync.WaitGroup
	for lo := 0; lo < len(words); lo += sumsPerJob {
		part, from := words[lo:min(lo+sumsPerJob, len(words))], first+uint64(lo)
		wg.Go(func() {
			s := uint64(0)
			for i, w := range part {
				x := (w ^ (from+uint64(i))*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
				s += x ^ x>>32
			}
			sum.Add(s)
		})
	}
	wg.Wait()
	return sum.Load()
}

// proveAll compares what is on the device with the sum of what was copied, and checks that no posting is beyond its tile.
func (t *tiling) proveAll(d *loader, sum uint64) error {
	b := cuda.Batch{Stream: d.copyStream}
	b.Fill(d.scratch, 16)
	for _, c := range []kernels.ImpactCheckParams{
		{At: t.Docs, Words: 2 * t.units, Width: t.Width},
		{At: t.Weights, Words: t.units, First: t.weightsFrom()},
		{At: t.Starts, Words: uint64(len(t.starts) / 2), First: t.startsFrom()},
	} {
		c.Sums = d.scratch
		b.Launch(kernels.CheckImpacts, int(min(c.Words/256+1, 2048)), 0, kernels.Bytes(&c))
	}
	b.CopyOut(d.pinned[:16], d.scratch)
	if err := Flush(d.dev, &b); err != nil {
		return err
	}
	if got := format.Uint64s(d.pinned[:16]); got[0] != sum || got[1] != 0 {
		return fmt.Errorf("gpuload: a field of impacts is not on the device as it was copied: sums %#x and %#x, %d postings beyond their tiles", got[0], sum, got[1])
	}
	return nil
}
