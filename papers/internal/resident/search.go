package resident

import (
	"fmt"
	"slices"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	own "github.com/pinion-index/pinion/papers/kernels"
)

// Times are what a batch of conjunctions took, in seconds. Device times are those between
// events, 0 on the emulator.
type Times struct {
	Batch  float64 // from the queries in host memory to the docIDs there
	In     float64 // copy of the queries to the device
	Search float64 // the way's kernel
	Gather float64 // scan and compaction
}

// Batch is a batch of conjunctions, to be answered again and again.
type Batch struct {
	s       *Searched
	m       *Memory
	queries int
	in      []byte // queries, terms, tiles and first tiles, as in device memory
	at      kernels.Ptr
	search  own.SearchParams
	gather  kernels.GatherParams
	starts  []byte
	found   []byte
	claim   kernels.Ptr
	// Multiprocessors is how many of the device's a run may use; 0: all.
	Multiprocessors int
}

// NewBatch lays a batch out. Queries are indexes of lists, the shortest first.
func (s *Searched) NewBatch(m *Memory, queries [][]int) *Batch {
	var qs []own.RawQuery
	var terms, first []uint32
	var tiles []kernels.Tile
	room := 0
	for i, q := range queries {
		qs = append(qs, own.RawQuery{First: uint32(len(terms)), N: uint32(len(q))})
		first = append(first, uint32(len(tiles)))
		for _, l := range q {
			terms = append(terms, uint32(l))
		}
		n := len(s.docs[q[0]])
		room += n
		for at := 0; at < n; at += own.SearchTile {
			tiles = append(tiles, kernels.Tile{Job: uint32(i), First: uint32(at)})
		}
	}
	first = append(first, uint32(len(tiles)))
	b := &Batch{s: s, m: m, queries: len(queries)}
	parts := [][]byte{kernels.Slice(qs), kernels.Slice(terms), kernels.Slice(tiles), kernels.Slice(first)}
	offsets := make([]kernels.Ptr, len(parts))
	size := 0
	for i, p := range parts {
		offsets[i] = kernels.Ptr(size)
		size += (len(p) + 15) &^ 15
	}
	b.in, b.at = m.Pinned(size), m.Room(size)
	for i, p := range parts {
		copy(b.in[offsets[i]:], p)
	}
	n := len(tiles)
	b.claim = m.Room(4)
	b.search = own.SearchParams{Lists: s.descs, Queries: b.at + offsets[0], Terms: b.at + offsets[1], Tiles: b.at + offsets[2],
		Counts: m.Room(4 * n), Out: m.Room(4 * n * own.SearchTile), NTiles: uint32(n)}
	b.gather = kernels.GatherParams{In: b.search.Out, Counts: b.search.Counts, QueryTiles: b.at + offsets[3],
		TileStarts: m.Room(4 * n), Totals: m.Room(4 * len(qs)), Starts: m.Room(4 * (len(qs) + 1)), Out: m.Room(4 * room),
		NQueries: uint32(len(qs)), NTiles: uint32(n), Stride: own.SearchTile, Limit: uint32(room)}
	b.starts, b.found = m.Pinned(4*(len(qs)+1)), m.Pinned(4*room)
	return b
}

// residentBlocks is how many thread blocks of a search kernel a multiprocessor holds.
const residentBlocks = 16

// Run answers the batch.
func (b *Batch) Run() (t Times, err error) {
	var g cuda.Batch
	p, grid := b.search, int(b.search.NTiles)
	start := time.Now()
	g.Record(0)
	g.CopyIn(b.at, b.in)
	if n := b.Multiprocessors; n > 0 {
		p.Claim, p.SMs = b.claim, uint32(n)
		grid = max(b.m.dev.Info().Multiprocessors*residentBlocks, 1)
		g.Fill(b.claim, 4)
	}
	g.Record(1)
	g.Launch(b.s.kernel, grid, 0, kernels.Bytes(&p))
	g.Record(2)
	g.Launch(kernels.SumTiles, blocks(b.queries, 8), 0, kernels.Bytes(&b.gather))
	g.Launch(kernels.ScanQueries, 1, 0, kernels.Bytes(&b.gather))
	g.Launch(kernels.GatherDocs, blocks(int(b.gather.NTiles), 8), 0, kernels.Bytes(&b.gather))
	g.Record(3)
	g.CopyOut(b.starts, b.gather.Starts)
	if _, err = b.m.Run(&g); err != nil {
		return t, err
	}
	if n := format.Uint32s(b.starts)[b.queries]; n > 0 {
		var out cuda.Batch
		out.CopyOut(b.found[:4*n], b.gather.Out)
		if _, err = b.m.Run(&out); err != nil {
			return t, err
		}
	}
	t.Batch = time.Since(start).Seconds()
	t.In, t.Search, t.Gather = b.m.Between(0, 1), b.m.Between(1, 2), b.m.Between(2, 3)
	return t, b.m.Err()
}

// Of returns the docIDs of a query's answer after a Run.
func (b *Batch) Of(query int) []uint32 {
	s := format.Uint32s(b.starts)
	return format.Uint32s(b.found)[s[query]:s[query+1]]
}

// Measure runs batches of the same queries and returns the median times of some runs of
// each. They take turns, so that whatever slows the machine for a while slows all of them.
// want gives the answer of a query; every step-th is compared.
func Measure(batches []*Batch, rounds, step int, want func(query int) []uint32) ([]Times, error) {
	for _, b := range batches {
		if err := b.check(step, want); err != nil {
			return nil, err
		}
	}
	return medians(len(batches), rounds, func(i int) (Times, error) { return batches[i].Run() })
}

// check runs the batch and compares every step-th query's answer.
func (b *Batch) check(step int, want func(query int) []uint32) error {
	clear(b.found)
	if _, err := b.Run(); err != nil {
		return err
	}
	for q := 0; q < b.queries; q += step {
		if got, want := b.Of(q), want(q); !slices.Equal(got, want) {
			return fmt.Errorf("%s, query %d: the device finds %d documents, the lists have %d", b.s.Name, q, len(got), len(want))
		}
	}
	return nil
}

// medians calls run for each of n in turn, a number of rounds, and returns the medians.
func medians(n, rounds int, run func(i int) (Times, error)) ([]Times, error) {
	all := make([][]Times, n)
	for range rounds {
		for i := range all {
			t, err := run(i)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], t)
		}
	}
	out := make([]Times, n)
	for i, of := range all {
		median := func(f func(Times) float64) float64 {
			v := make([]float64, rounds)
			for k := range of {
				v[k] = f(of[k])
			}
			slices.Sort(v)
			return v[rounds/2]
		}
		out[i] = Times{median(func(t Times) float64 { return t.Batch }), median(func(t Times) float64 { return t.In }),
			median(func(t Times) float64 { return t.Search }), median(func(t Times) float64 { return t.Gather })}
	}
	return out, nil
}
