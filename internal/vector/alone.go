package vector

import "math"

// Codes alone: of vectors whose floats are not kept, what is compared is what their codes stand for. The step has 8 bits then, so that a
// float32 has each value, and codes of what codes stand for, turned back, are the same: the greatest is always 127 from the middle.

// upperNearest returns the float32 nearest to v, which is not negative, whose lower half is 0; of two as near, that with an even upper half.
func upperNearest(v float32) float32 {
	b := math.Float32bits(v)
	return math.Float32frombits((b + 0x7fff + b>>16&1) &^ 0xffff)
}

// aloneMeta returns what is kept of codes, one for each dimension, and of a vector that is up to left from what they stand for.
func aloneMeta(codes []uint8, step float32, left Upper) Meta {
	squares, lower := 0, 0 // of the distances from the middle, and of twice those of the lower bits from 7.5
	for _, code := range codes {
		k, l := int(code)-middle, 2*int(code&15)-15
		squares += k * k
		lower += l * l
	}
	length := float32(float64(step) * math.Sqrt(float64(squares)))
	return Meta{Step: step, Far: length, Norm: length, R4: upperOf(float64(step) * (math.Sqrt(float64(lower)) / 2)), R8: left}
}

// Stands sets dst, which has the dimensions of a vector, to what the planes of its code stand for, turned.
func Stands(dst []float32, high, low []byte, step float32) {
	for at := 0; at < len(high); at += groupSize {
		h, l := (*[groupSize]byte)(high[at:]), (*[groupSize]byte)(low[at:])
		var values [group]float32
		for j, b := range h {
			values[j] = step * float32(int(b<<4|l[j]&15)-middle)
			values[j+groupSize] = step * float32(int(b&0xf0|l[j]>>4)-middle)
		}
		copy(dst[2*at:], values[:])
	}
}

// CheckAlone returns what is wrong with a code that is kept alone, "" if nothing is.
func (c *Coder) CheckAlone(high, low []byte, m *Meta) string {
	farthest := 0
	codes := c.codes[:c.Turn.dims]
	for i := range c.codes {
		at := i/group*groupSize + i%groupSize
		code := high[at]<<4 | low[at]&15
		if i%group >= groupSize {
			code = high[at]&0xf0 | low[at]>>4
		}
		switch c.codes[i] = code; {
		case i < len(codes):
			farthest = max(farthest, int(code)-middle, middle-int(code))
		case code != 0:
			return "has a code behind its dimensions"
		}
	}
	limit := most
	if m.Step == 0 {
		limit = 0
	}
	switch {
	case !(m.Step >= 0) || m.Step > MaxNorm || m.Step != upperNearest(m.Step) || math.Signbit(float64(m.Step)):
		return "has a step that no vector has"
	case farthest != limit:
		return "has codes that its step does not imply"
	case *m != aloneMeta(codes, m.Step, m.R8):
		return "has other bounds than its codes imply"
	}
	// Each value is off by up to half a step, and what rotation and rounding add.
	root := math.Sqrt(float64(len(codes)))
	if left := float64(m.R8.Value()); m.R8 >= infinite>>16 || left > (0.51*float64(m.Step)+0x1p-92)*root+2*turnError*float64(m.Norm)+tiny {
		return "has a bound of what its codes leave out that no vector has"
	}
	return ""
}

// Range returns what the score of the vector whose code is kept alone, with m, was at least and at most, given that of the code.
func (q *Query) Range(m *Meta, score float32) (least, most float32) {
	length, left := float64(m.Norm), float64(m.R8.Value())+turnError*q.length+tiny
	low, high := float64(score), float64(score)
	switch q.by {
	case Euclidean:
		far := math.Sqrt(max(-high, 0))
		low = -math.Pow(far+left, 2)*(1+4*q.sum) - tiny
		high = -math.Pow(max(far*(1-4*q.sum)-left, 0), 2) * (1 - 4*q.sum)
	case Cosine: // left is seen from the origin at an angle whose sine is at most that
		off := 2.0
		if sine := float64(m.R8.Value()) / length; sine < 1 {
			off = 2 * math.Sin(math.Asin(sine)/2)
		}
		off += 3*turnError + 4*q.sum
		low, high = low-off, high+off
	default:
		off := (q.length*left + 4*q.sum*q.length*(length+left)) * (1 + 0x1p-20)
		low, high = low-off-tiny, high+off+tiny
	}
	return math.Nextafter32(float32(low), float32(math.Inf(-1))), math.Nextafter32(float32(high), float32(math.Inf(1)))
}
