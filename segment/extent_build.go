package segment

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
)

// appendExtent appends the extent of the blocks encoded, or if part of it lies in
// files its beginning, and returns the rest.
func (e *ListEncoder) appendExtent(dst []byte) ([]byte, *Tail, error) {
	kth := e.kth
	if e.dirty {
		counted := e.counter.Take(e.model)
		e.dirty = false
		for i := range kth {
			kth[i] = e.model.BetterKth(counted[i], kth[i])
		}
	}
	for _, q := range e.quads {
		e.listward.AddQuad(q)
	}
	bounds, err := e.positions()
	if err != nil {
		return dst, nil, err
	}
	flags, m := uint8(0), uint(0)
	if bounds.hasLR {
		flags |= extLR
	}
	if bounds.hasHash {
		flags |= extHash
		m = bounds.m
	}
	if kth[0].TF != 0 {
		flags |= extKth
	}
	blocks := len(e.last)
	y := layoutOf(int64(blocks), flags, m)
	y.setPayload(e.docEnds[blocks], e.freqEnds[blocks])
	if y.size/extentAlign > math.MaxUint32 || e.words() > math.MaxUint32 {
		return dst, nil, fmt.Errorf("segment: list of %d bytes is too long for an extent", y.size)
	}
	at, size := len(dst), y.size
	if e.tail.files != nil {
		size = y.docs
	}
	dst = slices.Grow(dst, int(size)+format.ReadablePadding)[:at+int(size)]
	b := dst[at:]
	clear(b[:y.docs])
	b[extDocsCodec], b[extFreqsCodec] = byte(e.docsCodec.ID()), byte(e.freqsCodec.ID())
	b[extBlockLog], b[extFlags] = byte(bits.Len(uint(e.blockLen))-1), flags
	binary.LittleEndian.PutUint32(b[extLength:], uint32(y.size/extentAlign))
	binary.LittleEndian.PutUint32(b[extN:], uint32(e.n))
	binary.LittleEndian.PutUint32(b[extFirst:], e.first)
	binary.LittleEndian.PutUint64(b[extQuad:], uint64(e.listward.Quad()))
	copy(b[y.docEnds:], format.BytesOf(e.docEnds[:blocks+1]))
	copy(b[y.freqEnds:], format.BytesOf(e.freqEnds[:blocks+1]))
	copy(b[y.last:], format.BytesOf(e.last))
	copy(b[y.quads:], format.BytesOf(e.quads))
	if bounds.hasLR {
		bounds.lr.put(b[y.lr:])
	}
	if bounds.hasHash {
		b[y.hash], b[y.hash+1] = bounds.shift, byte(m)
		copy(b[y.hash+hashHead:], format.BytesOf(e.start))
	}
	if kth[0].TF != 0 {
		for i, k := range kth {
			b[y.kth+2*int64(i)], b[y.kth+2*int64(i)+1] = k.TF, k.Len
		}
	}
	if e.tail.files != nil {
		t, sum, err := e.detachTail(&y, b)
		binary.LittleEndian.PutUint64(b, sum)
		return dst, t, err
	}
	clear(b[y.docs+int64(copy(b[y.docs:], e.docsBytes)) : y.freqs])
	clear(b[y.freqs+int64(copy(b[y.freqs:], e.freqsBytes)):])
	binary.LittleEndian.PutUint64(b, xxhash.Sum64(b[extLength:]))
	return dst, nil, nil
}

// From how many postings on a list has a linear regression and hash buckets, and
// how many postings a bucket holds at most on average.
const (
	minLR      = 1024
	minHash    = 8192
	hashBucket = 256
)

// positions is what an extent tells about where docIDs stand.
type positions struct {
	hasLR, hasHash bool
	lr             LinearRegression
	shift          uint8
	m              uint
}

// positions fits the linear regression and fills the hash buckets. Blocks may be
// copies, so it decodes docIDs, as no more than a fraction of encoding costs.
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
	err := e.eachBlock(func(docs []uint32) {
		if p.hasLR {
			left, right = p.lr.deviation(docs, at, left, right)
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

// promising reports whether the last elements of blocks alone do not already
// make the regression useless.
func (e *ListEncoder) promising(lr *LinearRegression) bool {
	var left, right int64
	for b, last := range e.last {
		d := lr.Est(last) - int64(min((b+1)*e.blockLen, e.n)-1)
		left, right = max(left, d), max(right, -d)
	}
	return left+right <= int64(e.n/4)
}

// fillBuckets sets the starts of the buckets, from the given one on, that begin
// in a block whose first element is element first of the list.
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
