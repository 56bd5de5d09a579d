package patch

import (
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
)

// DocsSize returns the bytes of a list of docIDs cut into blocks of 128 of which
// each takes as many words as words says for its d-gaps less one and their
// bitwise or.
func DocsSize(docs []uint32, words func(gaps []uint32, or uint32) uint) (int, error) {
	gaps := make([]uint32, bitpack.BlockLen)
	total, prev := uint(0), codec.NoDoc
	for at := 0; at < len(docs); at += bitpack.BlockLen {
		block := docs[at:min(at+bitpack.BlockLen, len(docs))]
		or, ok := bitpack.Gaps(gaps[:len(block)], block, prev)
		if !ok {
			return 0, codec.Shift(codec.CheckDocs(block, prev), at)
		}
		total += words(gaps[:len(block)], or)
		prev = block[len(block)-1]
	}
	return int(total) * 4, nil
}

// FreqsSize is DocsSize for frequencies less one.
func FreqsSize(freqs []uint32, words func(less []uint32, or uint32) uint) (int, error) {
	less := make([]uint32, bitpack.BlockLen)
	total := uint(0)
	for at := 0; at < len(freqs); at += bitpack.BlockLen {
		block := freqs[at:min(at+bitpack.BlockLen, len(freqs))]
		or, ok := bitpack.LessOne(less[:len(block)], block)
		if !ok {
			return 0, codec.Shift(codec.CheckFreqs(block), at)
		}
		total += words(less[:len(block)], or)
	}
	return int(total) * 4, nil
}
