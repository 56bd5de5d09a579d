package vector

import "math"

// Lanes is how many partial sums a score has. Vectors of floats are padded with zeros to a multiple of it.
const Lanes = 16

// Padded returns how many values a vector of dims dimensions has, with its padding.
func Padded(dims int) int { return (dims + Lanes - 1) &^ (Lanes - 1) }

// Dot returns the sum of the products of a and b, which have the same length, a multiple of Lanes.
func Dot(a, b []float32) float32 { return dot(a, b[:len(a)]) }

// SquaredDistance returns the sum of the squares of the differences of a and b, which have the same length, a multiple of Lanes.
func SquaredDistance(a, b []float32) float32 { return squaredDistance(a, b[:len(a)]) }

// Norm returns the root of the sum of the squares of a, whose length is a multiple of Lanes.
func Norm(a []float32) float32 { return float32(math.Sqrt(float64(Dot(a, a)))) }

func dotPortable(a, b []float32) float32 {
	var lanes [Lanes]float32
	for ; len(a) >= Lanes && len(b) >= Lanes; a, b = a[Lanes:], b[Lanes:] {
		for i := range lanes {
			lanes[i] += float32(a[i] * b[i]) // the conversion keeps it from being fused
		}
	}
	return addLanes(&lanes)
}

func squaredDistancePortable(a, b []float32) float32 {
	var lanes [Lanes]float32
	for ; len(a) >= Lanes && len(b) >= Lanes; a, b = a[Lanes:], b[Lanes:] {
		for i := range lanes {
			d := a[i] - b[i]
			lanes[i] += float32(d * d)
		}
	}
	return addLanes(&lanes)
}

// addLanes adds up lanes: the upper half to the lower, until one is left.
func addLanes(lanes *[Lanes]float32) float32 {
	for n := Lanes / 2; n > 0; n /= 2 {
		for i := range n {
			lanes[i] += lanes[i+n]
		}
	}
	return lanes[0]
}

// unit is the greatest relative error of an operation of float32 that does not underflow.
const unit = 1.0 / (1 << 24)

// sumError returns what Dot is off at most, relative to the product of the lengths of two vectors of dims dimensions: each
// product is rounded once, and then added as often as its lane has values, and four times more (Higham, Accuracy and Stability
// of Numerical Algorithms, section 4.2). SquaredDistance has two roundings more, and is off at most so much relative to itself.
func sumError(dims int) float64 {
	n := float64(Padded(dims)/Lanes + 8)
	return n * unit / (1 - n*unit)
}

// tiny is more than what values that underflow add up to in a sum of products of at most MaxDims values.
const tiny = 0x1p-110
