package hslrc

import (
	"encoding/binary"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/regress"
)

// buckets is the table of buckets.
type buckets struct {
	table []byte
	shift uint
}

// openBuckets returns the table of buckets at the start of the list.
func openBuckets(s *format.Sequence) (buckets, error) {
	m, shift := bucketBits(s.N, s.Last[len(s.Last)-1])
	head := headWords(m)
	if uint(s.Ends[0]) != head || uint(len(s.Payload)) < head*4 {
		return buckets{}, codec.ErrEndpoints
	}
	if binary.LittleEndian.Uint32(s.Payload[head*4-4:]) != uint32(shift) {
		return buckets{}, codec.ErrBlock
	}
	return buckets{s.Payload[:head*4-4], shift}, nil
}

func (b buckets) len() uint32 { return uint32(len(b.table) / bucketSize) }

// start returns the first element of bucket h.
func (b buckets) start(h uint32) int {
	return int(binary.LittleEndian.Uint32(b.table[h*bucketSize:]))
}

func (b buckets) line(h uint32) regress.Line {
	e := b.table[h*bucketSize:]
	return regress.Line{Intercept: binary.LittleEndian.Uint32(e[4:]), Slope: binary.LittleEndian.Uint64(e[8:])}
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, blockDocs)
}

// blockDocs decodes a block of docIDs.
func blockDocs(dst []uint32, s *format.Sequence, i int) (int, error) {
	segment, err := regress.Open(s, i, 0)
	if err != nil {
		return 0, err
	}
	table, err := openBuckets(s)
	if err != nil {
		return 0, err
	}
	h, upper := (codec.Prev(s, i)+1)>>table.shift, s.Last[i]>>table.shift // the buckets that its docIDs can be in
	if h > upper || upper >= table.len() {
		return 0, codec.ErrBlock
	}
	dst = dst[:BlockLen:BlockLen]
	if !segment.Lambda(dst) || !table.add(dst[:segment.N], i*BlockLen, h, upper, segment.Least, codec.Prev(s, i)) {
		return 0, codec.ErrBlock
	}
	if dst[segment.N-1] != s.Last[i] {
		return 0, codec.ErrLastDoc
	}
	return segment.N, nil
}

// find returns the last bucket from lo to hi that starts at or before element k, or lo if
// there is none.
func (b buckets) find(lo, hi uint32, k int) uint32 {
	if lo == hi || b.start(lo+1) > k {
		return lo
	}
	return lo + uint32(sort.Search(int(hi-lo), func(i int) bool { return b.start(lo+1+uint32(i)) > k }))
}

// add adds M and the lines of the buckets, h to upper, to the lambda v of the elements
// from first on. It returns false unless elements and buckets agree and docIDs increase
// from prev.
func (b buckets) add(v []uint32, first int, h, upper, least, prev uint32) bool {
	for j := 0; j < len(v); h++ {
		h = b.find(h, upper, first+j)
		start, end := b.start(h)-first, len(v)
		if start > j || start < j && j > 0 { // only the first bucket may start before the block
			return false
		}
		if h < upper {
			end = min(end, b.start(h+1)-first)
		}
		if end <= j {
			return false
		}
		l := b.line(h).From(j - start)
		l.Start += least
		if !l.Add(v[j:end], prev) {
			return false
		}
		prev, j = v[end-1], end
	}
	return true
}

// StrictDocs implements codec.Strict. Low bits of slopes may be more than the docIDs need.
func (Codec) StrictDocs(s *format.Sequence, i int, docs []uint32) error {
	table, err := openBuckets(s)
	if err != nil {
		return err
	}
	if _, err := regress.Strict(s, i, 0, uint(s.Ends[0])); err != nil {
		return err
	}
	if i == 0 && !table.strict(s.N) {
		return codec.ErrLoose
	}
	for j, d := range docs {
		h := d >> table.shift
		if h >= table.len() || table.start(h) > i*BlockLen+j || h+1 < table.len() && table.start(h+1) <= i*BlockLen+j {
			return codec.ErrLoose // in a bucket that is not its own
		}
	}
	return nil
}

// strict reports whether the buckets divide n elements, and those without any have no line.
func (b buckets) strict(n int) bool {
	at := 0
	for h := range b.len() {
		start, end := b.start(h), n
		if h+1 < b.len() {
			end = b.start(h + 1)
		}
		if start != at || end < start || end > n || start == end && b.line(h) != (regress.Line{}) {
			return false
		}
		at = end
	}
	return true
}
