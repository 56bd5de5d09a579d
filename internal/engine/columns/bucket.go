package columns

import (
	"math"

	"github.com/pinion-index/pinion/schema"
)

// bucketOf returns what stands for the bucket that a number of a column is in: buckets are ordered as their numbers are.
func (f *Facet) bucketOf(n int64) int64 {
	if f.Width > 0 {
		return schema.FloatKey(floor(schema.KeyFloat(n), f.Width))
	}
	return bucketAt(n, f.Every, f.Every-f.Shift)
}

// bucketAt is bucketOf without Width: turn is from which rest of n divided by every on the next bucket has begun.
func bucketAt(n, every, turn int64) int64 {
	q, rest := n/every, n%every
	if rest < 0 {
		q--
		rest += every
	}
	if rest >= turn {
		q++
	}
	return q
}

// startOf returns the least number of a bucket.
func (f *Facet) startOf(bucket int64) int64 {
	switch {
	case f.Width > 0:
		return bucket
	case bucket < 0 && (bucket < math.MinInt64/f.Every || bucket*f.Every < math.MinInt64+f.Shift):
		return math.MinInt64
	}
	return bucket*f.Every - f.Shift // the product alone may overflow, and comes back
}

// floor returns the greatest multiple of width, as floats multiply, that is not above x.
func floor(x, width float64) float64 {
	k := math.Floor(x / width)
	switch {
	case k*width > x: // the quotient was rounded up
		k--
	case (k+1)*width <= x:
		k++
	}
	if at := k * width; at <= x && !math.IsInf(at, 0) {
		return at
	}
	return x // so far from 0 that multiples of width are no floats of their own
}
