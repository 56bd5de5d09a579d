package patch

import (
	"encoding/binary"
	"math/bits"
)

// Low returns value i of those that package bitpack packed with width bits in src.
func Low(src []byte, width, i uint) uint32 {
	if width == 0 {
		return 0
	}
	bit := i / 4 * width
	at, shift := bit/32*16+i%4*4, bit%32
	x := uint64(binary.LittleEndian.Uint32(src[at:]))
	if shift+width > 32 {
		x |= uint64(binary.LittleEndian.Uint32(src[at+16:])) << 32
	}
	return uint32(x>>shift) & uint32(uint64(1)<<width-1)
}

// Find returns what exception position i adds to the low bits of value i, or 0
// where value i is no exception. The words of the exceptions must lie within src.
func Find(src []byte, bit uint, p Plan, i uint) uint32 {
	if p.Count > ListMax {
		return findBitmap(src, bit, p, i)
	}
	return findList(src, bit, p, i, positionBits, 1)
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
