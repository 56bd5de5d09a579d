package patch

import (
	"math/bits"

	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
)

// PutExceptions writes the exceptions of v under the plan p.
func (w *Writer) PutExceptions(v []uint32, p Plan) {
	if p.Count == 0 {
		return
	}
	var e exceptions
	e.split(v, p.Width)
	if p.Count > ListMax {
		for i := range uint(4) {
			w.Put(uint32(e.bitmap[i/2]>>(i%2*32)), 32)
		}
	} else {
		w.PutFields(e.positions[:p.Count], positionBits)
	}
	w.PutFields(e.overflows[:p.Count], p.Over)
}

// exceptions are those of a block, taken out.
type exceptions struct {
	positions, overflows [bitmapBits + 16]uint32 // overflows less one
	bitmap               [2]uint64
}

// splitPortable is split in one pass without branches: every value is noted, exceptions
// are kept.
func (e *exceptions) splitPortable(v []uint32, width uint) {
	n := uint32(0)
	e.bitmap = [2]uint64{}
	for i, x := range v {
		over := x >> (width & 31) // below 32: there are exceptions
		is := (over | -over) >> 31
		e.positions[n&(bitmapBits-1)] = uint32(i)
		e.overflows[n&(bitmapBits-1)] = over - 1
		e.bitmap[i/64&1] |= uint64(is) << (i & 63)
		n += is
	}
}

// Unpack writes the n values of a block to dst: their low bits, which package
// bitpack packed, begin at byte low of src, and the exceptions, of which there is at
// least one, at bit. It returns false where positions do not ascend strictly, reach
// beyond n, or are not as many as the plan says. Low bits and the words of the
// exceptions must lie within src, and dst have 128 elements, of which those from n on
// may be overwritten.
func Unpack(dst []uint32, n int, src []byte, low int, bit uint, p Plan) bool {
	return unpack(dst, n, src, low, bit, p, byCount, 1)
}

// UnpackFreqs is Unpack and adds one to every value.
func UnpackFreqs(dst []uint32, n int, src []byte, low int, bit uint, p Plan) bool {
	return unpackFreqs(dst, n, src, low, bit, p, byCount, 1)
}

// UnpackDocs is Unpack and turns the values, d-gaps less one, into docIDs that follow
// prev.
func UnpackDocs(dst []uint32, n int, src []byte, low int, bit uint, p Plan, prev uint32) bool {
	return unpackDocs(dst, n, src, low, bit, p, byCount, 1, prev)
}

// UnpackListFreqs is UnpackFreqs for exceptions whose positions are always listed, in
// fields of pos bits, at most 7, and whose overflows, of at least one bit, are stored
// as they are, not less one.
func UnpackListFreqs(dst []uint32, n int, src []byte, low int, bit uint, p Plan, pos uint) bool {
	return unpackFreqs(dst, n, src, low, bit, p, pos, 0)
}

// UnpackListDocs is UnpackDocs for exceptions as UnpackListFreqs takes them.
func UnpackListDocs(dst []uint32, n int, src []byte, low int, bit uint, p Plan, pos uint, prev uint32) bool {
	return unpackDocs(dst, n, src, low, bit, p, pos, 0, prev)
}

// In place of the width of positions: they are a bitmap, or what their number asks
// for.
const (
	asBitmap = 64
	byCount  = 255
)

func (p Plan) form() uint {
	if p.Count > ListMax {
		return asBitmap
	}
	return positionBits
}

// Room is what reading exceptions takes.
type Room struct{ places, overflows Bytes }

func applyPortable(dst []uint32, n int, src []byte, bit uint, p Plan, pos uint, less uint32) bool {
	var r Room
	return r.apply(dst, n, src, bit, p, pos, less)
}

func (r *Room) apply(dst []uint32, n int, src []byte, bit uint, p Plan, pos uint, less uint32) bool {
	if pos == byCount {
		pos = p.form()
	}
	if pos == asBitmap {
		return r.applyBitmap(dst, n, src, bit, p)
	}
	d, ok := SourceOf(src)
	if !ok || p.Count == 0 {
		return applySlowly(dst, n, src, bit, p, pos, less)
	}
	return r.list((*[bitpack.BlockLen]uint32)(dst), d, n, bit, p, pos, less)
}

// list adds listed exceptions to values.
func (r *Room) list(values *[bitpack.BlockLen]uint32, d Source, n int, bit uint, p Plan, pos uint, less uint32) bool {
	r.places.Read(d, bit, pos, p.Count, 0)
	if !r.places.Rising(p.Count) || r.places.At(p.Count-1) >= uint(n) {
		return false
	}
	bit += p.Count * pos
	if p.Over <= ByteBits {
		r.overflows.Read(d, bit, p.Over, p.Count, uint(less))
		r.overflows.AddAt(values, &r.places, p.Count, p.Width)
		return true
	}
	mask, times := fieldMask(p.Over), uint32(uint64(1)<<(p.Width&63))
	for _, i := range r.places.slice(p.Count)[:p.Count] {
		*value(values, i) += (uint32(d.At(bit)&mask) + less) * times
		bit += p.Over
	}
	return true
}

// AddList adds the exceptions in src, from bit on, to the values of a full block: at least
// one, such as UnpackListDocs takes. It returns false where that does, and where fewer than
// 8 bytes of memory follow src.
func (r *Room) AddList(values *[bitpack.BlockLen]uint32, src []byte, bit uint, p Plan, pos uint) bool {
	d, ok := SourceOf(src)
	return ok && r.list(values, d, bitpack.BlockLen, bit, p, pos, 0)
}

