//go:build emu && cgo

package resident

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu"
)

// device opens an emulator that runs threads in an order given by a seed.
func device(t *testing.T, seed uint64) *gpu.Device {
	t.Helper()
	d, err := gpu.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	d.Driver().(*cuda.Emulator).Seed = seed
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// memory returns a Memory that must not have failed in the end.
func memory(t *testing.T, d *gpu.Device) *Memory {
	t.Helper()
	m := On(d)
	t.Cleanup(func() {
		if err := m.Err(); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// shapes are lists of many shapes, of docIDs below 2^31.
func shapes(rng *rand.Rand) [][]uint32 {
	of := func(n int, gap func(i int) int) (out []uint32) {
		at := uint64(rng.IntN(50))
		for i := range n {
			if at >= 1<<31 {
				break
			}
			out = append(out, uint32(at))
			at += 1 + uint64(gap(i))
		}
		return out
	}
	var out [][]uint32
	for _, n := range []int{1, 2, 3, 127, 128, 129, 700, 3000} {
		out = append(out,
			of(n, func(int) int { return 0 }),
			of(n, func(int) int { return rng.IntN(8) }),
			of(n, func(i int) int { return i }),
			of(n, func(i int) int { return 1 << min(i/8, 24) }),
			of(n, func(int) int { return 1 << rng.IntN(12) }),
			of(n, func(i int) int { // bursts
				if i%100 == 99 {
					return 20000
				}
				return rng.IntN(2)
			}))
	}
	return append(out, []uint32{1<<31 - 1}, []uint32{0, 1<<31 - 1})
}

// intersect returns the docIDs that all lists of a query have.
func intersect(lists [][]uint32, q []int) []uint32 {
	n := map[uint32]int{}
	for _, l := range q {
		for _, d := range lists[l] {
			n[d]++
		}
	}
	out := []uint32{}
	for _, d := range lists[q[0]] {
		if n[d] == len(q) {
			out = append(out, d)
		}
	}
	return out
}

// TestWays compares all ways of searching with counting, on lists of all shapes.
func TestWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	lists := shapes(rng)
	var queries [][]int
	for range 20 {
		q := rng.Perm(len(lists))[:1+rng.IntN(5)]
		slices.SortFunc(q, func(a, b int) int { return len(lists[a]) - len(lists[b]) })
		queries = append(queries, q)
	}
	for i := range lists { // each list is searched for all of another's
		queries = append(queries, []int{rng.IntN(len(lists)), i})
	}
	for i, w := range Ways() {
		t.Run(w.Name, func(t *testing.T) {
			m := memory(t, device(t, uint64(i)))
			b := Load(m, lists).For(m, w).NewBatch(m, queries)
			want := func(q int) []uint32 { return intersect(lists, queries[q]) }
			if _, err := Measure([]*Batch{b}, 1, 1, want); err != nil {
				t.Fatal(err)
			}
			b.Multiprocessors = 1
			if _, err := Measure([]*Batch{b}, 1, 1, want); err != nil {
				t.Fatal(err)
			}
		})
	}
}
