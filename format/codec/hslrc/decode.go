package hslrc

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/regress"
	"github.com/pinion-index/pinion/internal/simd"
)

// buckets is the table of buckets.
type buckets struct {
	table []byte
	shift uint
}

func (b buckets) start(h uint32) int {
	return int(binary.LittleEndian.Uint32(b.table[h*bucketSize:]))
}

func (b buckets) line(h uint32) regress.Line {
	e := b.table[h*bucketSize:]
	return regress.Line{Intercept: binary.LittleEndian.Uint32(e[4:]), Slope: binary.LittleEndian.Uint64(e[8:])}
}

// find returns the last bucket from lo to hi that begins at or before element k, or
// lo. It looks at the next few first: k mostly is in one of them.
func (b buckets) find(lo, hi uint32, k int) uint32 {
	for step := uint32(1); lo < hi && b.start(lo+1) <= k; {
		if step = min(2*step, hi-lo); b.start(lo+step) <= k {
			lo += step
			continue
		}
		for end := lo + step; end-lo > 1; { // the last in [lo, end)
			if m := lo + (end-lo)/2; b.start(m) <= k {
				lo = m
			} else {
				end = m
			}
		}
		return lo
	}
	return lo
}

// block is a block taken apart.
type block struct {
	n, first      int // elements, the first one of them
	buckets       buckets
	lowest, upper uint32 // the buckets that its docIDs can be in
	segment       regress.Segment
}

// open takes block i apart.
func (b *block) open(s *codec.Sequence, i int) error {
	p, n, err := s.Block(i, BlockLen)
	if err != nil {
		return err
	}
	if uint(n-1) >= BlockLen {
		return codec.ErrBlock
	}
	prev, last := s.Prev(i), s.Last[i]
	if err := codec.CheckLast(last, last, prev, n); err != nil {
		return err
	}
	m, shift := bucketBits(s.N, s.Last[len(s.Last)-1])
	head := headWords(m)
	if uint(s.Ends[0]) != head || uint(len(s.Payload)) < head*4 {
		return codec.ErrEndpoints
	}
	if binary.LittleEndian.Uint32(s.Payload[head*4-4:]) != uint32(shift) || last>>shift >= 1<<m {
		return codec.ErrBlock
	}
	b.n, b.first = n, i*BlockLen
	b.buckets = buckets{s.Payload[:head*4-4], shift}
	b.lowest, b.upper = (prev+1)>>shift, last>>shift
	if b.buckets.start(b.lowest) > b.first { // all docIDs up to prev are in it or before
		return codec.ErrBlock
	}
	if !b.segment.Open(p, n, 0) {
		return codec.ErrBlock
	}
	return nil
}

// line returns the line of element j of the block, which is in a bucket from h on:
// the bucket, the line as seen from the origin, and the elements from origin up to
// end of the block which it is good for.
func (b *block) line(h uint32, j int) (bucket uint32, l regress.Local, origin, end int) {
	h = b.buckets.find(h, b.upper, b.first+j)
	start := b.buckets.start(h)
	origin, end = max(0, start-b.first), b.n
	if h < b.upper {
		end = min(end, b.buckets.start(h+1)-b.first)
	}
	return h, b.buckets.line(h).From(b.first + origin - start), origin, end
}

// at returns docID j of the block.
func (b *block) at(j int) uint32 {
	_, l, origin, _ := b.line(b.lowest, j)
	return l.At(j-origin) + b.segment.At(j)
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, run, blockDocs)
}

// blockDocs decodes one block.
func blockDocs(dst []uint32, s *codec.Sequence, i int) (int, error) {
	if b, ok := openBuckets(s); ok && b.fastBlock(dst, s, i) {
		return BlockLen, nil
	}
	return decodeDocs(dst, s, i)
}

// decodeDocs is DecodeDocs for every block.
func decodeDocs(dst []uint32, s *codec.Sequence, i int) (int, error) {
	var b block
	if err := b.open(s, i); err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	prev := s.Prev(i)
	bucket, l, origin, end := b.line(b.lowest, 0)
	if origin != 0 { // no bucket begins at or before the block
		return 0, codec.ErrBlock
	}
	if end >= b.n { // one bucket has them all
		if !b.segment.Docs(dst, l, prev) {
			return 0, codec.ErrBlock
		}
		return b.ended(dst[b.n-1], s.Last[i])
	}
	if !b.segment.Lambda(dst) || !b.add(dst, bucket, l, end, prev) {
		return 0, codec.ErrBlock
	}
	return b.ended(dst[b.n-1], s.Last[i])
}

