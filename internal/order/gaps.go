package order

import "math"

// fraction is the number of fraction bits of gains.
const fraction = 8

// gapTableLen bounds the length of a gapTable; values beyond it are computed.
const gapTableLen = 1 << 16

// gapTable gives the cost of one more posting. If d of the n documents of a half
// have a term, its gaps there cost about d*log2(n/(d+1)) bits (Dhulipala 2016,
// section 4.1). Of that, d*log2(n) does not depend on the half, since the halves
// are of equal size. The table holds F(d)-F(d-1) of F(d) = d*log2(d+1), in fixed
// point.
type gapTable []int32

func newGapTable(docs uint32) gapTable {
	t := make(gapTable, min(uint64(docs)+2, gapTableLen))
	for d := range t {
		t[d] = gapStep(uint32(d))
	}
	return t
}

// at returns F(d)-F(d-1).
func (t gapTable) at(d uint32) int32 {
	if int64(d) < int64(len(t)) {
		return t[d]
	}
	return gapStep(d)
}

func gapStep(d uint32) int32 {
	if d == 0 {
		return 0
	}
	x := float64(d)
	after := float64(x * math.Log2(x+1))
	before := float64((x - 1) * math.Log2(x))
	return int32(math.Round((after - before) * (1 << fraction)))
}
