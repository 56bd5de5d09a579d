package colblock

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

// WordsPerBlock is the number of keywords of a block of a dictionary, which are front-coded as
// ids are.
const WordsPerBlock = 16

// WordBlocks returns the number of blocks of a dictionary.
func WordBlocks(keywords uint32) int {
	return int((uint64(keywords) + WordsPerBlock - 1) / WordsPerBlock)
}

// IndexSize returns the bytes of the offsets of the blocks of a dictionary, and of their end. No
// keywords have none.
func IndexSize(keywords uint32) int64 {
	if keywords == 0 {
		return 0
	}
	return 8 * int64(WordBlocks(keywords)+1)
}

// WordsIn returns the number of keywords of block i.
func WordsIn(keywords uint32, i int) int { return min(WordsPerBlock, int(keywords)-i*WordsPerBlock) }

// WordHead is layout.Head for a keyword of block i of a dictionary. The first keyword of all may be
// empty, unlike terms and ids: its head is 0.
func WordHead(b []byte, i, pos, prevLen int) (lcp int, suffix []byte, next int) {
	if i == 0 && pos == 0 && len(b) > 0 && b[0] == 0 {
		return 0, nil, 1
	}
	return layout.Head(b, pos, prevLen)
}

// WordWriter makes a dictionary, keyword by keyword.
type WordWriter struct {
	n     uint32
	size  uint64
	prev  []byte
	index []byte
}

// Count returns the number of keywords.
func (x *WordWriter) Count() uint32 { return x.n }

// Append appends the next keyword to dst. It reports whether it is above the one before and
// not too long.
func (x *WordWriter) Append(dst, word []byte) ([]byte, bool) {
	if len(word) > layout.MaxString || x.n > 0 && string(word) <= string(x.prev) {
		return dst, false
	}
	lcp, begin := 0, len(dst)
	if x.n%WordsPerBlock == 0 {
		x.index = binary.LittleEndian.AppendUint64(x.index, x.size)
	} else {
		lcp = layout.CommonPrefix(x.prev, word)
	}
	dst = layout.AppendHead(dst, lcp, word)
	x.size += uint64(len(dst) - begin)
	x.prev = append(x.prev[:0], word...)
	x.n++
	return dst, true
}

// AppendIndex appends the offsets of the blocks to dst, and where the last one ends.
func (x *WordWriter) AppendIndex(dst []byte) []byte {
	if x.n == 0 {
		return dst
	}
	return binary.LittleEndian.AppendUint64(append(dst, x.index...), x.size)
}
