package resident

import (
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	own "github.com/pinion-index/pinion/papers/kernels"
)

// sorting has room for sorting the scores of a Selection.
type sorting struct {
	keys, docs     [2]kernels.Ptr
	counts, totals kernels.Ptr
	top            []byte // the first keys and docIDs
}

func (s *Selection) sorter() *sorting {
	if s.sort == nil {
		tiles := blocks(s.n, own.RadixTile)
		s.sort = &sorting{counts: s.m.Room(4 * 256 * tiles), totals: s.m.Room(4 * 256), top: s.m.Pinned(8 * s.k)}
		for i := range 2 {
			s.sort.keys[i], s.sort.docs[i] = s.m.Room(4*s.n), s.m.Room(4*s.n)
		}
	}
	return s.sort
}

// Radix sorts all scores and takes the first k (Griffin 2018, section 3.1.3).
func (s *Selection) Radix() (keys []uint64, t Selected, err error) {
	var g cuda.Batch
	x, tiles := s.sorter(), blocks(s.n, own.RadixTile)
	p := own.RadixParams{In: s.best.Scores, Counts: x.counts, Totals: x.totals, N: uint32(s.n), Tiles: uint32(tiles)}
	g.Record(0)
	for pass := range 4 {
		p.Shift, p.Out, p.OutDocs = uint32(8*pass), x.keys[pass&1], x.docs[pass&1]
		g.Launch(own.RadixCount, tiles, 0, kernels.Bytes(&p))
		g.Launch(own.RadixScan, 256, 0, kernels.Bytes(&p))
		g.Launch(own.RadixPlace, tiles, 0, kernels.Bytes(&p))
		p.In, p.Docs = p.Out, p.OutDocs
	}
	g.Record(1)
	k := min(s.k, s.n)
	g.CopyOut(x.top[:4*k], p.In)
	g.CopyOut(x.top[4*k:8*k], p.Docs)
	if t.Whole, err = s.m.Run(&g); err != nil {
		return nil, t, err
	}
	t.Kernels = s.m.Between(0, 1)
	words := format.Uint32s(x.top)
	for i := range k {
		if bits := ^words[i]; bits != 0 {
			keys = append(keys, uint64(bits)<<32|uint64(^words[k+i]))
		}
	}
	return keys, t, s.m.Err()
}

// bucketing has room for a bucket selection.
type bucketing struct {
	state, counts kernels.Ptr
	first, now    []byte
}

// rounds is how often a bucket is divided before the host looks whether that was enough.
const rounds = 3

// Buckets selects by bucket select (Griffin 2018, section 3.1.3), and sorts the result on
// the CPU.
func (s *Selection) Buckets() (keys []uint64, t Selected, err error) {
	const size = 48 // of a state
	if s.bucket == nil {
		s.bucket = &bucketing{s.m.Room(size), s.m.Room(4 * own.BucketCount), s.m.Pinned(size), s.m.Pinned(size)}
	}
	b := s.bucket
	copy(b.first, kernels.Bytes(&own.BucketState{Hi: math.MaxUint64, NextLo: math.MaxUint64, Want: uint32(s.k)}))
	p := own.BucketParams{Scores: s.best.Scores, State: b.state, Counts: b.counts, Out: s.best.Out, OutCount: s.best.OutCount, N: uint32(s.n), K: uint32(s.k)}
	grid := min(blocks(s.n, 256), 8*max(s.m.dev.Info().Multiprocessors, 1))
	start := time.Now()
	var g cuda.Batch
	g.CopyIn(b.state, b.first)
	g.Fill(b.counts, 4*own.BucketCount)
	for {
		g.Record(0)
		for range rounds {
			g.Launch(own.Range, grid, 0, kernels.Bytes(&p))
			g.Launch(own.Buckets, grid, 0, kernels.Bytes(&p))
			g.Launch(own.Pick, 1, 0, kernels.Bytes(&p))
		}
		g.Fill(s.best.OutCount, 4)
		g.Launch(own.Selected, grid, 0, kernels.Bytes(&p))
		g.Record(1)
		g.CopyOut(b.now, b.state)
		g.CopyOut(s.out, s.best.Out)
		if _, err = s.m.Run(&g); err != nil {
			return nil, t, err
		}
		t.Kernels += s.m.Between(0, 1)
		if words := format.Uint32s(b.now); words[size/4-1] != 0 {
			break
		}
		g.Reset()
	}
	words := format.Uint32s(s.out)
	n := int(words[2*s.k])
	if n > s.k {
		return nil, t, fmt.Errorf("resident: bucket select found %d keys, not %d", n, s.k)
	}
	for i := range n {
		keys = append(keys, uint64(words[2*i])|uint64(words[2*i+1])<<32)
	}
	slices.Sort(keys)
	slices.Reverse(keys)
	t.Whole = time.Since(start).Seconds()
	return keys, t, s.m.Err()
}

// CopyOut copies all scores to the host, for a selection there (the choice of Griffin 2018).
// It returns no keys.
func (s *Selection) CopyOut(take func([]float32)) ([]uint64, Selected, error) {
	if s.scores == nil {
		s.scores = s.m.Pinned(4 * s.n)
	}
	start := time.Now()
	var g cuda.Batch
	g.Record(0)
	g.CopyOut(s.scores, s.best.Scores)
	g.Record(1)
	if _, err := s.m.Run(&g); err != nil {
		return nil, Selected{}, err
	}
	take(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(s.scores))), s.n))
	t := Selected{Whole: time.Since(start).Seconds()}
	t.Kernels = s.m.Between(0, 1)
	return nil, t, s.m.Err()
}

// Score returns the score of a key.
func Score(key uint64) float32 { return math.Float32frombits(uint32(key >> 32)) }
