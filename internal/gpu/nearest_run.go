package gpu

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/vector"
)

// A launch of NearScan takes at first firstVectors vectors, or vectorsOfK times the k, and then nearGrowth times as many as all before: what
// these have found rules most of the next out. A query may have nearFound candidates in each, and of all together nearKeys keys, or keysOfNear times
// the k.
const (
	firstVectors = 1024
	vectorsOfK   = 2
	nearGrowth   = 3
	nearFound    = 1 << 17
	nearKeys     = 1 << 12
	keysOfNear   = 16
)

// mostNearest is how many queries a batch has at most: more do not make it faster.
const mostNearest = 512

// cutNearest divides plans of Nearests into batches, each over one field.
func (s shape) cutNearest(plans []*plan) (batches [][]*plan) {
	most, first := int64(0), 0 // most: of a query
	for i, p := range plans {
		found, keys := s.nearRoom(p)
		own := 4*found + 8*keys
		if own += 8 * s.spanKeys(p); p.near.field.coded {
			own += 8 * keys
		}
		if i > first && (int64(i-first+1)*max(most, own) > 8*s.options.Threshold || i-first >= mostNearest || p.near.field != plans[first].near.field || p.all != plans[first].all) {
			batches = append(batches, plans[first:i])
			most, first = 0, i
		}
		most = max(most, own)
	}
	return append(batches, plans[first:])
}

// nearRoom returns how many candidates a Nearest may have in a launch, and how many keys.
func (s shape) nearRoom(p *plan) (found, keys int64) {
	found, keys = nearFound, int64(max(nearKeys, keysOfNear*p.near.k))
	if s.options.nearFound > 0 {
		found = s.options.nearFound
	}
	found, keys = max(found, s.firstVectors(p.near.k)), max(keys, 2*s.firstVectors(p.near.k))
	if p.all {
		found, keys = 32*found, 8*keys
	}
	n := p.near.field.n
	if found, keys = min(found, n), min(keys, n); p.near.field.several { // a table, not too full
		keys = 1 << bits.Len64(uint64(2*keys-1))
	}
	return found, keys
}

func (s shape) firstVectors(k int) int64 {
	if s.options.nearFirst > 0 {
		return s.options.nearFirst
	}
	return int64(max(firstVectors, vectorsOfK*k))
}

// compared prepares a batch of Nearests over one field. If that has been evicted, it leaves them to the CPU.
func (l *batch) compared(plans []*plan) error {
	x, st, field := l.x, l.st, plans[0].near.field
	if !x.lists.HoldVectors(field.parts, st.Epoch) {
		for _, p := range plans {
			p.why = reasonMisfit
		}
		return nil
	}
	l.plans = append(l.plans, plans...)
	n, k, found, keys := len(plans), 0, int64(0), int64(0)
	for _, p := range plans {
		f, own := x.shape().nearRoom(p)
		k, found, keys = max(k, p.near.k), max(found, f), max(keys, own)
	}
	dims := field.parts[0].Dims
	chunks, padded := (vector.PlaneSize(dims)+63)/64, vector.Padded(dims)
	tiles := (n + kernels.NearTile - 1) / kernels.NearTile
	const querySize = int(unsafe.Sizeof(kernels.NearQuery{}))
	outKeys, outBytes := l.outLayout()
	in := len(field.parts)*(n*querySize+tiles*kernels.NearTile*kernels.NearChunk*chunks+64) + 4*n*padded + n*int(unsafe.Sizeof(kernels.Select{})) + 1024
	zeros, left := int64(n)*(8+4+4+4), int64(0)
	if field.coded {
		left = keys
		in += n * int(unsafe.Sizeof(kernels.Select{}))
	}
	spansIn, spansWork := l.spanBytes()
	if err := l.reserve(in+spansIn, int64(n)*(4*found+8*(keys+left)+kernels.NearTermsSize)+zeros+spansWork+256, outBytes); err != nil {
		return err
	}
	p := kernels.NearParams{NQueries: uint32(n), Cap: uint32(found), Room: uint32(keys), Chunks: uint32(chunks), Padded: uint32(padded), By: uint32(field.parts[0].By)}
	p.Floors = st.Scratch(zeros)
	p.Counts = p.Floors + kernels.Ptr(8*n)
	p.Scored = p.Counts + kernels.Ptr(4*n)
	p.Lefts = p.Scored + kernels.Ptr(4*n)
	if field.several {
		p.Several = 1
	}
	p.Terms, p.Keys, p.Found = st.Scratch(kernels.NearTermsSize*int64(n)), st.Scratch(8*keys*int64(n)), st.Scratch(4*found*int64(n))
	p.Left = st.Scratch(8 * left * int64(n))
	selects := sized(&l.selects, n)
	for i, q := range plans {
		selects[i] = kernels.Select{Keys: p.Keys + kernels.Ptr(8*keys*int64(i)), Counts: p.Scored + kernels.Ptr(4*i), Groups: 1, Stride: p.Room, K: uint32(q.near.k),
			Floor: p.Floors + kernels.Ptr(8*i)}
	}
	l.toOut(selects, outKeys)
	best, last := l.selection(selects), func() {}
	if field.coded {
		for i, q := range plans {
			selects[i].Keys, selects[i].Counts, selects[i].K = p.Left+kernels.Ptr(8*left*int64(i)), p.Lefts+kernels.Ptr(4*i), uint32(q.k)
		}
		last = l.selection(selects)
	}
	launches := l.markSpans()
	parts := l.putNearest(&p, field)
	return l.finish(outKeys, append(launches, func() {
		st.Batch.Fill(p.Floors, zeros)
		if field.several {
			st.Batch.FillWords(p.Scored, p.Room, 4*int64(n))
			st.Batch.Fill(p.Keys, 8*keys*int64(n))
		}
		done, next := int64(0), x.shape().firstVectors(k)
		for i := range parts {
			own := &parts[i]
			for own.First = 0; own.First < uint32(field.parts[i].N); own.First = own.End {
				own.End = uint32(min(int64(own.First)+next, int64(field.parts[i].N)))
				l.compare(own)
				best()
				done += int64(own.End - own.First)
				next = max(nearGrowth*done, next)
			}
		}
		last()
	})...)
}

