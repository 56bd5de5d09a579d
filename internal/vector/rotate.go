package vector

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/internal/errs"
)

// MaxDims is the greatest number of dimensions.
const MaxDims = 4096

// Rotation is an orthogonal map of vectors that spreads what they have in few dimensions over all: two rounds of a
// permutation with random signs and Hadamard transforms of blocks, whose sizes are powers of two that add up to the
// dimensions (Ailon and Chazelle, The Fast Johnson-Lindenstrauss Transform, 2009, without padding). The same seed gives the
// same one everywhere.
type Rotation struct {
	dims   int
	rounds [2]round
}

// round is one round of a Rotation.
type round struct {
	from []uint16 // by place: the place before
	sign []uint32 // by place: the sign bit to flip
}

// NewRotation returns the rotation of a seed for dims dimensions, from 1 to MaxDims.
func NewRotation(dims int, seed uint64) (*Rotation, error) {
	if dims < 1 || dims > MaxDims {
		return nil, fmt.Errorf("%w: a vector of %d dimensions, not of 1 to %d", errs.ErrInvalid, dims, MaxDims)
	}
	r := &Rotation{dims: dims}
	for i := range r.rounds {
		random := rand.NewPCG(seed, uint64(i))
		o := round{from: make([]uint16, dims), sign: make([]uint32, dims)}
		for j := range o.from {
			o.from[j] = uint16(j)
		}
		for j := dims - 1; j > 0; j-- {
			k, _ := bits.Mul64(random.Uint64(), uint64(j+1))
			o.from[j], o.from[k] = o.from[k], o.from[j]
		}
		for j := range o.sign {
			o.sign[j] = uint32(random.Uint64()) & (1 << 31)
		}
		r.rounds[i] = o
	}
	return r, nil
}

// turnError is what Apply is off at most, relative to the length of its argument: 12 levels of sums and two roundings by a
// factor in each of two rounds, and the subtraction of a centre before.
const turnError = 32 * unit

// Apply sets dst to src, turned. Both have the dimensions of r, and do not overlap.
func (r *Rotation) Apply(dst, src []float32) {
	var room [MaxDims]float32
	half := room[:r.dims]
	r.rounds[0].apply(half, src[:r.dims])
	r.rounds[1].apply(dst[:r.dims], half)
}

// Undo is the opposite of Apply: what it sets dst to is off as much at most.
func (r *Rotation) Undo(dst, src []float32) {
	var room [MaxDims]float32
	half := room[:r.dims]
	copy(dst, src[:r.dims])
	r.rounds[1].undo(half, dst[:r.dims])
	r.rounds[0].undo(dst[:r.dims], half)
}

// undo is the opposite of apply. It overwrites src.
func (o *round) undo(dst, src []float32) {
	transform(src)
	for i, at := range o.from {
		dst[at] = math.Float32frombits(math.Float32bits(src[i]) ^ o.sign[i])
	}
}

func (o *round) apply(dst, src []float32) {
	permute(dst, src, o.from, o.sign)
	transform(dst)
}

// transform makes each block of dst its Hadamard transform, which is its own opposite.
func transform(dst []float32) {
	for len(dst) > 0 {
		n := 1 << (bits.Len(uint(len(dst))) - 1)
		hadamard(dst[:n], float32(1/math.Sqrt(float64(n))))
		dst = dst[n:]
	}
}

// permutePortable sets value i of dst to value from[i] of src, with the sign bit flipped where sign[i] has it.
func permutePortable(dst, src []float32, from []uint16, sign []uint32) {
	for i, at := range from {
		dst[i] = math.Float32frombits(math.Float32bits(src[at]) ^ sign[i])
	}
}

// hadamardPortable makes v, whose length is a power of two, its Hadamard transform, times factor.
func hadamardPortable(v []float32, factor float32) {
	for n := 1; n < len(v); n *= 2 {
		for at := 0; at < len(v); at += 2 * n {
			a, b := v[at:at+n], v[at+n:at+2*n]
			for i, x := range a {
				y := b[i]
				a[i], b[i] = x+y, x-y
			}
		}
	}
	for i := range v {
		v[i] *= factor
	}
}

// Mean returns the mean of vectors of dims dimensions, each rounded to what 16 bits of a float32 hold, as a centre.
func Mean(dims int, vectors func(yield func([]float32) bool)) []float32 {
	sums, n := make([]float64, dims), 0.0
	for v := range vectors {
		for i, x := range v[:dims] {
			sums[i] += float64(x)
		}
		n++
	}
	mean := make([]float32, dims)
	for i, s := range sums {
		if n > 0 {
			mean[i] = math.Float32frombits(math.Float32bits(float32(s/n)) &^ 0xffff)
		}
	}
	return slices.Clip(mean)
}

// seed is that of all rotations of indexes: it is part of the format.
const seed = 0

// rotations has those of RotationOf, by their dimensions.
var rotations sync.Map

// RotationOf returns the rotation of indexes for dims dimensions, from 1 to MaxDims. It is shared.
func RotationOf(dims int) *Rotation {
	if r, ok := rotations.Load(dims); ok {
		return r.(*Rotation)
	}
	r, err := NewRotation(dims, seed)
	if err != nil {
		panic(err) // files with other dimensions are refused
	}
	rotations.Store(dims, r)
	return r
}
