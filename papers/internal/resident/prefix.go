package resident

import (
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	own "github.com/pinion-index/pinion/papers/kernels"
)

// Prefix makes docIDs of the gaps of lists in device memory, by one sum over each list: the
// global prefix sum of Ding 2009, section 6.
type Prefix struct {
	p own.PrefixParams
}

// NewPrefix prepares the sums of lists whose gaps, the first of them from -1, lie at gaps: list
// i has lengths[i] from starts[i] on, which is a multiple of 4. They are replaced.
func NewPrefix(m *Memory, gaps kernels.Ptr, starts, lengths []int) (*Prefix, error) {
	var tiles []own.PrefixTile
	for i, n := range lengths {
		for at := 0; at < n; at += own.MostPrefix {
			t := own.PrefixTile{At: uint32(starts[i] + at), N: uint32(min(n-at, own.MostPrefix))}
			if at == 0 {
				t.First = 1
			}
			tiles = append(tiles, t)
		}
	}
	states := m.Room(8*len(tiles) + 4)
	return &Prefix{own.PrefixParams{In: gaps, Out: gaps, Tiles: m.Put(kernels.Slice(tiles)), States: states, Next: states + kernels.Ptr(8*len(tiles)), NTiles: uint32(len(tiles))}}, m.Err()
}

// Enqueue appends the sums to a batch: two operations, the first of which clears the states.
func (x *Prefix) Enqueue(g *cuda.Batch) {
	g.Fill(x.p.States, int64(8*x.p.NTiles+4))
	g.Launch(own.Prefix, int(x.p.NTiles), 0, kernels.Bytes(&x.p))
}
