package hslrc

import (
	"encoding/binary"
	"math/bits"
	"sort"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/regress"
	"github.com/pinion-index/pinion/format/codec/newpfd"
)

const (
	// BlockLen is the number of values in a full block.
	BlockLen = regress.BlockLen
	// BucketLen is the mean number of docIDs in a bucket, at most.
	BucketLen = 256

	bucketSize = 16
)

// Codec is hslrc; its zero value is ready.
type Codec struct{ frequencies }

// frequencies are stored as newpfd does.
type frequencies = newpfd.Frequencies

var _ codec.Codec = Codec{}

// ID returns codec.HSLRC.
func (Codec) ID() codec.ID { return codec.HSLRC }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// bucketBits returns the paper's m for a list of n docIDs that ends on last, and the
// shift that gives the bucket of a docID.
func bucketBits(n int, last uint32) (m, shift uint) {
	k := uint(bits.Len32(last))
	if n > BucketLen {
		m = uint(bits.Len(uint(n-1) / BucketLen))
	}
	m = min(m, k)
	return m, k - m
}

// headWords returns the words before the first block.
func headWords(m uint) uint { return bucketSize/4<<m + 1 }

// fit returns the first elements of all buckets, and one more, and their lines.
func fit(docs []uint32) (starts []int, lines []regress.Line, shift uint) {
	m, shift := bucketBits(len(docs), docs[len(docs)-1])
	starts, lines = make([]int, 1<<m+1), make([]regress.Line, 1<<m)
	at := 0
	for h := range lines {
		starts[h] = at
		at += sort.Search(len(docs)-at, func(i int) bool { return docs[at+i]>>shift > uint32(h) })
		if at > starts[h] {
			lines[h] = regress.Fit(docs[starts[h]:at])
		}
	}
	starts[len(lines)] = at
	return starts, lines, shift
}

// fitter plans the segments of a list one after the other.
type fitter struct {
	starts []int
	lines  []regress.Line
	bucket int // of the next element
}

// next plans the segment of docs, the elements from k on, and leaves its lambda in
// lambda.
func (f *fitter) next(lambda, docs []uint32, k int) regress.Segment {
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
	return regress.New(lambda, dev[:len(docs)], least, 0, 0)
}

// AppendDocs appends a list of docIDs.
func (Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	ends[0] = 0
	if err := codec.CheckDocs(docs, codec.NoDoc); err != nil || len(docs) == 0 {
		return dst, err
	}
	start := len(dst)
	starts, lines, shift := fit(docs)
	for h, l := range lines {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(starts[h]))
		dst = binary.LittleEndian.AppendUint32(dst, l.Intercept)
		dst = binary.LittleEndian.AppendUint64(dst, l.Slope)
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(shift))
	ends[0] = uint32((len(dst) - start) / 4)
	f := fitter{starts: starts, lines: lines}
	var lambda [BlockLen]uint32
	for at := 0; at < len(docs); at += BlockLen {
		block := docs[at:min(at+BlockLen, len(docs))]
		s := f.next(lambda[:], block, at)
		dst = s.Append(dst, lambda[:len(block)], 0)
		ends[at/BlockLen+1] = uint32((len(dst) - start) / 4)
	}
	return dst, nil
}

// DocsSize returns the bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) {
	if err := codec.CheckDocs(docs, codec.NoDoc); err != nil || len(docs) == 0 {
		return 0, err
	}
	m, _ := bucketBits(len(docs), docs[len(docs)-1])
	starts, lines, _ := fit(docs)
	f := fitter{starts: starts, lines: lines}
	words := headWords(m)
	var lambda [BlockLen]uint32
	for at := 0; at < len(docs); at += BlockLen {
		s := f.next(lambda[:], docs[at:min(at+BlockLen, len(docs))], at)
		words += s.Words()
	}
	return int(words) * 4, nil
}
