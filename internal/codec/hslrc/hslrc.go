package hslrc

import (
	"encoding/binary"
	"math/bits"
	"sort"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/regress"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
)

const (
	// BlockLen is the number of values in a full block.
	BlockLen = regress.BlockLen
	// BucketLen is the maximum mean number of docIDs in a bucket.
	BucketLen = 256

	bucketSize = 16
)

// Codec is hslrc. The zero value is ready to use.
type Codec struct{ frequencies }

// frequencies are stored as in newpfd.
type frequencies = newpfd.Frequencies

var _ codec.Codec = Codec{}

// ID returns codec.HSLRC.
func (Codec) ID() codec.ID { return codec.HSLRC }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// bucketBits returns the paper's m for a list of n docIDs that ends on last, and the
// shift from docIDs to buckets.
func bucketBits(n int, last uint32) (m, shift uint) {
	k := uint(bits.Len32(last))
	if n > BucketLen {
		m = uint(bits.Len(uint(n-1) / BucketLen))
	}
	m = min(m, k)
	return m, k - m
}

// headWords returns the number of words before the first block.
func headWords(m uint) uint { return bucketSize/4<<m + 1 }

// fit fits a list: its header is the buckets with their lines.
func fit(docs []uint32) (header []byte, plan regress.Planner) {
	m, shift := bucketBits(len(docs), docs[len(docs)-1])
	f := fitter{starts: make([]int, 1<<m+1), lines: make([]regress.Line, 1<<m)}
	at := 0
	for h := range f.lines {
		f.starts[h] = at
		at += sort.Search(len(docs)-at, func(i int) bool { return docs[at+i]>>shift > uint32(h) })
		if at > f.starts[h] {
			f.lines[h] = regress.Fit(docs[f.starts[h]:at])
		}
		header = binary.LittleEndian.AppendUint32(header, uint32(f.starts[h]))
		header = binary.LittleEndian.AppendUint32(header, f.lines[h].Intercept)
		header = binary.LittleEndian.AppendUint64(header, f.lines[h].Slope)
	}
	f.starts[len(f.lines)] = at
	return binary.LittleEndian.AppendUint32(header, uint32(shift)), f.plan
}

// fitter plans the segments of a list in order.
type fitter struct {
	starts []int // first elements of all buckets, and one more
	lines  []regress.Line
	bucket int // of the next element
}

func (f *fitter) plan(lambda, docs []uint32, k int, _ uint32) (regress.Segment, bool) {
	var dev [BlockLen]int32
	least := int32(1<<31 - 1)
	for j := 0; j < len(docs); {
		for f.starts[f.bucket+1] <= k+j {
			f.bucket++
		}
		start := f.starts[f.bucket]
		end := min(len(docs), f.starts[f.bucket+1]-k)
		lo, _ := regress.Deviations(dev[j:end], docs[j:end], f.lines[f.bucket].From(k+j-start))
		least = min(least, lo)
		j = end
	}
	return regress.New(lambda, dev[:len(docs)], least, 0, 0), true
}

// AppendDocs appends a list of docIDs.
func (Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	return regress.AppendDocs(dst, ends, docs, 0, fit)
}

// DocsSize returns the number of bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) { return regress.DocsSize(docs, fit) }
