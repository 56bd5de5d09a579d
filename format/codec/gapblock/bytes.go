package gapblock

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/bytepack"
)

// Selectors then bytes, as package bytepack has them, padded with zeros to a whole
// word: the block of the vbyte codecs.

// BytesSize returns the bytes of a block that holds v.
func BytesSize(v []uint32) int {
	return bytepack.SelectorBytes(len(v)) + (bytepack.DataSize(v)+3)&^3
}

// AppendBytes appends the block that holds v.
func AppendBytes(dst []byte, v []uint32) []byte {
	at, sel := len(dst), bytepack.SelectorBytes(len(v))
	dst = codec.Grow(dst, sel+4*len(v)+3)
	p := dst[at:]
	end := sel + bytepack.Pack(p[:sel], p[sel:], v)
	size := (end + 3) &^ 3
	clear(p[end:size])
	return dst[:at+size]
}

// SplitBytes cuts a block of n values into selectors and data without the padding.
// It is false unless the block is as long as the selectors say and the padding is
// zero.
func SplitBytes(p []byte, n int) (sel, data []byte, ok bool) {
	k := bytepack.SelectorBytes(n)
	if len(p) < k {
		return nil, nil, false
	}
	data, ok = TrimBytes(p[:k], p[k:], n)
	return p[:k], data, ok
}

// TrimBytes cuts the padding off the data of n values. It is false unless the data
// are as long as the selectors say and the padding is zero.
func TrimBytes(sel, data []byte, n int) ([]byte, bool) {
	used := bytepack.DataLen(sel, n)
	if used > len(data) {
		return nil, false
	}
	return data[:used], ZeroPad(data[used:])
}

// ZeroPad says whether b is the padding of a block to whole words: at most three
// bytes, all zero.
func ZeroPad(b []byte) bool {
	if len(b) > 3 {
		return false
	}
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
