package posblock

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/internal/bitpack"
)

// Piece is a piece of a block: its parts, of which no byte was read but the header.
type Piece struct {
	indexes, highs, values []byte
	width, high            uint
	partial                bool
}

// Next returns the piece at the beginning of b, what remains of a block, and what follows it.
// It returns false if b does not begin with a piece.
func Next(b []byte) (p Piece, rest []byte, ok bool) {
	if len(b) < headSize {
		return p, nil, false
	}
	head := binary.LittleEndian.Uint16(b)
	p.width, p.high = uint(head&fieldMask), uint(head>>highShift&fieldMask)
	patched := int(head >> countShift & fieldMask)
	p.partial = head&partial != 0
	if p.width+p.high > 31 || (patched == 0) != (p.high == 0) {
		return p, nil, false
	}
	at := headSize + patched
	end := at + bytesOf(patched, p.high)
	size := len(b) - end // of the values: a partial piece ends with its block
	if !p.partial {
		size = laneBytes * int(p.width)
	}
	if size < 0 || end+size > len(b) {
		return p, nil, false
	}
	p.indexes, p.highs, p.values = b[headSize:at], b[at:end], b[end:end+size]
	return p, b[end+size:], true
}

// Skip returns what follows the first count pieces of b, none of which is the last of its block,
// or false if it is malformed.
func Skip(b []byte, count int) ([]byte, bool) {
	for range count {
		if len(b) < headSize {
			return nil, false
		}
		head := binary.LittleEndian.Uint16(b)
		patched := int(head >> countShift & fieldMask)
		size := headSize + patched + bytesOf(patched, uint(head>>highShift&fieldMask)) + laneBytes*int(head&fieldMask)
		if head&partial != 0 || size > len(b) {
			return nil, false
		}
		b = b[size:]
	}
	return b, true
}

// Len returns the number of gaps of p as far as its bytes tell: at most that of a piece that is
// partial.
func (p *Piece) Len() int {
	switch {
	case !p.partial:
		return PieceLen
	case p.width == 0:
		return PieceLen - 1
	}
	return min(8*len(p.values)/int(p.width), PieceLen-1)
}

// Decode writes the first n gaps of p to dst, which has room for PieceLen. n is at most p.Len().
// It returns false if p is malformed.
func (p *Piece) Decode(dst *[PieceLen]uint32, n int) bool {
	if !p.partial {
		bitpack.Unpack(dst[:], p.values, PieceLen, p.width)
	} else {
		unpack(dst[:n], p.values, 0, p.width)
	}
	at := uint(0)
	mask := uint32(1)<<p.high - 1
	for _, i := range p.indexes {
		if i >= PieceLen {
			return false
		}
		dst[i] |= uint32(load(p.highs, at)) & mask << p.width
		at += p.high
	}
	return true
}

// Some writes the gaps of p from first up to before end to dst. It reads no others. end is at most
// p.Len(), and end-first at most len(dst).
func (p *Piece) Some(dst []uint32, first, end int) {
	dst = dst[:end-first]
	if p.partial {
		unpack(dst, p.values, uint(first)*p.width, p.width)
	} else {
		mask := uint32(1)<<p.width - 1
		for i := range dst {
			dst[i] = p.lane(uint(first+i)) & mask
		}
	}
	for j, i := range p.indexes {
		if i := int(i); i >= first {
			if i >= end {
				break
			}
			dst[i-first] |= uint32(load(p.highs, uint(j)*p.high)) & (1<<p.high - 1) << p.width
		}
	}
}

// lane returns the word of value i of a piece that is not partial, shifted down to it.
func (p *Piece) lane(i uint) uint32 {
	bit := i / 4 * p.width
	at := int(bit/32*laneBytes + i%4*4)
	if at+4 > len(p.values) {
		return 0 // of width 0
	}
	w := uint64(binary.LittleEndian.Uint32(p.values[at:]))
	if at += laneBytes; at+4 <= len(p.values) {
		w |= uint64(binary.LittleEndian.Uint32(p.values[at:])) << 32
	}
	return uint32(w >> (bit % 32))
}

// Most returns how many gaps a block of n bytes can have.
func Most(n int) uint64 { return uint64(n) * PieceLen / headSize }

// DecodeBlock decodes b, a block of len(dst) gaps. It reports whether b is exactly that.
func DecodeBlock(dst []uint32, b []byte) bool {
	for len(dst) > 0 {
		p, rest, ok := Next(b)
		n := min(len(dst), PieceLen)
		if !ok || !p.fits(n) {
			return false
		}
		if n == PieceLen {
			ok = p.Decode((*[PieceLen]uint32)(dst), n)
		} else {
			var short [PieceLen]uint32
			ok = p.Decode(&short, n)
			copy(dst, short[:n])
		}
		if !ok {
			return false
		}
		dst, b = dst[n:], rest
	}
	return len(b) == 0
}

// fits reports whether p is a piece of n gaps, as far as its header tells.
func (p *Piece) fits(n int) bool {
	return p.partial == (n < PieceLen) && len(p.values) == valuesSize(n, p.width)
}

// Fits reports whether b is a block of n gaps, as far as the headers of its pieces tell.
func Fits(b []byte, n int) bool {
	for ; n > 0; n -= PieceLen {
		p, rest, ok := Next(b)
		if !ok || !p.fits(min(n, PieceLen)) {
			return false
		}
		b = rest
	}
	return len(b) == 0
}
