//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
)

// TestSelection compares the selection with sorting: many and few keys, in one group
// and in several that are not full, ascending and descending, with equal scores.
func TestSelection(t *testing.T) {
	type job struct{ n, groups, k, scores, order int }
	jobs := []job{{0, 1, 10, 5, 0}, {1, 1, 1, 5, 0}, {9, 1, 10, 5, 0}, {10, 1, 10, 1, 0}, {300, 1, 10, 7, 1}, {5000, 1, 1, 3, -1},
		{5000, 1, 100, 50, 0}, {6000, 1, 1000, 1 << 30, 1}, {999, 1, 1000, 9, -1}, {4096, 1, 1024, 1, 0}, {3000, 13, 20, 40, 0},
		{700, 40, 1000, 3, 0}, {0, 3, 7, 1, 0}}
	for seed := range uint64(2) {
		t.Run(fmt.Sprintf("seed%d", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 12))
			rig := newRig(t, seed)
			var descs []kernels.Select
			var wants [][]uint64
			outs := rig.put(make([]byte, len(jobs)*(8*1024+16)), 64)
			for i, j := range jobs {
				keys, counts, all := drawKeys(r, j.n, j.groups, j.scores)
				sortKeys(keys, j.order)
				slices.SortFunc(all, func(a, b uint64) int { return cmp.Compare(b, a) })
				wants = append(wants, all[:min(len(all), j.k)])
				at := outs + kernels.Ptr(i*(8*1024+16))
				descs = append(descs, kernels.Select{Keys: rig.put(kernels.Slice(keys), 64), Counts: rig.put(kernels.Slice(counts), 64),
					Groups: uint32(j.groups), Stride: uint32(len(keys) / j.groups), K: uint32(j.k), Out: at, OutCount: at + 8*1024})
			}
			p := kernels.SelectParams{Jobs: rig.put(kernels.Slice(descs), 64), NJobs: uint32(len(jobs)), Buffer: 2048}
			var b cuda.Batch
			b.Launch(kernels.SelectBest, len(jobs), 8*2048, kernels.Bytes(&p))
			n := len(jobs) * (8*1024 + 16)
			b.CopyOut(rig.host[:n], outs)
			rig.do(&b)
			for i, want := range wants {
				out := rig.host[i*(8*1024+16):]
				if n := format.Uint32s(out[8*1024 : 8*1024+4])[0]; int(n) != len(want) {
					t.Fatalf("job %d %+v: %d keys, not %d", i, jobs[i], n, len(want))
				}
				if got := format.Uint64s(out[:8*len(want)]); !slices.Equal(got, want) {
					t.Fatalf("job %d %+v: got %x, want %x", i, jobs[i], got, want)
				}
			}
		})
	}
}

// drawKeys draws n keys in groups of a common stride with a given number of different
// scores.
func drawKeys(r *rand.Rand, n, groups, scores int) (keys []uint64, counts []uint32, all []uint64) {
	stride := max(n/groups*2, 2)
	if groups == 1 {
		stride = n + 1
	}
	keys, counts = make([]uint64, groups*stride), make([]uint32, groups)
	for i := range keys {
		keys[i] = ^uint64(0) // absent keys must not be read
	}
	for d := range n {
		g := r.IntN(groups)
		if int(counts[g]) == stride {
			continue
		}
		k := uint64(1+r.IntN(scores))<<32 | uint64(^uint32(d))
		keys[g*stride+int(counts[g])] = k
		counts[g]++
		all = append(all, k)
	}
	return keys, counts, all
}

// sortKeys sorts the keys of a single group in either direction, except for the absent
// last one.
func sortKeys(keys []uint64, order int) {
	if order != 0 {
		slices.SortFunc(keys[:len(keys)-1], func(a, b uint64) int { return order * cmp.Compare(a, b) })
	}
}
