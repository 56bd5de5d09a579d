package build

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/pinion-index/pinion/segment"
)

// fitLR returns the least-squares line through the first element of a list and the last
// element of every block, without deviations. Each product is rounded, so that all
// platforms fit the same line.
func fitLR(first uint32, last []uint32, n, blockLen int) segment.LinearRegression {
	at := func(i int) (x, y float64) {
		if i < 0 {
			return float64(first), 0
		}
		return float64(last[i]), float64(min((i+1)*blockLen, n) - 1)
	}
	var sx, sy float64
	for i := -1; i < len(last); i++ {
		x, y := at(i)
		sx, sy = sx+x, sy+y
	}
	count := float64(len(last) + 1)
	mx, my := sx/count, sy/count
	var sxx, sxy float64
	for i := -1; i < len(last); i++ {
		x, y := at(i)
		sxx += float64((x - mx) * (x - mx))
		sxy += float64((x - mx) * (y - my))
	}
	slope := min(max(sxy/sxx, 0), 1)
	const one = 1 << 32
	inv := uint64(math.Round(float64(slope * one)))
	base := my - float64(float64(inv)/one*mx)
	base = min(max(base, -1<<29), 1<<29)
	return segment.LinearRegression{Inv: inv, Base: int64(math.Round(float64(base * one)))}
}

// deviation widens left and right to the deviations of docs, the list's elements from index
// first on, from r.
func deviation(r *segment.LinearRegression, docs []uint32, first int, left, right int64) (int64, int64) {
	hi, lo := int64(math.MinInt64), int64(math.MaxInt64)
	i := int64(first)
	for _, d := range docs {
		v := (int64(uint64(d)*r.Inv)+r.Base)>>32 - i
		hi, lo = max(hi, v), min(lo, v)
		i++
	}
	return max(left, hi), max(right, -lo)
}

// putLR encodes r.
func putLR(b []byte, r *segment.LinearRegression) {
	binary.LittleEndian.PutUint64(b, r.Inv)
	binary.LittleEndian.PutUint64(b[8:], uint64(r.Base))
	binary.LittleEndian.PutUint32(b[16:], r.Left)
	binary.LittleEndian.PutUint32(b[20:], r.Right)
}

// Minimum lengths, in postings, of lists with a linear regression and with hash buckets,
// and the maximum average number of postings of a bucket.
const (
	minLR      = 1024
	minHash    = 8192
	hashBucket = 256
)

// positions are the parts of an extent that locate docIDs.
type positions struct {
	hasLR, hasHash bool
	lr             segment.LinearRegression
	shift          uint8
	m              uint
}

// positions fits the linear regression and fills the hash buckets. Blocks may have been
// copied, so it decodes their docIDs, at a fraction of the cost of encoding.
func (e *ListEncoder) positions() (positions, error) {
	var p positions
	if e.n < minLR {
		return p, nil
	}
	p.lr = fitLR(e.first, e.last, e.n, e.blockLen)
	p.hasLR = e.promising(&p.lr)
	if p.hasHash = e.n >= minHash; p.hasHash {
		k := bits.Len32(e.docs)
		p.m = uint(min(bits.Len(uint((e.n-1)/hashBucket)), k))
		p.shift = uint8(k - int(p.m))
		e.start = resize(e.start, 1<<p.m+1)
	}
	if !p.hasLR && !p.hasHash {
		return p, nil
	}
	var left, right int64
	bucket, at := 0, 0
	err := e.eachRow(func(docs []uint32) {
		if p.hasLR {
			left, right = deviation(&p.lr, docs, at, left, right)
		}
		if p.hasHash {
			bucket = e.fillBuckets(bucket, p.shift, at, docs)
		}
		at += len(docs)
	})
	if err != nil {
		return p, err
	}
	for ; p.hasHash && bucket < len(e.start); bucket++ {
		e.start[bucket] = uint32(e.n)
	}
	p.hasLR = p.hasLR && left+right <= int64(e.n/4)
	p.lr.Left, p.lr.Right = uint32(min(left, math.MaxUint32)), uint32(min(right, math.MaxUint32))
	return p, nil
}

// promising reports whether the last elements of the blocks alone leave open that the
// regression is useful.
func (e *ListEncoder) promising(lr *segment.LinearRegression) bool {
	var left, right int64
	for b, last := range e.last {
		d := lr.Est(last) - int64(min((b+1)*e.blockLen, e.n)-1)
		left, right = max(left, d), max(right, -d)
	}
	return left+right <= int64(e.n/4)
}

// fillBuckets sets the starts of the buckets, from bucket on, that begin in docs, the
// list's elements from index first on. It returns the next bucket.
func (e *ListEncoder) fillBuckets(bucket int, shift uint8, first int, docs []uint32) int {
	at := 0
	for bucket < len(e.start) && uint64(bucket)<<shift <= uint64(docs[len(docs)-1]) {
		i, _ := slices.BinarySearch(docs[at:], uint32(bucket)<<shift)
		at += i
		e.start[bucket] = uint32(first + at)
		bucket++
	}
	return bucket
}
