// Package bitblock implements codecs bp128 and bp256: blocks of bit-packed values of one
// width, which follows from the block's endpoints. The parameter size is the number of
// values in a full block: 128 or 256.
package bitblock

import (
	"math/bits"

	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
)

// maxSize is the largest block.
const maxSize = 256

// width returns the width of a block of n values in size bytes. ok is false if no block
// has that size.
func width(size, n int) (w uint, ok bool) {
	vectors := size / bitpack.VectorSize
	switch {
	case n == bitpack.BlockLen:
		w = uint(vectors)
	case size > 0:
		w = min(bitpack.MaxWidth, uint(32*vectors/bitpack.Rows(n)))
	}
	return w, w <= bitpack.MaxWidth && bitpack.Size(n, w) == size
}

// pack appends v, whose bitwise or is given. A short block uses the greatest width that
// fits its vectors.
func pack(dst []byte, v []uint32, or uint32) []byte {
	w, _ := width(bitpack.Size(len(v), uint(bits.Len32(or))), len(v))
	first := min(len(v), bitpack.BlockLen)
	dst = bitpack.Pack(dst, v[:first], w)
	if first < len(v) {
		dst = bitpack.Pack(dst, v[first:], w)
	}
	return dst
}

// AppendDocsBlock implements codec.BlockCodec.
func AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	var gaps [maxSize]uint32
	or, ok := bitpack.Gaps(gaps[:len(docs)], docs, prev)
	if !ok {
		return dst, codec.CheckDocs(docs, prev)
	}
	return pack(dst, gaps[:len(docs)], or), nil
}

// AppendFreqsBlock implements codec.BlockCodec.
func AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	var less [maxSize]uint32
	or, ok := bitpack.LessOne(less[:len(freqs)], freqs)
	if !ok {
		return dst, codec.CheckFreqs(freqs)
	}
	return pack(dst, less[:len(freqs)], or), nil
}

// AppendDocs implements codec.Codec.
func AppendDocs(dst []byte, ends, docs []uint32, size int) ([]byte, error) {
	var gaps [maxSize]uint32
	start, prev := len(dst), codec.NoDoc
	ends[0] = 0
	for i := 0; i < len(docs); i += size {
		block := docs[i:min(i+size, len(docs))]
		or, ok := bitpack.Gaps(gaps[:len(block)], block, prev)
		if !ok {
			return dst[:start], codec.Shift(codec.CheckDocs(block, prev), i)
		}
		dst = pack(dst, gaps[:len(block)], or)
		prev = block[len(block)-1]
		ends[i/size+1] = uint32((len(dst) - start) / 4)
	}
	return dst, nil
}

// AppendFreqs implements codec.Codec.
func AppendFreqs(dst []byte, ends, freqs []uint32, size int) ([]byte, error) {
	var less [maxSize]uint32
	start := len(dst)
	ends[0] = 0
	for i := 0; i < len(freqs); i += size {
		block := freqs[i:min(i+size, len(freqs))]
		or, ok := bitpack.LessOne(less[:len(block)], block)
		if !ok {
			return dst[:start], codec.Shift(codec.CheckFreqs(block), i)
		}
		dst = pack(dst, less[:len(block)], or)
		ends[i/size+1] = uint32((len(dst) - start) / 4)
	}
	return dst, nil
}

// DocsSize implements codec.Codec.
func DocsSize(docs []uint32, size int) (int, error) {
	var gaps [maxSize]uint32
	total, prev := 0, codec.NoDoc
	for i := 0; i < len(docs); i += size {
		block := docs[i:min(i+size, len(docs))]
		or, ok := bitpack.Gaps(gaps[:len(block)], block, prev)
		if !ok {
			return 0, codec.Shift(codec.CheckDocs(block, prev), i)
		}
		total += bitpack.Size(len(block), uint(bits.Len32(or)))
		prev = block[len(block)-1]
	}
	return total, nil
}

// FreqsSize implements codec.Codec.
func FreqsSize(freqs []uint32, size int) (int, error) {
	var less [maxSize]uint32
	total := 0
	for i := 0; i < len(freqs); i += size {
		block := freqs[i:min(i+size, len(freqs))]
		or, ok := bitpack.LessOne(less[:len(block)], block)
		if !ok {
			return 0, codec.Shift(codec.CheckFreqs(block), i)
		}
		total += bitpack.Size(len(block), uint(bits.Len32(or)))
	}
	return total, nil
}