// compare enqueues what finds candidates among vectors, and their keys.
func (l *batch) compare(p *kernels.NearParams) {
	st, info, n := l.st, l.x.dev.Info(), int(p.NQueries)
	kernel, tiles, rows, blocks := kernels.NearScan, kernels.NearTiles, kernels.NearRows, 2
	if n <= kernels.NearTile || kernels.NearShared(tiles, int(p.Chunks)) > info.Shared {
		kernel, tiles, rows, blocks = kernels.NearScanFew, kernels.NearFewTiles, kernels.NearFewRows, 4
	}
	p.Groups = uint32((n + tiles*kernels.NearTile - 1) / (tiles * kernels.NearTile))
	warps := kernel.Threads() / 32
	work := (int(p.End-p.First) + rows*warps - 1) / (rows * warps)
	grid := int(p.Groups) * min(work, max(1, info.Multiprocessors*blocks/int(p.Groups)))
	p.Parts = uint32(max(1, min(16*info.Multiprocessors/n, 64)))
	params := kernels.Bytes(p)
	st.Batch.Launch(kernels.NearBegin, (n+255)/256, 0, params)
	st.Batch.Launch(kernel, grid, kernels.NearShared(tiles, int(p.Chunks)), params)
	st.Batch.Launch(kernels.NearScore, n*int(p.Parts), 0, params)
}

// putNearest enqueues the copy of the queries as those of each part of a field are compared with them: parts whose codes have the same
// centre take the same.
func (l *batch) putNearest(p *kernels.NearParams, field *vectorSet) []kernels.NearParams {
	n := len(l.plans)
	values, at := layout.Space[float32](l.st.Buffers, n*int(p.Padded))
	p.Values = at
	parts := make([]kernels.NearParams, len(field.parts))
	for i, of := range field.parts {
		own := &parts[i]
		if *own = *p; i > 0 && of.SameCentre(field.parts[i-1]) {
			*own = parts[i-1]
		} else {
			l.putSums(own, of, values)
			values = nil // the same for all
		}
		own.Docs, own.Metas, own.High, own.Low, own.Floats, own.Base = of.Docs, of.Metas, of.High, of.Low, of.Floats, field.bases[i]
		if field.coded { // of some, perhaps, there are floats
			own.Floats = 0
		}
	}
	return parts
}

