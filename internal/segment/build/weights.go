package build

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/segment"
)

// checkWeights returns an error for the first of weights, those of postings from index at of their list
// on, that is impossible.
func checkWeights(at int, weights []uint32) error {
	for i, w := range weights {
		if w == 0 || w > segment.MaxWeight {
			return &codec.EncodeError{Index: at + i, Value: w, Reason: "weight is not from 1 to 255"}
		}
	}
	return nil
}

// listMaxima returns the Maxima of a list from those of its blocks.
func listMaxima(blocks []format.Quad) format.Quad {
	most := uint8(0)
	for _, q := range blocks {
		most = max(most, format.Maxima(q).Max())
	}
	return format.Quad(most)
}

// checkMaxima compares a block that is copied with its Maxima, and returns the sum of its weights and
// what is wrong, or "".
func checkMaxima(l *segment.List, block int, weights []uint32) (uint64, string) {
	if l.Maxima(block) != format.MaximaOf(weights, l.BlockLen) || codec.CheckFreqs(weights) != nil {
		return 0, "the greatest weights are not those that the block says, or a weight is 0"
	}
	return sum(weights), ""
}
