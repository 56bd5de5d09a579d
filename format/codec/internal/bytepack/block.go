package bytepack

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
)

// The layout of codecs vbyte128 and vbyte1024, which package vbyte128 describes: a
// block is selectors, data, and zeros up to a whole word.

// maxBlock is the largest block, in values. Up to smallBlock of them have a buffer of that
// size, since clearing one takes its time too.
const (
	maxBlock   = 1024
	smallBlock = 128
)

// AppendDocsBlock appends a block of docIDs, at most 1024, that follow prev.
func AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	if len(docs) <= smallBlock {
		var gaps [smallBlock]uint32
		return appendDocs(dst, gaps[:len(docs)], docs, prev)
	}
	var gaps [maxBlock]uint32
	return appendDocs(dst, gaps[:len(docs)], docs, prev)
}

func appendDocs(dst []byte, gaps, docs []uint32, prev uint32) ([]byte, error) {
	if _, ok := bitpack.Gaps(gaps, docs, prev); !ok {
		return dst, codec.CheckDocs(docs, prev)
	}
	return appendBlock(dst, gaps), nil
}

// AppendFreqsBlock appends a block of frequencies, at most 1024.
func AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	if len(freqs) <= smallBlock {
		var less [smallBlock]uint32
		return appendFreqs(dst, less[:len(freqs)], freqs)
	}
	var less [maxBlock]uint32
	return appendFreqs(dst, less[:len(freqs)], freqs)
}

func appendFreqs(dst []byte, less, freqs []uint32) ([]byte, error) {
	if _, ok := bitpack.LessOne(less, freqs); !ok {
		return dst, codec.CheckFreqs(freqs)
	}
	return appendBlock(dst, less), nil
}

func appendBlock(dst []byte, v []uint32) []byte {
	at, sel := len(dst), SelectorBytes(len(v))
	dst = codec.Grow(dst, sel+4*len(v)+3)
	p := dst[at:]
	end := sel + Pack(p[:sel], p[sel:], v)
	size := (end + 3) &^ 3
	clear(p[end:size])
	return dst[:at+size]
}

func blockSize(v []uint32) int { return SelectorBytes(len(v)) + (DataSize(v)+3)&^3 }

// DocsSize returns the bytes that docs take in blocks of size.
func DocsSize(docs []uint32, size int) (int, error) {
	var gaps [maxBlock]uint32
	sum, prev := 0, codec.NoDoc
	for i := 0; i < len(docs); i += size {
		block := docs[i:min(i+size, len(docs))]
		if _, ok := bitpack.Gaps(gaps[:len(block)], block, prev); !ok {
			return 0, codec.Shift(codec.CheckDocs(block, prev), i)
		}
		sum += blockSize(gaps[:len(block)])
		prev = block[len(block)-1]
	}
	return sum, nil
}

// FreqsSize returns the bytes that freqs take in blocks of size.
func FreqsSize(freqs []uint32, size int) (int, error) {
	var less [maxBlock]uint32
	sum := 0
	for i := 0; i < len(freqs); i += size {
		block := freqs[i:min(i+size, len(freqs))]
		if _, ok := bitpack.LessOne(less[:len(block)], block); !ok {
			return 0, codec.Shift(codec.CheckFreqs(block), i)
		}
		sum += blockSize(less[:len(block)])
	}
	return sum, nil
}

// DecodeDocs writes the docIDs of one block of s to dst, which must hold size.
func DecodeDocs(dst []uint32, s *codec.Sequence, block, size int) (int, error) {
	if docsRun(dst, s, block, 1, size, nil) == 1 {
		return size, nil
	}
	sel, data, n, err := parts(s, block, size)
	if err != nil {
		return 0, err
	}
	dst, prev := dst[:size:size], s.Prev(block)
	used, ok := UnpackDocs(dst, sel, data, n, prev)
	if !ok || !paddingOK(data, used) {
		return 0, codec.ErrBlock
	}
	if err := codec.CheckLast(dst[n-1], s.Last[block], prev, n); err != nil {
		return 0, err
	}
	if err := CheckSums(dst[:n], sel, prev); err != nil {
		return 0, err
	}
	return n, nil
}

// DocsRun decodes the docIDs of count blocks of size from block on and returns how many
// it did; the one after them is short, broken or rare, and left to DecodeDocs.
func DocsRun(dst []uint32, s *codec.Sequence, block, count, size int) int {
	if (block+count)*size > s.N { // dividing takes as long as 64 values
		count = s.N/size - block
	}
	if count <= 0 {
		return 0
	}
	return docsRun(dst, s, block, count, size, nil)
}

// StreamDocs is DocsRun where selectors are apart from data: those of block and of the
// count-1 blocks after it are sel.
func StreamDocs(dst []uint32, s *codec.Sequence, block, count, size int, sel []byte) int {
	if (block+count)*size > s.N || count*size/4 > len(sel) {
		count = min(s.N/size-block, 4*len(sel)/size)
	}
	if count <= 0 {
		return 0
	}
	return docsRun(dst, s, block, count, size, &sel[0])
}

// StreamFreqs is StreamDocs for frequencies.
func StreamFreqs(dst []uint32, s *codec.Sequence, block, count, size int, sel []byte) int {
	if (block+count)*size > s.N || count*size/4 > len(sel) {
		count = min(s.N/size-block, 4*len(sel)/size)
	}
	if count <= 0 {
		return 0
	}
	return freqsRun(dst, s, block, count, size, &sel[0])
}

// CheckSums returns codec.ErrBlock if the sum that made docs of the values with
// selectors sel, after prev, may have wrapped.
func CheckSums(docs []uint32, sel []byte, prev uint32) error {
	if Wide(sel) || prev+1 > codec.MaxDoc {
		return codec.CheckRise(docs, prev)
	}
	// 128 gaps of three bytes sum to at most 2^31: the sum cannot pass 2^32 unseen.
	for i := 127; i < len(docs); i += 128 {
		if docs[i] > codec.MaxDoc {
			return codec.ErrBlock
		}
	}
	return nil
}

// DecodeFreqs writes the frequencies of one block of s to dst, which must hold
// size.
func DecodeFreqs(dst []uint32, s *codec.Sequence, block, size int) (int, error) {
	if freqsRun(dst, s, block, 1, size, nil) == 1 {
		return size, nil
	}
	sel, data, n, err := parts(s, block, size)
	if err != nil {
		return 0, err
	}
	dst = dst[:size:size]
	used, ok := UnpackFreqs(dst, sel, data, n)
	if !ok || !paddingOK(data, used) || Wide(sel) && codec.CheckFreqs(dst[:n]) != nil {
		return 0, codec.ErrBlock
	}
	return n, nil
}

// parts cuts a block into selectors and data.
func parts(s *codec.Sequence, block, size int) (sel, data []byte, n int, err error) {
	p, n, err := s.Block(block, size)
	if err != nil {
		return nil, nil, 0, err
	}
	k := SelectorBytes(n)
	if uint(n-1) >= uint(size) || len(p) < k {
		return nil, nil, 0, codec.ErrBlock
	}
	return p[:k], p[k:], n, nil
}

// paddingOK says whether data has used bytes and at most three more, all zero: the
// padding to whole words.
func paddingOK(data []byte, used int) bool {
	rest := data[used:]
	return len(rest) < 4 && (len(rest) == 0 || rest[0]|rest[len(rest)/2]|rest[len(rest)-1] == 0)
}
