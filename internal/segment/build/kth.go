package build

import (
	"math/bits"

	"github.com/pinion-index/pinion/format"
)

// kthCounter counts the postings of a list by impact and gives its KthImpacts.
// The zero value is empty. It holds 32 KiB.
type kthCounter struct {
	count [32][256]uint32 // by frequency (31: or more) and length code, rounded up
	rows  uint32          // bit t: row t has counts
	least uint32          // least length code counted
	most  uint32          // greatest length code counted
}

// ceilCodes has the codes of lengths up to 1023, rounded up.
var ceilCodes = func() (t [1024]uint8) {
	for dl := range t {
		t[dl], _ = format.CeilLen(uint32(dl))
	}
	return t
}()

// Add counts postings: freqs[i] in a document of lens[i] tokens.
func (k *kthCounter) Add(freqs, lens []uint32) {
	lens = lens[:len(freqs)]
	rows, least, most := uint32(0), uint32(255), k.most
	if k.rows != 0 {
		least = k.least
	}
	for i, tf := range freqs {
		t := min(tf, 31)
		dl := lens[i]
		var c uint32
		if dl < uint32(len(ceilCodes)) {
			c = uint32(ceilCodes[dl])
		} else if code, ok := format.CeilLen(dl); ok {
			c = uint32(code)
		} else {
			continue
		}
		k.count[t][c&255]++
		rows |= 1 << t
		least, most = min(least, c), max(most, c)
	}
	k.rows, k.least, k.most = k.rows|rows, least, most
}

// Take returns the best pair for every k of format.KthValues() among the postings counted,
// and empties the counter.
func (k *kthCounter) Take(model *impactModel) [3]format.KthImpact {
	best := [3]format.KthImpact{format.NoKth(), format.NoKth(), format.NoKth()}
	var score [3]float32
	var sum [256]uint32 // postings with frequency t or more, by length code
	lo, hi := k.least, k.most+1
	for rows := k.rows; rows != 0; {
		t := 31 - bits.LeadingZeros32(rows)
		rows &^= 1 << t
		row, sum := k.count[t][lo:hi], sum[lo:hi]
		n, next := uint32(0), 0
		for i, count := range row {
			sum[i] += count
			n += sum[i]
			for next < 3 && n >= uint32(format.KthValues()[next]) {
				c := uint8(int(lo) + i)
				if s := model.score(uint8(t), c); t > 0 && s > score[next] {
					score[next], best[next] = s, format.KthImpact{TF: uint8(t), Len: c}
				}
				next++
			}
		}
		clear(row)
	}
	k.rows, k.most = 0, 0
	return best
}
