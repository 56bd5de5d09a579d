package colblock

import (
	"encoding/binary"
	"math/bits"
	"sort"

	"github.com/pinion-index/pinion/internal/bitpack"
)

// A block of sorted values has offsets that do not descend: distances from Min, or, if the
// values descend, from Max. It consists of rows of 128 documents: for each, its first offset, of 4
// or, if Width is above 32, 8 bytes; then for each a byte, its width; then for each, packed, by
// how much each offset is above the one before, 0 for the first.

func rowsOf(n int) int { return (n + row - 1) / row }

// firstSize returns the bytes of the first offset of a row.
func firstSize(width uint) int {
	if width > 32 {
		return 8
	}
	return 4
}

// sortedHead returns the bytes before the first row.
func sortedHead(n int, width uint) int64 { return int64(rowsOf(n) * (firstSize(width) + 1)) }

// appendSorted appends the values as a block of sorted ones, and reports whether they are sorted.
func (x *Encoder) appendSorted(dst []byte, e *Entry) ([]byte, bool) {
	if !sortedAs(x.values, e.Form) {
		return dst, false
	}
	n := len(x.values)
	x.offsets(e)
	if e.Form == Descend {
		span := e.Span()
		for i, d := range x.nums {
			x.nums[i] = span - d
		}
	}
	for i := 0; i < n; i += row {
		dst = appendFirst(dst, x.nums[i], uint(e.Width))
	}
	widths := len(dst)
	dst = append(dst, make([]byte, rowsOf(n))...)
	for i := 0; i < n; i += row {
		of := x.nums[i:min(i+row, n)]
		all := uint64(0)
		for j := len(of) - 1; j > 0; j-- {
			of[j] -= of[j-1]
			all |= of[j]
		}
		of[0] = 0
		width := bits.Len64(all)
		dst[widths+i/row] = byte(width)
		dst = appendPacked(dst, of, uint(width))
	}
	return dst, true
}

// sortedAs reports whether v is sorted as a block of a form is.
func sortedAs(v []int64, f Form) bool {
	for i := 1; i < len(v); i++ {
		if a, b := v[i-1], v[i]; a != b && (a > b) != (f == Descend) {
			return false
		}
	}
	return true
}

func appendFirst(dst []byte, v uint64, width uint) []byte {
	if firstSize(width) == 8 {
		return binary.LittleEndian.AppendUint64(dst, v)
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(v))
}

// sorted are the parts of a block of sorted values.
type sorted struct {
	n      int
	firsts []byte
	size   int // of a first offset
	widths []byte
	rows   []byte
}

// parseSorted finds the parts of b, and reports whether it has them and no more.
func parseSorted(b []byte, n int, width uint) (s sorted, ok bool) {
	head := sortedHead(n, width)
	if int64(len(b)) < head {
		return s, false
	}
	rows := rowsOf(n)
	s = sorted{n: n, size: firstSize(width), widths: b[rows*firstSize(width) : head], firsts: b, rows: b[head:]}
	last := uint(s.widths[rows-1])
	sum, ok := sumWidths(s.widths)
	size := (sum-int64(last))*bitpack.VectorSize + packedSize(n-(rows-1)*row, last)
	return s, ok && size == int64(len(s.rows))
}

// sumWidths returns the sum of widths, and whether none is above 64. A row of 128 has 16 bytes for each bit of its width.
func sumWidths(widths []byte) (sum int64, ok bool) {
	const even, high = 0x00ff00ff00ff00ff, 0x8080808080808080
	above := uint64(0) // has a high bit where a width is above 64
	for ; len(widths) >= 8; widths = widths[8:] {
		w := binary.LittleEndian.Uint64(widths)
		above |= w | w&^high + 0x3f3f3f3f3f3f3f3f
		sum += int64((w&even + w>>8&even) * 0x0001000100010001 >> 48)
	}
	for _, w := range widths {
		above |= uint64(w) | uint64(w&0x7f+0x3f)
		sum += int64(w)
	}
	return sum, above&high == 0
}

// first returns the first offset of row r.
func (s *sorted) first(r int) uint64 {
	if s.size == 8 {
		return binary.LittleEndian.Uint64(s.firsts[8*r:])
	}
	return uint64(binary.LittleEndian.Uint32(s.firsts[4*r:]))
}

// packed returns the differences of row r.
func (s *sorted) packed(r int) packed {
	before, _ := sumWidths(s.widths[:r])
	at := before * bitpack.VectorSize
	n, width := min(row, s.n-r*row), uint(s.widths[r])
	return packed{s.rows[at : at+packedSize(n, width)], n, width}
}

// sumWidth is up to which width the differences of a row add up to less than 2^32, also with one more for each.
const sumWidth = 24

// sums sets dst to the differences of a row, of up to sumWidth bits, from its first offset: dst[i] has i+1 more.
func (p packed) sums(dst *[row]uint32) { bitpack.UnpackDocs(dst[:], p.b, p.n, p.width, 0) }

// at returns the offset of document i.
func (s *sorted) at(i int) uint64 {
	p := s.packed(i / row)
	if p.width > sumWidth {
		var v [row]uint64
		s.row(&v, i/row)
		return v[i%row]
	}
	first := s.first(i / row)
	if p.width == 0 {
		return first
	}
	var v [row]uint32
	p.sums(&v)
	return first + uint64(v[i%row]) - uint64(i%row+1)
}

// row decodes the offsets of row r into dst, and returns how many there are.
func (s *sorted) row(dst *[row]uint64, r int) int {
	p, sum := s.packed(r), s.first(r)
	if p.width <= sumWidth {
		var v [row]uint32
		p.sums(&v)
		for i := range p.n {
			dst[i&(row-1)] = sum + uint64(v[i&(row-1)]) - uint64(i+1)
		}
		return p.n
	}
	p.each(func(_ int, v []uint64) {
		for i, d := range v {
			sum += d
			dst[i] = sum
		}
	})
	return p.n
}

// search returns the number of the first document whose offset is at least off, n if there is
// none.
func (s *sorted) search(off uint64) int {
	r := sort.Search(len(s.widths), func(r int) bool { return s.first(r) >= off })
	if r == 0 {
		return 0
	}
	var v [row]uint64
	n := s.row(&v, r-1)
	return (r-1)*row + sort.Search(n, func(i int) bool { return v[i] >= off })
}
