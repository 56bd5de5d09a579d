package regress

import "encoding/binary"

// fracBits is the precision of the fraction within 128 elements: a sum of 128
// fractions stays below 2^32.
const fracBits = 25

// Line is a line in fixed point.
type Line struct {
	Slope     uint64 // docIDs per element, 32 fractional bits
	Intercept uint32 // mod 2^32
}

// From returns the line relative to element origin.
func (l Line) From(origin int) Local {
	p := l.Slope * uint64(origin)
	return Local{
		Start:    l.Intercept + uint32(p>>32),
		Step:     uint32(l.Slope >> 32),
		Frac:     uint32(p) >> (32 - fracBits),
		FracStep: uint32(l.Slope) >> (32 - fracBits),
	}
}

// Local is a line over up to 128 elements.
type Local struct {
	Start    uint32 // value at element 0
	Step     uint32 // whole docIDs per element
	Frac     uint32 // fraction at element 0, 25 bits
	FracStep uint32 // fraction per element, 25 bits
}

// At returns the value at element j, 0 to 127.
func (l Local) At(j int) uint32 {
	return l.Start + l.Step*uint32(j) + (l.Frac+l.FracStep*uint32(j))>>fracBits
}

// Add adds the line to v, at most 128 elements, and reports whether the results strictly
// increase from prev and are at most codec.MaxDoc. prev must be codec.NoDoc or at most
// codec.MaxDoc.
func (l Local) Add(v []uint32, prev uint32) bool {
	n, ok := l.addVectors(v, prev)
	if n > 0 {
		prev, v = v[n-1], v[n:]
		l.Start += l.Step * uint32(n)
		l.Frac += l.FracStep * uint32(n)
	}
	return l.addGo(v, prev) && ok
}

// addGo is Add without vector instructions.
func (l Local) addGo(v []uint32, prev uint32) bool {
	next, bad := prev+1, uint32(0)
	at, frac := l.Start, l.Frac
	for i, x := range v {
		d := x + at + frac>>fracBits
		bad |= d | (d - next) // both are less than 2^31 unless d decreases or is out of range
		next = d + 1
		v[i] = d
		at += l.Step
		frac += l.FracStep
	}
	return bad>>31 == 0
}

// Fit returns the least-squares line of docs, with element origin 0, rounded to fixed
// point. Its intercept does not include M. docs must not be empty.
func Fit(docs []uint32) Line {
	n := len(docs)
	if n == 1 {
		return Line{Intercept: docs[0]}
	}
	// Twice the sum of (i - mean of i) * (docID - first), in 128 bits.
	var hi int64
	var lo, sum uint64
	first := docs[0]
	for i, d := range docs {
		rise := uint64(d - first)
		sum += rise
		p := int64(rise) * int64(2*i-n+1)
		old := lo
		lo += uint64(p)
		hi += p >> 63
		if lo < old {
			hi++
		}
	}
	// The conversions prevent fused operations, so that the result is the same on every
	// machine.
	cross := float64(float64(hi)*(1<<64)) + float64(lo)
	square := float64(n) * float64(float64(float64(n)*float64(n))-1) / 6 // 2 * sum of (i - mean)^2
	slope := cross / square
	if slope < 0 { // impossible for ascending docs
		slope = 0
	}
	mean := float64(sum)/float64(n) - float64(slope*float64(float64(n-1)/2))
	return Line{
		Slope:     uint64(float64(slope * (1 << 32))),
		Intercept: uint32(int64(first) + int64(mean)),
	}
}

// Deviations writes the deviations of docs, the elements from origin on, from the line,
// and returns the least and the greatest. Deviations are signed and mod 2^32, which is
// exact for a line that stays within 2^31 of the docIDs.
func Deviations(dev []int32, docs []uint32, l Local) (least, most int32) {
	least, most = 1<<31-1, -1<<31
	for j, d := range docs {
		v := int32(d - l.At(j))
		dev[j] = v
		least, most = min(least, v), max(most, v)
	}
	return least, most
}

// zigzag maps small numbers of either sign to small unsigned ones.
func zigzag(m int32) uint32 { return uint32(m<<1) ^ uint32(m>>31) }

func unzigzag(z uint32) int32 { return int32(z>>1) ^ -int32(z&1) }

// LineSize is the size of a Line in bytes.
const LineSize = 12

// AppendLine appends a line: slope, then intercept, little-endian.
func AppendLine(dst []byte, l Line) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, l.Slope)
	return binary.LittleEndian.AppendUint32(dst, l.Intercept)
}

// ReadLine decodes a line from b, which must have at least LineSize bytes.
func ReadLine(b []byte) Line {
	return Line{Slope: binary.LittleEndian.Uint64(b), Intercept: binary.LittleEndian.Uint32(b[8:])}
}
