package segment

import (
	"encoding/binary"
	"math"
)

// fitLR returns the least-squares line through the first element of a list and
// the last of every block, without deviations. Products are rounded one by one,
// so that every platform fits the same line.
func fitLR(first uint32, last []uint32, n, blockLen int) LinearRegression {
	at := func(i int) (x, y float64) {
		if i < 0 {
			return float64(first), 0
		}
		return float64(last[i]), float64(min((i+1)*blockLen, n) - 1)
	}
	var sx, sy float64
	for i := -1; i < len(last); i++ {
		x, y := at(i)
		sx, sy = sx+x, sy+y
	}
	count := float64(len(last) + 1)
	mx, my := sx/count, sy/count
	var sxx, sxy float64
	for i := -1; i < len(last); i++ {
		x, y := at(i)
		sxx += float64((x - mx) * (x - mx))
		sxy += float64((x - mx) * (y - my))
	}
	slope := min(max(sxy/sxx, 0), 1)
	const one = 1 << 32
	inv := uint64(math.Round(float64(slope * one)))
	base := my - float64(float64(inv)/one*mx)
	base = min(max(base, -1<<29), 1<<29)
	return LinearRegression{Inv: inv, Base: int64(math.Round(float64(base * one)))}
}

// deviation widens left and right to the deviations of docs, elements first and
// on of a list.
func (r *LinearRegression) deviation(docs []uint32, first int, left, right int64) (int64, int64) {
	hi, lo := int64(math.MinInt64), int64(math.MaxInt64)
	i := int64(first)
	for _, d := range docs {
		v := (int64(uint64(d)*r.Inv)+r.Base)>>32 - i
		hi, lo = max(hi, v), min(lo, v)
		i++
	}
	return max(left, hi), max(right, -lo)
}

// put encodes r.
func (r *LinearRegression) put(b []byte) {
	binary.LittleEndian.PutUint64(b, r.Inv)
	binary.LittleEndian.PutUint64(b[8:], uint64(r.Base))
	binary.LittleEndian.PutUint32(b[16:], r.Left)
	binary.LittleEndian.PutUint32(b[20:], r.Right)
}
