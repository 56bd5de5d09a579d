package format

import (
	"hash/crc32"
	"math/bits"
	"sync"
)

// syndromes maps the difference that one flipped bit makes to a CRC-32C to the bit's
// distance from the end. The CRC is linear, so the difference does not depend on the rest.
var syndromes = sync.OnceValue(func() map[uint32]int {
	m := make(map[uint32]int, 8*PageSize)
	zero := []byte{0}
	for bit := range 8 {
		// The difference of a flip in the last byte, and then of one a byte earlier, which
		// is that of the later one after another zero byte.
		diff := crc32.Update(0, castagnoli, []byte{1 << bit}) ^ crc32.Update(0, castagnoli, zero)
		for distance := range PageSize {
			m[diff] = 8*distance + bit
			diff = ^crc32.Update(^diff, castagnoli, zero) // without the inversions of both ends
		}
	}
	return m
})

// FlippedBit returns which one bit of n bytes, at most PageSize, explains why their PageSum
// differs from the stored one by diff: bit bit%8, counting from the lowest, of byte bit/8.
// ok is false if no single bit does. Of random bytes one page in 131,072 is mistaken for
// one with a flipped bit, so another checksum must confirm what it says.
func FlippedBit(diff uint32, n int) (bit int, ok bool) {
	at, ok := syndromes()[diff]
	distance := at / 8
	if !ok || distance >= n {
		return 0, false
	}
	return 8*(n-1-distance) + at%8, true
}

// FlippedSumBit returns which one bit of a stored PageSum explains why it differs from
// that of its bytes by diff. ok is false if no single bit does.
func FlippedSumBit(diff uint32) (bit int, ok bool) {
	return bits.TrailingZeros32(diff), bits.OnesCount32(diff) == 1
}
