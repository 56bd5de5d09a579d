package codectest

import (
	"slices"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/simd"
)

// hostileRuns decodes the docIDs of s in a row, from every block on at every tier, and
// fails t unless it gets what decoding block by block gives: as many values, the same,
// and an error where that has one.
func hostileRuns(t fataler, c codec.Codec, s *codec.Sequence) {
	r, ok := c.(codec.RunCodec)
	if !ok || s.Last == nil {
		return
	}
	blocks := codec.Blocks(s.N, c.BlockLen())
	for _, tier := range simd.Tiers() {
		for from := range blocks {
			var want []uint32
			var wantErr error
			for i := from; i < blocks && wantErr == nil; i++ {
				var got []uint32
				if got, wantErr = hostileBlock(t, c, s, i, tier); wantErr == nil {
					want = append(want, got...)
				}
			}
			n, got, err := hostileRun(t, r, s, from, blocks-from, tier)
			if (err == nil) != (wantErr == nil) || n != len(want) || !slices.Equal(got, want) {
				t.Fatalf("blocks %d to %d at %v: %d values in a row and error %v, %d one by one and error %v",
					from, blocks, tier, n, err, len(want), wantErr)
			}
		}
	}
}

func hostileRun(t fataler, c codec.RunCodec, s *codec.Sequence, from, count int, tier simd.Tier) (n int, got []uint32, err error) {
	defer simd.SetLevel(tier)()
	dst := newCanary(count * c.BlockLen())
	n, err = c.DecodeDocsRun(dst.values, s, from, count)
	dst.check(t)
	if err != nil {
		checkCorrupt(t, err)
	}
	return n, dst.values[:n], err
}
