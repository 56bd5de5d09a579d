package layout

import (
	"encoding/binary"
	"math/bits"
)

// MaxString is the maximum length of a term or external id in bytes.
const MaxString = 65535

// HeadMax in one half of a head means that a varint with the excess follows. A term or id
// is front-coded: a byte, the head, with the length shared with the previous string in its
// low half and the length of the suffix in its high half; for each half that is HeadMax, a
// varint with the excess; the suffix.
const HeadMax = 15

// Uvarint decodes the varint at pos and returns the position after it, or -1 if it is
// malformed or not in its shortest form.
func Uvarint(b []byte, pos int) (uint64, int) {
	if uint(pos) < uint(len(b)) && b[pos] < 0x80 {
		return uint64(b[pos]), pos + 1
	}
	if uint(pos) >= uint(len(b)) {
		return 0, -1
	}
	v, n := binary.Uvarint(b[pos:])
	if n <= 0 || b[pos+n-1] == 0 {
		return 0, -1
	}
	return v, pos + n
}

// UvarintBefore decodes the varint whose bytes are before pos in reverse order, of at most MaxPartLength
// bytes, and returns the position of the last of them, or -1 if it is malformed or not in its shortest
// form.
func UvarintBefore(b []byte, pos int) (v uint64, at int) {
	for shift := 0; shift < 7*MaxPartLength; shift += 7 {
		if pos--; uint(pos) >= uint(len(b)) {
			return 0, -1
		}
		c := b[pos]
		if v |= uint64(c&0x7f) << shift; c < 0x80 {
			if c == 0 && shift > 0 {
				return 0, -1
			}
			return v, pos
		}
	}
	return 0, -1
}

// ShortVarint returns the varint of at most 5 bytes at the beginning of b, and its length,
// or 0 if it is longer or not in its shortest form.
func ShortVarint(b uint64) (v uint64, n int) {
	stop := ^b & 0x8080808080808080
	n = bits.TrailingZeros64(stop)/8 + 1
	b &= stop ^ (stop - 1)
	if n > 5 || n > 1 && b>>(8*uint(n-1)&63) == 0 {
		return 0, 0
	}
	return b&0x7f | b>>1&(0x7f<<7) | b>>2&(0x7f<<14) | b>>3&(0x7f<<21) | b>>4&(0x7f<<28), n
}

// Head decodes the head of the term or id at pos, whose predecessor has prevLen bytes: it
// consists of the predecessor's first lcp bytes and suffix. next is the position after it,
// or -1 if the bytes are invalid.
func Head(b []byte, pos, prevLen int) (lcp int, suffix []byte, next int) {
	if uint(pos) >= uint(len(b)) {
		return 0, nil, -1
	}
	l, n := uint64(b[pos]&HeadMax), uint64(b[pos]>>4)
	pos++
	var more uint64
	if l == HeadMax {
		if more, pos = Uvarint(b, pos); more > MaxString {
			return 0, nil, -1
		}
		l += more
	}
	if n == HeadMax {
		if more, pos = Uvarint(b, pos); more > MaxString {
			return 0, nil, -1
		}
		n += more
	}
	if pos < 0 || l > uint64(prevLen) || l+n > MaxString || l+n == 0 || n > uint64(len(b)-pos) {
		return 0, nil, -1
	}
	return int(l), b[pos : pos+int(n)], pos + int(n)
}

// TermKey returns the key in TERMINDEX of a block that begins with term.
func TermKey(term []byte) uint64 {
	n := len(term)
	switch {
	case n >= 8:
		return binary.BigEndian.Uint64(term)
	case n >= 4: // the halves overlap
		return uint64(binary.BigEndian.Uint32(term))<<32 | uint64(binary.BigEndian.Uint32(term[n-4:]))<<(64-8*n)
	}
	key := uint64(0)
	for i, c := range term {
		key |= uint64(c) << (56 - 8*i)
	}
	return key
}

// AppendHead appends a term or id that shares lcp bytes with the previous one.
func AppendHead(dst []byte, lcp int, term []byte) []byte {
	n := len(term) - lcp
	dst = append(dst, byte(min(lcp, HeadMax)|min(n, HeadMax)<<4))
	if lcp >= HeadMax {
		dst = binary.AppendUvarint(dst, uint64(lcp-HeadMax))
	}
	if n >= HeadMax {
		dst = binary.AppendUvarint(dst, uint64(n-HeadMax))
	}
	return AppendShort(dst, term[lcp:])
}

// AppendShort is append, optimized for a short src and a dst with room for 16 bytes.
func AppendShort(dst, src []byte) []byte {
	n := len(dst)
	if len(src) <= 16 && cap(src) >= 16 && cap(dst)-n >= 16 {
		*(*[16]byte)(dst[n : n+16]) = [16]byte(src[:16])
		return dst[:n+len(src)]
	}
	return append(dst, src...)
}

// CommonPrefix returns how many bytes a and b share.
func CommonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// FrontCoded is a term or id that was front-coded. It has room for wide copies.
type FrontCoded struct {
	room []byte // the string and at least 16 more bytes
	n    int    // its length
}

// NewFrontCoded returns b as the first string.
func NewFrontCoded(b []byte) FrontCoded {
	return FrontCoded{append(make([]byte, 0, len(b)+64), b...)[:len(b)+64], len(b)}
}

// Bytes returns the string, valid until the next Set.
func (f *FrontCoded) Bytes() []byte { return f.room[:f.n] }

// Len returns the length of the string.
func (f *FrontCoded) Len() int { return f.n }

// At returns byte i of the string.
func (f *FrontCoded) At(i int) byte { return f.room[i] }

// Head is the function Head for the string after f, optimized for short strings.
func (f *FrontCoded) Head(b []byte, pos int) (lcp int, suffix []byte, next int) {
	if pos < len(b) {
		lcp, size := int(b[pos]&HeadMax), int(b[pos]>>4)
		next := pos + 1 + size
		if lcp < HeadMax && size < HeadMax && lcp+size > 0 && lcp <= f.n && next <= len(b) {
			return lcp, b[pos+1 : next], next
		}
	}
	return Head(b, pos, f.n)
}

// Set makes f its own first lcp bytes followed by suffix.
func (f *FrontCoded) Set(lcp int, suffix []byte) {
	f.n = lcp + len(suffix)
	if need := f.n + 16; need > len(f.room) {
		f.room = append(make([]byte, 0, 2*need), f.room[:lcp]...)[:2*need]
	}
	if len(suffix) <= 16 && cap(suffix) >= 16 {
		*(*[16]byte)(f.room[lcp:]) = [16]byte(suffix[:16])
		return
	}
	copy(f.room[lcp:], suffix)
}

// Common returns how many bytes f and g share, given that they share at least from.
func (f *FrontCoded) Common(g *FrontCoded, from int) int {
	a, b, n := f.room, g.room, min(f.n, g.n)
	for at := from; at < n; at += 8 { // both have 8 bytes of room after n
		if x := binary.LittleEndian.Uint64(a[at:]) ^ binary.LittleEndian.Uint64(b[at:]); x != 0 {
			return min(at+bits.TrailingZeros64(x)/8, n)
		}
	}
	return n
}