// add adds to the block's deviations in dst the lines of their buckets, of which the first is h with
// line l up to end; false unless docIDs rise above prev, and the buckets' elements follow one another.
func (b *block) add(dst []uint32, h uint32, l regress.Local, end int, prev uint32) bool {
	for j := 0; ; {
		l.Start += b.segment.Least
		if end <= j || !l.Add(dst[j:end], prev) {
			return false
		}
		if end == b.n {
			return true
		}
		prev, j = dst[end-1], end
		next := b.first + j // the next bucket's first element, if it has any
		if h++; h < b.upper {
			if end = b.buckets.start(h + 1); end <= next {
				if h = b.buckets.find(h, b.upper, next); b.buckets.start(h) != next {
					return false
				}
				if end = b.first + b.n; h < b.upper {
					end = b.buckets.start(h + 1)
				}
			}
			end = min(end-b.first, b.n)
		} else {
			end = b.n
		}
		l = b.buckets.line(h).From(0)
	}
}

// run decodes full blocks in a row and returns how many. A block that the assembly cannot
// decode it goes through step by step, and on with the next.
func run(dst []uint32, s *codec.Sequence, block, count int) int {
	level := simd.Level()
	b, ok := openBuckets(s)
	if !ok || level < simd.AVX512 {
		return 0
	}
	count = min(count, s.N/BlockLen-block)
	n, size := 0, uint(len(b.table)/bucketSize)
	for n < count {
		if level < simd.VBMI2 && b.fastBlock(dst[n*BlockLen:], s, block+n) {
			n++
			continue
		}
		if level >= simd.VBMI2 {
			if n += regress.BucketRun(dst[n*BlockLen:], s, block+n, count-n, b.shift, size); n == count {
				break
			}
		}
		if _, err := decodeDocs(dst[n*BlockLen:], s, block+n); err != nil {
			break
		}
		n++
	}
	return max(0, n)
}

// openBuckets returns the table of buckets if that is what the list begins with.
func openBuckets(s *codec.Sequence) (b buckets, ok bool) {
	if len(s.Last) == 0 || len(s.Ends) == 0 || s.N > len(s.Last)*BlockLen {
		return b, false
	}
	m, shift := bucketBits(s.N, s.Last[len(s.Last)-1])
	head := headWords(m)
	if uint(s.Ends[0]) != head || uint(len(s.Payload)) < head*4 ||
		binary.LittleEndian.Uint32(s.Payload[head*4-4:]) != uint32(shift) {
		return b, false
	}
	return buckets{s.Payload[:head*4-4], shift}, true
}

// fastBlock decodes a full block whose docIDs are in one bucket or in two that follow one
// another; false where that must be done step by step.
func (b buckets) fastBlock(dst []uint32, s *codec.Sequence, i int) bool {
	if uint(i) >= uint(len(s.Last)) {
		return false
	}
	size := uint32(len(b.table) / bucketSize)
	prev, last := s.Prev(i), s.Last[i]
	lowest, upper := (prev+1)>>b.shift, last>>b.shift
	if upper >= size || upper-lowest > 1 {
		return false
	}
	if regress.BucketRun(dst, s, i, 1, b.shift, uint(size)) == 1 {
		return true
	}
	first := i * BlockLen
	start := b.start(lowest)
	if start > first {
		return false
	}
	var lines [2]regress.Local
	lines[0] = b.line(lowest).From(first - start)
	turn := BlockLen
	if upper != lowest {
		if turn = b.start(upper) - first; uint(turn) >= BlockLen {
			return false
		}
		lines[1] = b.line(upper).From(0)
	}
	return regress.TwoLines(dst, s, i, &lines, turn)
}

// ended returns the number of docIDs if the last is what the skip header says.
func (b *block) ended(last, want uint32) (int, error) {
	if last != want {
		return 0, codec.ErrLastDoc
	}
	return b.n, nil
}

// Doc returns docID i without decoding its block.
func (Codec) Doc(s *codec.Sequence, i int) (uint32, error) {
	var b block
	if err := b.open(s, i/BlockLen); err != nil {
		return 0, err
	}
	if _, _, origin, _ := b.line(b.lowest, 0); origin != 0 {
		return 0, codec.ErrBlock
	}
	return b.at(i % BlockLen), nil
}

// SeekGEQ returns the least index in block i whose docID is at least target, and
// that docID. The target's hash value tells which elements to look at.
func (Codec) SeekGEQ(s *codec.Sequence, i int, target uint32) (int, uint32, error) {
	var b block
	if err := b.open(s, i); err != nil {
		return 0, 0, err
	}
	prev, last := s.Prev(i), s.Last[i]
	if target > last {
		return 0, 0, codec.ErrLastDoc
	}
	h := max(target, prev+1) >> b.buckets.shift
	lo, hi := max(0, b.buckets.start(h)-b.first), b.n-1
	if h < b.upper {
		hi = min(hi, b.buckets.start(h+1)-b.first)
	}
	if lo > hi {
		return 0, 0, codec.ErrBlock
	}
	base := max(prev+1, h<<b.buckets.shift)
	top := min(last, h<<b.buckets.shift|(1<<b.buckets.shift-1))
	j, d, err := regress.Seek(hi-lo+1, base, top, target, func(j int) uint32 { return b.at(lo + j) })
	return lo + j, d, err
}
