package segment

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
)

// MaxWeight is the greatest weight of a posting in a field of impacts.
const MaxWeight = 255

// holdsImpacts reports whether the list of e is one of a field of impacts.
func (ls Lists) holdsImpacts(e Entry) bool {
	return ls.s.impacts && ls.s.fields[ls.s.FieldOf(e)].HasImpacts()
}

// checkSmall returns an error if freqs, those of the list of e, which has no extent, are weights and
// impossible.
func (ls Lists) checkSmall(e *Entry, freqs []uint32) error {
	if ls.s.impacts && ls.holdsImpacts(*e) && heavy(freqs) >= 0 {
		return ls.Locate(format.Corrupt("a weight is above %d", MaxWeight), *e, format.NoBlock)
	}
	return nil
}

// checkImpacts is the end of DecodeFreqs for weights, those of blocks from block on.
func (l *List) checkImpacts(weights []uint32, block int) (int, error) {
	at := heavy(weights)
	if at < 0 {
		return len(weights), nil
	}
	at /= l.BlockLen
	return at * l.BlockLen, l.Locate(format.Corrupt("a weight is above %d", MaxWeight), block+at)
}

// heavy returns the index of the first weight above MaxWeight, or -1.
func heavy(weights []uint32) int {
	if bitpack.Bits(weights) <= 8 {
		return -1
	}
	for i, w := range weights {
		if w > MaxWeight {
			return i
		}
	}
	return -1
}

// Maxima returns the greatest weights in a block of an extent of weights (HasImpacts).
func (l *List) Maxima(block int) format.Maxima { return format.Maxima(l.Quads[block]) }

// MaxWeight returns the greatest weight of a list in a field of impacts, which for an extent is what
// that says. Of other lists without an extent it is the greatest frequency.
func (l *List) MaxWeight() uint8 {
	if l.extent != nil {
		return format.Maxima(l.Quad).Sub(0)
	}
	most := uint32(0)
	for _, w := range l.freqs[:l.N] {
		most = max(most, w)
	}
	return uint8(min(most, MaxWeight))
}

// Bound returns q, Quad or one of Quads, as a quad also if l holds weights: then that of the greatest weight and a length
// of 1.
func (l *List) Bound(q format.Quad) format.Quad {
	if !l.HasImpacts {
		return q
	}
	pair := uint64(format.EncodeTF(uint32(format.Maxima(q).Max()))) | 1<<8
	return format.Quad(pair * 0x0001000100010001)
}