// applySlowly is applyPortable for a list at the very end of memory.
func applySlowly(dst []uint32, n int, src []byte, bit uint, p Plan, pos uint, less uint32) bool {
	over := bit + p.Count*pos
	next := uint32(0)
	for range p.Count {
		i := Get(src, bit, pos)
		if i < next || int(i) >= n {
			return false
		}
		dst[i] += (Get(src, over, p.Over) + less) << p.Width
		next = i + 1
		bit += pos
		over += p.Over
	}
	return true
}

func unpackPortable(dst []uint32, n int, src []byte, low int, bit uint, p Plan, pos uint, less uint32) bool {
	bitpack.Unpack(dst, src[low:], n, p.Width)
	return applyPortable(dst, n, src, bit, p, pos, less)
}

func unpackFreqsPortable(dst []uint32, n int, src []byte, low int, bit uint, p Plan, pos uint, less uint32) bool {
	bitpack.UnpackFreqs(dst, src[low:], n, p.Width)
	return applyPortable(dst, n, src, bit, p, pos, less)
}

func unpackDocsPortable(dst []uint32, n int, src []byte, low int, bit uint, p Plan, pos uint, less, prev uint32) bool {
	if n == bitpack.BlockLen {
		gaps := (*[bitpack.BlockLen]uint32)(dst)
		bitpack.Ones(gaps[:])
		if !applyPortable(dst, n, src, bit, p, pos, less) {
			return false
		}
		bitpack.AddDocs(gaps, src[low:], p.Width, prev)
		return true
	}
	if !unpackPortable(dst, n, src, low, bit, p, pos, less) {
		return false
	}
	bitpack.PrefixSum(dst[:n], prev)
	return true
}

func (r *Room) applyBitmap(dst []uint32, n int, src []byte, bit uint, p Plan) bool {
	lo := uint64(Get(src, bit, 32)) | uint64(Get(src, bit+32, 32))<<32
	hi := uint64(Get(src, bit+64, 32)) | uint64(Get(src, bit+96, 32))<<32
	last := bits.Len64(lo)
	if hi != 0 {
		last = 64 + bits.Len64(hi)
	}
	if last > n || uint(bits.OnesCount64(lo)+bits.OnesCount64(hi)) != p.Count {
		return false
	}
	d, ok := SourceOf(src)
	if !ok {
		return addBitmapSlowly(dst, lo, hi, src, bit+bitmapBits, p)
	}
	values := (*[bitmapBits]uint32)(dst)
	bit += bitmapBits
	if p.Over <= ByteBits {
		r.overflows.Read(d, bit, p.Over, p.Count, 1)
		r.overflows.AddIn(values, lo, hi, p.Count, p.Width)
		return true
	}
	mask := fieldMask(p.Over)
	for base := 0; base < bitmapBits; base += 64 {
		for ; lo != 0; lo &= lo - 1 {
			i := base + bits.TrailingZeros64(lo)
			values[i&(bitmapBits-1)] += uint32((d.At(bit)&mask + 1) << (p.Width & 63))
			bit += p.Over
		}
		lo = hi
	}
	return true
}

// addBitmapSlowly is the end of applyBitmap for a bitmap at the very end of memory.
func addBitmapSlowly(dst []uint32, lo, hi uint64, src []byte, bit uint, p Plan) bool {
	for base := 0; base < bitmapBits; base += 64 {
		for ; lo != 0; lo &= lo - 1 {
			dst[base+bits.TrailingZeros64(lo)] += (Get(src, bit, p.Over) + 1) << p.Width
			bit += p.Over
		}
		lo = hi
	}
	return true
}

// Find returns what exception position i adds to the low bits of value i, or 0
// where value i is no exception. The words of the exceptions must lie within src.
func Find(src []byte, bit uint, p Plan, i uint) uint32 {
	if p.Count > ListMax {
		return findBitmap(src, bit, p, i)
	}
	return findList(src, bit, p, i, positionBits, 1)
}

// FindList is Find for exceptions as UnpackListFreqs takes them.
func FindList(src []byte, bit uint, p Plan, i, pos uint) uint32 {
	return findList(src, bit, p, i, pos, 0)
}

func findList(src []byte, bit uint, p Plan, i, pos uint, less uint32) uint32 {
	lo, hi := uint(0), p.Count // binary search among the positions
	for lo < hi {
		m := (lo + hi) / 2
		if uint(Get(src, bit+m*pos, pos)) < i {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo == p.Count || uint(Get(src, bit+lo*pos, pos)) != i {
		return 0
	}
	return (Get(src, bit+p.Count*pos+lo*p.Over, p.Over) + less) << p.Width
}

func findBitmap(src []byte, bit uint, p Plan, i uint) uint32 {
	word := Get(src, bit+i/32*32, 32)
	if word>>(i%32)&1 == 0 {
		return 0
	}
	rank := uint(bits.OnesCount32(word & (1<<(i%32) - 1)))
	for w := uint(0); w < i/32; w++ {
		rank += uint(bits.OnesCount32(Get(src, bit+w*32, 32)))
	}
	if rank >= p.Count { // a broken bitmap
		return 0
	}
	return (Get(src, bit+bitmapBits+rank*p.Over, p.Over) + 1) << p.Width
}
