package vector

import (
	"fmt"
	"math"

	"github.com/pinion-index/pinion/internal/errs"
)

// A code has two planes of half a byte for each dimension, padded to whole groups. In both, byte i of a group has dimension i
// in its lower four bits and dimension i+32 in its upper ones.
const (
	group     = 64 // dimensions
	groupSize = group / 2
)

// PlaneSize returns how many bytes a plane of a code has.
func PlaneSize(dims int) int { return (dims + group - 1) / group * groupSize }

const (
	middle = 128 // the code of 0
	most   = 127 // the greatest distance of a code from it
)

// Meta is what is kept of a vector beside its code: 16 bytes.
type Meta struct {
	Step float32 // what a code more stands for
	Far  float32 // its distance from the centre, within 2^-22 of it
	Norm float32 // its length by Norm
	R4   Upper   // what its upper plane stands for is not farther from it, and
	R8   Upper   // what both planes do
}

// Upper is the upper half of a float32.
type Upper uint16

// upperOf returns an Upper that is not below v, which is not negative, by at most a part in 2^7.
func upperOf(v float64) Upper {
	return Upper((math.Float32bits(float32(v*(1+0x1p-21))) + 1<<16 - 1) >> 16)
}

// Value returns the number.
func (u Upper) Value() float32 { return math.Float32frombits(uint32(u) << 16) }

// Coder makes codes.
type Coder struct {
	Turn   *Rotation
	Centre []float32 // nil is the origin
	moved  []float32
	turned []float32
}

// Lengths of vectors, by which no sum of a score overflows. Those that are compared by Cosine are not shorter than MinNorm, so that
// no product of two lengths underflows.
const (
	MaxNorm = 0x1p60
	MinNorm = 0x1p-40
)

// NewCoder returns a Coder. centre, unless nil, has the dimensions of turn.
func NewCoder(turn *Rotation, centre []float32) *Coder {
	return &Coder{Turn: turn, Centre: centre, moved: make([]float32, turn.dims), turned: make([]float32, turn.dims)}
}

// Check returns an error for a vector that has other dimensions, a value that is no number, or a length that cannot be
// compared.
func (c *Coder) Check(v []float32, by Similarity) error {
	if len(v) != c.Turn.dims {
		return fmt.Errorf("%w: a vector of %d dimensions, not of %d", errs.ErrInvalid, len(v), c.Turn.dims)
	}
	for i, x := range v {
		if x != x || math.IsInf(float64(x), 0) {
			return fmt.Errorf("%w: value %d of a vector is %v", errs.ErrInvalid, i, x)
		}
	}
	switch length := lengthOf(v); {
	case length > MaxNorm:
		return fmt.Errorf("%w: a vector of length %g, above %g", errs.ErrInvalid, length, float64(MaxNorm))
	case by == Cosine && length == 0:
		return fmt.Errorf("%w: a vector of zeros has no direction", errs.ErrInvalid)
	case by == Cosine && length < MinNorm:
		return fmt.Errorf("%w: a vector of length %g, below %g", errs.ErrInvalid, length, float64(MinNorm))
	}
	return nil
}

func lengthOf(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// turn sets c.turned to v from the centre, turned, and returns its length before it was.
func (c *Coder) turn(v []float32) (length float64) { return c.turnFrom(v, c.Centre) }

// turnFrom is turn from another centre, or from the origin if it is nil.
func (c *Coder) turnFrom(v, centre []float32) (length float64) {
	for i, x := range v[:len(c.moved)] {
		if centre != nil {
			x -= centre[i]
		}
		c.moved[i] = x
	}
	c.Turn.Apply(c.turned, c.moved)
	return lengthOf(c.moved)
}

// Encode appends the planes of v, which Check accepts, to high and low.
func (c *Coder) Encode(high, low []byte, v []float32) (newHigh, newLow []byte, m Meta) {
	far := c.turn(v)
	greatest := uint32(0) // magnitudes order as their bits do
	for _, y := range c.turned {
		greatest = max(greatest, math.Float32bits(y)&^(1<<31))
	}
	step := math.Float32frombits(greatest) / most
	if step < 0x1p-100 { // a quotient by less may overflow
		step = 0
	}
	h, l := len(high), len(low)
	size := PlaneSize(len(v))
	high, low = append(high, make([]byte, size)...), append(low, make([]byte, size)...)
	sum4, sum8 := 0.0, 0.0
	for at := 0; at < len(c.turned); at += group {
		var codes [group]uint8
		values := c.turned[at:min(at+group, len(c.turned))]
		for i, y := range values {
			code := middle
			if step > 0 {
				code = min(max(rounded(float64(y)/float64(step))+middle, middle-most), middle+most)
			}
			codes[i] = uint8(code)
			of := &stands[code]
			d4 := float64(y) - float64(float64(step)*of.upper) // conversions keep products from being fused
			d8 := float64(y) - float64(float64(step)*of.both)
			sum4, sum8 = sum4+float64(d4*d4), sum8+float64(d8*d8)
		}
		h, l := (*[groupSize]byte)(high[h+at/2:]), (*[groupSize]byte)(low[l+at/2:])
		for i := range groupSize {
			first, second := codes[i], codes[i+groupSize]
			h[i], l[i] = first>>4|second&0xf0, first&15|second<<4
		}
	}
	off := turnError*far + tiny
	m = Meta{Step: step, Far: float32(far), Norm: norm(v), R4: upperOf(math.Sqrt(sum4) + off), R8: upperOf(math.Sqrt(sum8) + off)}
	return high, low, m
}

// rounded returns the integer that is nearest to v, which is below 2^31, and of two as near the one farther from 0, as math.Round does.
func rounded(v float64) int {
	const whole = 0x1.8p52 // a number as great has no fraction: adding it rounds, of two as near to the even one
	shifted := v + whole
	n, d := int(int32(math.Float64bits(shifted))), v-(shifted-whole)
	switch {
	case d == 0.5 && v > 0:
		n++
	case d == -0.5 && v < 0:
		n--
	}
	return n
}

// stands has what the planes of a code stand for, in steps: the upper one alone for the middle of what the lower one may add.
var stands = func() (of [256]struct{ upper, both float64 }) {
	for code := range of {
		of[code].upper, of[code].both = float64(code&^15)+7.5-middle, float64(code-middle)
	}
	return of
}()

// norm is Norm of v, padded.
func norm(v []float32) float32 {
	whole := len(v) &^ (Lanes - 1)
	if whole == len(v) {
		return Norm(v)
	}
	var room [MaxDims]float32
	copy(room[:], v)
	return Norm(room[:Padded(len(v))])
}
