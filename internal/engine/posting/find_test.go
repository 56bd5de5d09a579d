package posting

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFindTwins compares the implementation of this build, and the portable one, with bisection.
func TestFindTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func(n int, span uint32) []uint32 {
		docs := make([]uint32, n)
		for i := range docs {
			docs[i] = End - 1 - rng.Uint32N(span) // also docIDs of 2^31 and more
			if rng.IntN(2) == 0 {
				docs[i] -= 1 << 31
			}
		}
		slices.Sort(docs)
		return slices.Compact(docs)
	}
	for range 3000 {
		span := 1 + rng.Uint32N(400)
		members := draw(1+rng.IntN(ChunkLen), span)
		chunk := (*[ChunkLen]uint32)(append(slices.Clone(members), slices.Repeat([]uint32{End}, ChunkLen-len(members))...))
		docs := draw(rng.IntN(300), span+rng.Uint32N(400))
		i, first := 0, rng.IntN(1000)
		if len(docs) > 0 {
			i = rng.IntN(len(docs))
		}
		var kept []uint32
		var at []uint64
		next := i
		for ; next < len(docs) && docs[next] <= chunk[ChunkLen-1]; next++ {
			if j, ok := slices.BinarySearch(members, docs[next]); ok {
				kept, at = append(kept, uint32(next)), append(at, uint64(first+j))
			}
		}
		for name, find := range map[string]func([]uint32, int, *[ChunkLen]uint32, int, []uint32, []uint64) (int, int){"this build": Find, "portable": findPortable} {
			k, a := make([]uint32, len(docs)-i), make([]uint64, len(docs)-i)
			n, end := find(docs, i, chunk, first, k, a)
			if end != next || !slices.Equal(k[:n], kept) || !slices.Equal(a[:n], at) {
				t.Fatalf("%s: %v from %d in %v: %v at %v, next %d; want %v at %v, next %d", name, docs, i, members, k[:n], a[:n], end, kept, at, next)
			}
		}
	}
}
