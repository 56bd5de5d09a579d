package posting

import "github.com/pinion-index/pinion/reader"

// End is the docID of an exhausted list; it is above every docID.
const End = reader.NoDoc

// LowerBound returns the index of the first element of v, which ascends, that is at least target,
// or len(v).
func LowerBound(v []uint32, target uint32) int {
	lo, hi := 0, len(v)
	for lo < hi {
		m := int(uint(lo+hi) / 2)
		if v[m] < target {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}
