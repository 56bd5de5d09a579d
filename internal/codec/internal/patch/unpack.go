package patch

import (
	"math/bits"

	"github.com/pinion-index/pinion/internal/bitpack"
)

// Layout says where the parts of a block with exceptions lie.
type layout struct {
	Plan
	low  int    // byte at which the low bits begin
	bit  uint   // bit at which the exceptions begin
	pos  uint   // width of a position, at most 7, or asBitmap
	plus uint32 // added to what is stored of an overflow
}

// asBitmap stands in for the width of positions where they are a bitmap.
const asBitmap = 64

// kind is what the values of a block are.
type kind int

const (
	plain kind = iota
	freqs      // stored less one
	docs       // stored as gaps less one
)

// Unpack writes the n values of a block to dst: their low bits, which package
// bitpack packed, begin at byte low of src, and the exceptions, of which there is at
// least one, at bit. It returns false where positions do not ascend strictly, reach
// beyond n, or are not as many as the plan says. Low bits and the words of the
// exceptions must lie within src, and dst must have 128 elements, of which those from n
// on may be overwritten.
func Unpack(dst []uint32, n int, src []byte, low int, bit uint, p Plan) bool {
	l := layout{p, low, bit, p.form(), 1}
	return l.unpack(dst, n, src, plain, 0)
}

// form returns the width of positions, as many as the plan has exceptions.
func (p Plan) form() uint {
	if p.Count > ListMax {
		return asBitmap
	}
	return positionBits
}

// unpack writes n values of a kind to dst, docIDs being those that follow prev.
func (l *layout) unpack(dst []uint32, n int, src []byte, k kind, prev uint32) bool {
	dst = dst[:bitpack.BlockLen:bitpack.BlockLen]
	if l.Count == 0 {
		switch k {
		case plain:
			bitpack.Unpack(dst, src[l.low:], n, l.Width)
		case freqs:
			bitpack.UnpackFreqs(dst, src[l.low:], n, l.Width)
		case docs:
			bitpack.UnpackDocs(dst, src[l.low:], n, l.Width, prev)
		}
		return true
	}
	if l.wide(src, k) {
		return l.unpackWide((*[bitpack.BlockLen]uint32)(dst), n, src, k, prev)
	}
	d, ok := sourceOf(src)
	if !ok {
		return l.unpackSlowly(dst, n, src, k, prev)
	}
	if l.pos == asBitmap && l.Over <= octetBits && vectors(src) {
		return l.unpackVectors((*[bitpack.BlockLen]uint32)(dst), n, src, d, k, prev)
	}
	if k == freqs {
		bitpack.UnpackFreqs(dst, src[l.low:], n, l.Width)
	} else {
		bitpack.Unpack(dst, src[l.low:], n, l.Width)
	}
	if !l.add((*[bitpack.BlockLen]uint32)(dst), d, n) {
		return false
	}
	if k == docs {
		bitpack.PrefixSum(dst[:n], prev)
	}
	return true
}

// add adds the exceptions of a block of n values.
func (l *layout) add(values *[bitpack.BlockLen]uint32, d source, n int) bool {
	if l.pos == asBitmap {
		return l.addBitmap(values, d, n)
	}
	if l.Count <= ListMax && l.Over <= octetBits {
		return l.addFew(values, d, n)
	}
	var places octets
	places.read(d, l.bit, l.pos, l.Count, 0)
	if !places.rising(l.Count) || places.at(l.Count-1) >= uint(n) {
		return false
	}
	bit := l.bit + l.Count*l.pos
	if l.Over <= octetBits {
		var overflows octets
		overflows.read(d, bit, l.Over, l.Count, uint(l.plus))
		overflows.addAt(values, &places, l.Count, l.Width)
		return true
	}
	mask, times := fieldMask(l.Over), uint32(uint64(1)<<(l.Width&63))
	for _, i := range places.slice(l.Count)[:l.Count] {
		*value(values, i) += (uint32(d.at(bit)&mask) + l.plus) * times
		bit += l.Over
	}
	return true
}

// present has, for each number of listed exceptions, ones in as many octets.
var present = func() (t [ListMax + 1][2]uint64) {
	for n := range t {
		t[n] = [2]uint64{1<<(8*min(n, 8)) - 1, 1<<(8*max(n-8, 0)) - 1}
	}
	return t
}()

// addFew adds at most ListMax listed exceptions of at most octetBits. It reads two words of
// eight, whatever their number, so that few branches depend on it.
func (l *layout) addFew(values *[bitpack.BlockLen]uint32, d source, n int) bool {
	s := &spreads[l.pos&octetBits]
	x, y := s.octets(d.at(l.bit)), s.octets(d.at(l.bit+8*l.pos))
	leastX, leastY := (x+each(1))<<8, (y+each(1))<<8|(x>>56+1)
	is := &present[l.Count%uint(len(present))]
	less := ^((x|each(128))-leastX)&is[0] | ^((y|each(128))-leastY)&is[1]
	if less&each(128) != 0 {
		return false
	}
	bit := l.bit + l.Count*l.pos
	s = &spreads[l.Over&octetBits]
	more, times := each(uint64(l.plus)), uint32(uint64(1)<<(l.Width&63))
	u, v := (s.octets(d.at(bit))+more)&is[0], (s.octets(d.at(bit+8*l.Over))+more)&is[1]
	if n < bitpack.BlockLen && !l.last(x, y, n) {
		return false
	}
	for range 8 {
		*value(values, uint8(x)) += uint32(uint8(u)) * times
		x, u = x>>8, u>>8
	}
	if l.Count > 8 {
		for range 8 {
			*value(values, uint8(y)) += uint32(uint8(v)) * times
			y, v = y>>8, v>>8
		}
	}
	return true
}

// last reports whether the last of the positions in x and y is below n.
func (l *layout) last(x, y uint64, n int) bool {
	if l.Count > 8 {
		x = y
	}
	return uint8(x>>((l.Count-1)%8*8)) < uint8(n)
}

func (l *layout) addBitmap(values *[bitpack.BlockLen]uint32, d source, n int) bool {
	lo, hi := d.at64(l.bit), d.at64(l.bit+64)
	last := bits.Len64(lo)
	if hi != 0 {
		last = 64 + bits.Len64(hi)
	}
	if last > n || uint(bits.OnesCount64(lo)+bits.OnesCount64(hi)) != l.Count {
		return false
	}
	bit := l.bit + bitmapBits
	if l.Over <= octetBits {
		var overflows octets
		overflows.read(d, bit, l.Over, l.Count, uint(l.plus))
		overflows.addIn(values, lo, hi, l.Count, l.Width)
		return true
	}
	mask, times, plus, width := fieldMask(l.Over), uint32(uint64(1)<<(l.Width&63)), l.plus, l.Over
	for base := 0; base < bitmapBits; base += 64 {
		for ; lo != 0; lo &= lo - 1 {
			i := base + bits.TrailingZeros64(lo)
			values[i&(bitmapBits-1)] += (uint32(d.at(bit)&mask) + plus) * times
			bit += width
		}
		lo = hi
	}
	return true
}

// unpackSlowly is unpack for a block at the very end of memory: it unpacks a copy.
//
//go:noinline
func (l *layout) unpackSlowly(dst []uint32, n int, src []byte, k kind, prev uint32) bool {
	var buf [maxBlock + readable]byte
	return len(src) <= maxBlock && l.unpack(dst, n, buf[:copy(buf[:maxBlock], src)], k, prev)
}
