// Package histogram counts durations in log-linear buckets, as HdrHistogram does:
// every power of two is cut into as many buckets, so that a quantile is off by
// less than one part in 128 of itself, from nanoseconds to years, in 60 KB.
package histogram

import (
	"math/bits"
	"time"
)

// subBits is the logarithm of the number of buckets of a power of two.
const subBits = 7

const buckets = (64 - subBits) << subBits

// Histogram counts durations. The zero value is empty. It is not safe for
// concurrent use; goroutines fill one each, to be added up.
type Histogram struct {
	counts [buckets]uint64
	n      uint64
	sum    float64
	min    time.Duration
	max    time.Duration
}

// bucket returns the bucket of a value: values below 2^subBits have their own.
func bucket(v uint64) int {
	if v < 1<<subBits {
		return int(v)
	}
	shift := bits.Len64(v) - 1 - subBits
	return shift<<subBits + int(v>>shift)
}

// upper returns the greatest value of a bucket.
func upper(b int) uint64 {
	if b < 1<<(subBits+1) {
		return uint64(b)
	}
	shift := b>>subBits - 1
	return uint64(b-shift<<subBits+1)<<shift - 1
}

// Record counts d. A negative one counts as zero.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	h.counts[bucket(uint64(d))]++
	if h.n == 0 || d < h.min {
		h.min = d
	}
	h.max = max(h.max, d)
	h.n++
	h.sum += float64(d)
}

// Add adds what o has counted.
func (h *Histogram) Add(o *Histogram) {
	if o.n == 0 {
		return
	}
	for i, c := range o.counts {
		h.counts[i] += c
	}
	if h.n == 0 || o.min < h.min {
		h.min = o.min
	}
	h.max = max(h.max, o.max)
	h.n += o.n
	h.sum += o.sum
}

// Count returns how many durations were recorded.
func (h *Histogram) Count() uint64 { return h.n }

// Mean returns the exact mean, 0 if there is nothing.
func (h *Histogram) Mean() time.Duration {
	if h.n == 0 {
		return 0
	}
	return time.Duration(h.sum / float64(h.n))
}

// Min and Max are exact.
func (h *Histogram) Min() time.Duration { return h.min }

// Max returns the longest duration.
func (h *Histogram) Max() time.Duration { return h.max }

// Quantile returns a duration that the share q of all, from 0 to 1, does not
// exceed: the greatest of its bucket, so never less than the exact quantile and
// less than one part in 128 more.
func (h *Histogram) Quantile(q float64) time.Duration {
	if h.n == 0 {
		return 0
	}
	want := max(uint64(q*float64(h.n)+0.999999), 1)
	seen := uint64(0)
	for b, c := range h.counts {
		if seen += c; seen >= want {
			return min(time.Duration(upper(b)), h.max)
		}
	}
	return h.max
}
