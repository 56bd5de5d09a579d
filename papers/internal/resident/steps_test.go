//go:build emu && cgo

package resident

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/ef"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
	"github.com/pinion-index/pinion/internal/codec/pfordelta"
	"github.com/pinion-index/pinion/internal/codec/rice"
)

// TestPairs intersects lists of all shapes with all levels of recursion.
func TestPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	lists := shapes(rng)
	m := memory(t, device(t, 7))
	for i, b := range lists {
		j := rng.IntN(len(lists))
		a := lists[j]
		p := NewPair(m, a, b)
		for levels := range MaxLevels + 1 {
			got, _, err := p.Intersect(levels)
			if err != nil {
				t.Fatal(err)
			}
			if want := intersect([][]uint32{a, b}, []int{0, 1}); !slices.Equal(got, want) {
				t.Errorf("lists %d and %d, %d levels: %d docIDs, want %d", j, i, levels, len(got), len(want))
			}
		}
	}
}

// TestSteps compares ranked queries with scores summed over all postings.
func TestSteps(t *testing.T) {
	const docs = 9000
	rng := rand.New(rand.NewPCG(5, 6))
	var lists [][]uint32
	var freqs [][]uint8
	for _, n := range []int{1, 40, 128, 129, 500, 1300, 3000, 8000} {
		l, f := []uint32{}, []uint8{}
		for _, d := range rng.Perm(docs)[:n] {
			l = append(l, uint32(d))
			f = append(f, uint8(1+rng.IntN(4)*rng.IntN(60)))
		}
		slices.Sort(l)
		lists, freqs = append(lists, l), append(freqs, f)
	}
	level, err := pfordelta.Level(1)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []codec.Codec{bp128.Codec{}, level, newpfd.Codec{}, rice.Codec{}, ef.Codec{}} {
		t.Run(fmt.Sprint(c.ID()), func(t *testing.T) {
			m := memory(t, device(t, uint64(i)))
			x, err := Compress(m, c, lists, freqs, docs)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range []int{10, 1100} {
				if k > 10 && i > 0 { // the codec makes no difference
					continue
				}
				r := x.NewRunner(8000, 8000, k, i%(MaxLevels+1))
				queries := [][]int{{0}, {1, 3}, {2, 4, 7}, {3, 5, 6, 7}, {5, 6}}
				if k > 10 {
					queries = [][]int{{6, 7}}
				}
				for _, q := range queries {
					for _, and := range []bool{true, false} {
						run := r.Or
						if and {
							run = r.And
						}
						got, err := run(q)
						if err != nil {
							t.Fatal(err)
						}
						if want := x.Best(lists, freqs, q, and, k); !slices.Equal(got.Keys, want) {
							t.Fatalf("query %v, conjunction %v, k %d: %d keys, want %d", q, and, k, len(got.Keys), len(want))
						}
					}
				}
			}
		})
	}
}

// TestSelections selects in all ways from scores with ties and from more than a group of
// groups.
func TestSelections(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{1, 511, 513, 5_000, 270_000} {
		scores := make([]float32, n)
		for i := range scores {
			if rng.IntN(3) > 0 {
				scores[i] = float32(rng.IntN(1 + n/4))
			}
		}
		for _, k := range []int{1, 10, 600} {
			if k != 10 && n > 5_000 {
				continue
			}
			m := memory(t, device(t, uint64(n)))
			s := NewSelection(m, scores, k)
			want := bestOf(scores, k)
			for i, run := range []func() ([]uint64, Selected, error){s.Maxima, s.Radix, s.Buckets} {
				if i > 0 && n > 5_000 { // levels are those of maxima
					continue
				}
				got, _, err := run()
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d of %d, way %d: %d keys, want %d", k, n, i, len(got), len(want))
				}
			}
		}
	}
}

// bestOf sorts all positive scores.
func bestOf(scores []float32, k int) []uint64 {
	var keys []uint64
	for i, s := range scores {
		if s > 0 {
			keys = append(keys, uint64(math.Float32bits(s))<<32|uint64(^uint32(i)))
		}
	}
	slices.Sort(keys)
	slices.Reverse(keys)
	return keys[:min(k, len(keys))]
}

// TestCompressed intersects compressed lists by merging and by searching.
func TestCompressed(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for i, n := range [][2]int{{1, 1}, {1, 5000}, {130, 200}, {700, 9000}, {40, 40_000}} {
		a, b := rising(rng, n[0], 40*n[1]), rising(rng, n[1], 40*n[1])
		for j := range a { // half of a is in b
			if rng.IntN(2) == 0 {
				a[j] = b[rng.IntN(len(b))]
			}
		}
		slices.Sort(a)
		a = slices.Compact(a)
		want := intersect([][]uint32{a, b}, []int{0, 1})
		m := memory(t, device(t, uint64(i)))
		x, err := NewCompressed(m, ef.Codec{}, a, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, transfer := range []bool{true, false} {
			for name, run := range map[string]func(bool) ([]uint32, float64, error){"merge": x.Merge, "search": x.Search} {
				if transfer { // nothing of the lists may be left there
					m.Set(x.a.atPayload, make([]byte, len(x.a.payload)))
					m.Set(x.b.atPayload, make([]byte, len(x.b.payload)))
				} else {
					m.Set(x.a.atPayload, x.a.payload)
					m.Set(x.b.atPayload, x.b.payload)
				}
				got, _, err := run(transfer)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s of %v, transfer %v: %d docIDs, want %d", name, n, transfer, len(got), len(want))
				}
			}
		}
	}
}

func rising(rng *rand.Rand, n, below int) []uint32 {
	seen := map[uint32]bool{}
	for len(seen) < n {
		seen[uint32(rng.IntN(below))] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
