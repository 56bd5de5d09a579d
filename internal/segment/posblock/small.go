package posblock

import (
	"math/bits"
)

// A list of one position is the position, little-endian, in as few bytes as it takes. One of 2 to
// 127 positions is a bit stream as a compact list is (Golomb 1966, Rice 1979):
//
//	5 bits    k
//	n times   the low k bits of a gap
//	n times   its other bits q in unary: q zeros and a one

const riceHead = 5 // bits of k

// AppendList appends the gaps of a list without an extent.
func AppendList(dst []byte, gaps []uint32) []byte {
	if len(gaps) < SmallBelow {
		return AppendSmall(dst, gaps)
	}
	return AppendBlock(dst, gaps)
}

// AppendSmall appends a list of 1 to SmallBelow-1 gaps.
func AppendSmall(dst []byte, gaps []uint32) []byte {
	if len(gaps) == 1 {
		for g := gaps[0]; g > 0; g >>= 8 {
			dst = append(dst, byte(g))
		}
		return dst
	}
	k := riceParameter(gaps)
	w := bitWriter{b: dst}
	w.put(uint64(k), riceHead)
	for _, g := range gaps {
		w.put(uint64(g&(1<<k-1)), k)
	}
	for _, g := range gaps {
		w.unary(g >> k)
	}
	return w.done()
}

// riceParameter returns the k with which gaps take the fewest bits, the least of several.
func riceParameter(gaps []uint32) uint {
	sum := uint64(0)
	for _, g := range gaps {
		sum += uint64(g)
	}
	// The number of bits is convex in k, so a walk downhill ends at the least. It begins
	// near it.
	k := uint(max(bits.Len64(sum/uint64(len(gaps))), 1) - 1)
	best := riceBits(gaps, k)
	for k < 30 {
		n := riceBits(gaps, k+1)
		if n >= best {
			break
		}
		k, best = k+1, n
	}
	for k > 0 {
		n := riceBits(gaps, k-1)
		if n > best {
			break
		}
		k, best = k-1, n
	}
	return k
}

// riceBits returns how many bits gaps take with k, without the head and the ones.
func riceBits(gaps []uint32, k uint) uint64 {
	n := uint64(k) * uint64(len(gaps))
	for _, g := range gaps {
		n += uint64(g >> (k & 31))
	}
	return n
}

// DecodeSmall decodes a list of len(gaps) gaps, 1 to SmallBelow-1. It reports whether b is as long
// as they are.
func DecodeSmall(gaps []uint32, b []byte) bool {
	if len(gaps) == 1 {
		if len(b) > 4 {
			return false
		}
		g := uint32(loadEnd(b, 0))
		gaps[0] = g
		return g <= MaxPosition && uint(len(b)) == uint(bits.Len32(g)+7)/8
	}
	n, end := uint(len(gaps)), 8*uint(len(b))
	k := uint(load(b, 0)) & (1<<riceHead - 1)
	low, pos := uint(riceHead), riceHead+n*k
	if pos > end {
		return false
	}
	mask, q := uint32(1)<<k-1, uint64(0) // q: zeros of the current code in earlier words
	for i := 0; ; {
		if pos >= end {
			return false
		}
		w, begin := load(b, pos)&(1<<loadedBits-1), uint(0)
		for w != 0 {
			one := uint(bits.TrailingZeros64(w))
			w &= w - 1
			q += uint64(one - begin)
			begin = one + 1
			if q<<k > MaxPosition {
				return false
			}
			gaps[i] = uint32(q)<<k | uint32(load(b, low))&mask
			low += k
			q = 0
			if i++; i == len(gaps) {
				pos += begin
				return pos <= end && end-pos < 8
			}
		}
		q += uint64(loadedBits - begin)
		pos += loadedBits
	}
}
