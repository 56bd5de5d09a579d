package vector

import "math"

// Similarity says how near two vectors are.
type Similarity uint8

// The similarities. Greater scores are nearer.
const (
	Cosine    Similarity = iota + 1 // the cosine of the angle between them, from -1 to 1
	Product                         // their product
	Euclidean                       // the square of their distance, negated
)

// Query is a vector that others are compared with.
type Query struct {
	by     Similarity
	alone  bool      // vectors are what their codes stand for
	values []float32 // padded; turned, if alone
	norm   float64   // by Norm
	turned float64   // the length of what was turned
	length float64   // at least that of the values, also where Norm is 0 since their squares are; for Range
	sum    float64   // sumError
	upper  side
	both   side
	narrow []int8  // the codes of upper, in 8 bits
	base   float64 // the product with the centre; of Euclidean the square of the distance from it
	vague  float64 // what base is off at most
}

// side is a query as integers, for the upper plane or for both, and what a bound adds up.
type side struct {
	codes  []int16
	byCode float64 // times the step of a vector and the products of codes: what these stand for, and
	less   float64 // times its step: what is too much of them, since codes are not negative
	byFar  float64 // times its distance from the centre, and
	byRest float64 // times what the planes leave out: what they may be off
}

// The greatest integers of a query: those for the upper plane fit into 8 bits, and with those for both a sum of MaxDims
// products fits into 32.
const (
	most4 = 127
	most8 = 1<<11 - 1
)

// NewQuery returns a query for vectors with codes of c. v is one that c.Check accepts. Where codes are kept alone, scores are those of v, turned, and of what
// the codes stand for.
func NewQuery(c *Coder, by Similarity, v []float32) *Query {
	q := newQuery(c, by, v)
	q.both = sideOf(c.turned, q.turned, most8, middle, 1)
	return q
}

// newQuery is NewQuery without the side for both planes.
func newQuery(c *Coder, by Similarity, v []float32) *Query {
	q := &Query{by: by, alone: c.Alone, values: make([]float32, Padded(len(v))), sum: sumError(len(v))}
	copy(q.values, v)
	if c.Alone {
		c.turn(v, nil)
		copy(q.values, c.turned)
	}
	q.norm = float64(Norm(q.values))
	var length, base, vague float64
	if c.Alone {
		length = lengthOf(c.turned)
		q.length = max(q.norm, length*(1+0x1p-40))
		if by == Euclidean {
			base = length * length
			vague = 4 * unit * base
		}
	} else if by == Euclidean {
		c.turn(v, c.Centre)
		length = lengthOf(c.moved)
		base = length * length
		vague = 4 * unit * base
	} else {
		c.turn(v, nil)
		length = lengthOf(v)
		for i, x := range c.Centre {
			base += float64(x) * float64(v[i])
		}
		vague = 0x1p-40 * length * lengthOf(c.Centre)
	}
	q.turned = length
	q.upper = sideOf(c.turned, length, most4, middle-7.5, 16)
	q.base, q.vague = base, vague
	q.narrow = make([]int8, len(q.upper.codes))
	for i, code := range q.upper.codes {
		q.narrow[i] = int8(code)
	}
	return q
}

// sideOf returns z, a query that was turned, as integers of at most greatest. A code stands for times as many steps, less zero.
func sideOf(z []float32, length, greatest, zero, times float64) side {
	s := side{codes: make([]int16, 2*PlaneSize(len(z)))}
	sum, off := 0.0, 0.0
	step := float64(greatestPortable(z)) / greatest
	for i, x := range z {
		code := 0.0
		if step > 0x1p-200 {
			code = float64(rounded(float64(x) / step))
		}
		s.codes[i] = int16(code)
		sum += code
		d := float64(x) - code*step
		off += d * d
	}
	off = math.Sqrt(off) + turnError*length + tiny
	length *= 1 + turnError
	s.byCode, s.less = times*step, zero*step*sum
	// |<z,y> - <z',y'>| <= off |y'| + |z| rest, where |y'| <= far + rest. What is computed of <z',y'> in float64 is off by less than
	// 2^-43 (|z| + off) far: it adds two numbers of at most twice the root of MaxDims times that.
	slack := 0x1p-42 * (length + off)
	s.byFar = (off + slack) * (1 + 0x1p-21)
	s.byRest = (off + length + slack) * (1 + 0x1p-21)
	return s
}

// bounds sets dst to what no scores of the vectors which of metas are above, given the sums of their products with s.
func (q *Query) bounds(dst []float64, s *side, products []int32, metas []Meta, which []uint32) {
	base, both := q.base+q.vague+tiny, s == &q.both
	for i, n := range which {
		m := &metas[n]
		far, rest := float64(m.Far), m.R4
		if both {
			if rest = m.R8; q.alone {
				rest = 0 // the code leaves out nothing of what it stands for
			}
		}
		product := base + float64(m.Step)*(s.byCode*float64(products[i])-s.less) + s.byFar*far + s.byRest*float64(rest.Value())
		switch q.by {
		case Euclidean: // base is |q-c|^2, and the product one with q-c
			least := base - 2*q.vague + far*far*(1-0x1p-20) - 2*(product-base)
			product = -max(least*(1-2*q.sum)-2*tiny, 0)
		case Cosine:
			product = product/(q.norm*float64(m.Norm)) + 2*q.sum + 8*unit
		default:
			product += 2 * q.sum * q.norm * float64(m.Norm)
		}
		dst[i] = product
	}
}

// Score returns the score of a vector of floats, padded, with m.
func (q *Query) Score(x []float32, m *Meta) float32 {
	switch q.by {
	case Euclidean:
		return -SquaredDistance(q.values, x)
	case Cosine:
		return Dot(q.values, x) / (float32(q.norm) * m.Norm)
	}
	return Dot(q.values, x)
}
