package vector

import (
	"encoding/binary"
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
	Alone  bool      // codes are all that is kept of vectors; the centre is the origin then
	moved  []float32
	turned []float32
	codes  []uint8 // by dimension, padded to whole groups with zeros
}

// Lengths of vectors, by which no sum of a score overflows. Those that are compared by Cosine are not shorter than MinNorm, so that
// no product of two lengths underflows.
const (
	MaxNorm = 0x1p60
	MinNorm = 0x1p-40
)

// NewCoder returns a Coder. centre, unless nil, has the dimensions of turn.
func NewCoder(turn *Rotation, centre []float32) *Coder {
	return &Coder{Turn: turn, Centre: centre, moved: make([]float32, turn.dims), turned: make([]float32, turn.dims),
		codes: make([]uint8, 2*PlaneSize(turn.dims))}
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

// turn sets c.moved to v from centre, which is the origin if it is nil, and c.turned to that, turned.
func (c *Coder) turn(v, centre []float32) {
	if centre == nil {
		copy(c.moved, v)
	} else {
		move(c.moved, v, centre)
	}
	c.Turn.Apply(c.turned, c.moved)
}

func movePortable(dst, v, centre []float32) {
	for i := range dst {
		dst[i] = v[i] - centre[i]
	}
}

// Encode appends the planes of v, which Check accepts, to high and low.
func (c *Coder) Encode(high, low []byte, v []float32) (newHigh, newLow []byte, m Meta) {
	c.turn(v, c.Centre)
	step := greatest(c.turned) / most
	if c.Alone {
		step = upperNearest(step) // the greatest is between 126.5 and 127.5 of these
	}
	if step < 0x1p-100 { // a quotient by less may overflow
		step = 0
	}
	var s sums
	quantize(c.codes, c.turned, c.moved, step, &s)
	far := math.Sqrt(s[moved])
	off := turnError*far + tiny
	m = Meta{Step: step, Far: float32(far), Norm: norm(v), R4: upperOf(math.Sqrt(s[leftByUpper]) + off), R8: upperOf(math.Sqrt(s[leftByBoth]) + off)}
	if c.Alone {
		m = aloneMeta(c.codes[:len(v)], step, m.R8)
	}
	h, l := len(high), len(low)
	size := PlaneSize(len(v))
	high, low = append(high, make([]byte, size)...), append(low, make([]byte, size)...)
	planes(high[h:], low[l:], c.codes)
	return high, low, m
}

// greatestPortable returns the greatest magnitude of v.
func greatestPortable(v []float32) float32 {
	most := uint32(0) // magnitudes order as their bits do
	for _, y := range v {
		most = max(most, math.Float32bits(y)&^(1<<31))
	}
	return math.Float32frombits(most)
}

// sums are those of squares of what the upper plane and what both leave out of a vector, and of its distance from the centre. Each is added
// up value by value.
type sums [4]float64

const (
	leftByUpper = iota
	leftByBoth
	moved
)

// quantizePortable sets codes to those of turned, in steps, and adds to s what they leave out, and moved.
func quantizePortable(codes []uint8, turned, from []float32, step float32, s *sums) {
	for i, y := range turned {
		code := middle
		if step > 0 {
			code += rounded(float64(y) / float64(step)) // no value is as much as most + 1/2 steps
		}
		codes[i] = uint8(code)
		of := &stands[uint8(code)]
		d4 := float64(y) - float64(float64(step)*of.upper) // conversions keep products from being fused
		d8 := float64(y) - float64(float64(step)*of.both)
		s[leftByUpper] += float64(d4 * d4)
		s[leftByBoth] += float64(d8 * d8)
		s[moved] += float64(float64(from[i]) * float64(from[i]))
	}
}

// planes sets high and low to the planes of codes, eight bytes at a time.
func planes(high, low []byte, codes []uint8) {
	const lower = 0x0f0f0f0f0f0f0f0f
	for at := 0; at < len(high); at += groupSize {
		for i := at; i < at+groupSize; i += 8 {
			first, second := binary.LittleEndian.Uint64(codes[at+i:]), binary.LittleEndian.Uint64(codes[at+i+groupSize:])
			binary.LittleEndian.PutUint64(high[i:], first>>4&lower|second&^lower)
			binary.LittleEndian.PutUint64(low[i:], first&lower|second&lower<<4)
		}
	}
}

// rounded returns the integer that is nearest to v, which is below 2^31, and of two as near the one farther from 0, as math.Round does: by
// adding the number before 0.5, as with 0.5 itself the one before 0.5 would become 1.
func rounded(v float64) int { return int(v + math.Copysign(0x1.fffffffffffffp-2, v)) }

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
