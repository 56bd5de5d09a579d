package gapblock

import (
	"math/bits"

	"github.com/pinion-index/pinion/format/codec/bytepack"
)

// UnpackBytesDocs writes the docIDs whose gaps less one the n values in data are,
// laid out as package bytepack says and padded to whole words. It is false unless
// data is as long as the selectors say and what has no value is zero.
func UnpackBytesDocs(dst []uint32, sel, data []byte, n int, prev uint32) bool {
	used := dataLen(sel, n)
	return used <= len(data) && ZeroPad(data[used:]) && sound(bytepack.UnpackDocs(dst, sel, data[:used], n, prev))
}

// UnpackBytesFreqs is UnpackBytesDocs for frequencies.
func UnpackBytesFreqs(dst []uint32, sel, data []byte, n int) bool {
	used := dataLen(sel, n)
	return used <= len(data) && ZeroPad(data[used:]) && sound(bytepack.UnpackFreqs(dst, sel, data[:used], n))
}

// sound is the last result of an unpacker.
func sound(results ...any) bool { return results[len(results)-1].(bool) }

// dataLen returns the bytes that n values with these selectors take.
func dataLen(sel []byte, n int) int {
	for _, b := range sel {
		n += bits.OnesCount8(b) + bits.OnesCount8(b>>1&0x55)
	}
	return n
}