// putSums enqueues the copy of the queries as they are compared with codes of a part. Their values go to values, unless that is nil.
func (l *batch) putSums(p *kernels.NearParams, of *residency.Vectors, values []float32) {
	n, tiles := len(l.plans), (len(l.plans)+kernels.NearTile-1)/kernels.NearTile
	queries, at := layout.Space[kernels.NearQuery](l.st.Buffers, n)
	p.Queries = at
	size := kernels.NearTile * kernels.NearChunk * int(p.Chunks)
	codes, at := layout.Space[byte](l.st.Buffers, tiles*size)
	p.Codes = at
	clear(codes[(tiles-1)*size:]) // the last tile may have fewer queries; what a chunk has behind dimensions is multiplied by 0
	wide := sized(&l.wide, n)
	live := kernels.Ptr(0)
	if l.plans[0].near.field.deleted > 0 {
		live = l.x.docs.Live
	}
	l.each(tiles, func(tile int, coder *vector.Coder) {
		for j := kernels.NearTile * tile; j < min(kernels.NearTile*(tile+1), n); j++ {
			s := l.plans[j].near.Sums(coder)
			queries[j] = queryOf(&s)
			if queries[j].Filter = l.plans[j].within; queries[j].Filter == 0 {
				queries[j].Filter = live
			}
			if wide[j] = s.Wide; values != nil {
				copy(values[j*int(p.Padded):], s.Values)
			}
			interleave(codes[tile*size:][:size], j%kernels.NearTile, s.Codes)
		}
	}, of.Coder)
	for _, w := range wide {
		p.Wide = max(p.Wide, upFloat(w))
	}
}

// each calls f for each number below n, in several goroutines, with a Coder for each.
func (l *batch) each(n int, f func(i int, c *vector.Coder), coder func() *vector.Coder) {
	var next atomic.Int64
	work := func() {
		c := coder()
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(i, c)
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// upFloat returns a float32 that is not below v, which is not negative, by as much as kernels round.
func upFloat(v float64) float32 { return float32(v * (1 + 0x1p-20)) }

// queryOf returns a query as near.cu takes it.
func queryOf(s *vector.Sums) kernels.NearQuery {
	return kernels.NearQuery{A: s.A, AT: s.AT, B: s.B, BT: s.BT, Rest: upFloat(s.Rest), Norm: s.Norm, Init: int32(s.Zero), Sum: int32(s.Sum), Low: s.Low, LowT: s.LowT, LowB: s.LowB}
}

// interleave puts the codes of query number j of a tile where the lanes of a warp take them: a chunk of a plane has 16 words, of
// which lane t of a row takes those from 4t on, one in each step. Word w of a group has dimensions 4w to 4w+3, and from 32 on behind these in its
// upper halves of bytes.
func interleave(tile []byte, j int, codes []int8) {
	for at := 0; at+64 <= len(codes); at += 64 {
		chunk, odd := at/128, at/64%2
		for word := range 8 {
			w := 8*odd + word
			lane, step := 4*j+w/4, w%4
			to := tile[((2*chunk+step/2)*32+lane)*16+step%2*8:][:8]
			for b := range 4 {
				to[b], to[4+b] = byte(codes[at+4*word+b]), byte(codes[at+32+4*word+b])
			}
		}
	}
}

// runNearest answers Nearests, those again that had no room for their candidates. The CPU answers those that have none then.
func (s *scratch) runNearest(ctx context.Context, plans []*plan) error {
	if err := s.run(ctx, plans); err != nil {
		return err
	}
	again := overflowed(plans)
	for _, p := range again {
		if p.overflow, p.all = false, true; p.near.field.coded {
			p.k = s.x.maxK()
		}
	}
	if err := s.run(ctx, again); err != nil {
		return err
	}
	for _, p := range overflowed(again) {
		p.leave(reasonKeys)
	}
	return nil
}

// nearestOf decodes keys of near.cu.
func nearestOf(hits []search.Hit, keys []byte) {
	for i := range hits {
		key := binary.LittleEndian.Uint64(keys[8*i:])
		b := uint32(key >> 32)
		if b>>31 != 0 {
			b &^= 1 << 31
		} else {
			b = ^b
		}
		hits[i] = search.Hit{Doc: ^uint32(key), Score: math.Float32frombits(b)}
	}
}
