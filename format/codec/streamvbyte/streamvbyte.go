package streamvbyte

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/bytepack"
	"github.com/pinion-index/pinion/format/codec/internal/gapblock"
)

// BlockLen is the number of values in a full block.
const BlockLen = 128

// blockControl is the control bytes of a full block.
const blockControl = BlockLen / 4

// Codec is streamvbyte; its zero value is ready.
type Codec struct{ _ *byte }

// ID returns codec.StreamVByte.
func (Codec) ID() codec.ID { return codec.StreamVByte }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// appendHeader appends room for the control bytes of n values.
func appendHeader(dst []byte, ends []uint32, n int) []byte {
	size := bytepack.SelectorBytes(n)
	ends[0] = uint32(size / 4)
	return codec.Grow(dst, size)
}

// appendBlock appends the bytes of v, which are block i of a list that begins at
// start, and puts down its control bytes.
func appendBlock(dst []byte, ends []uint32, start, i int, v []uint32) []byte {
	at := len(dst)
	dst = codec.Grow(dst, 4*len(v)+3)
	control := dst[start+i*blockControl:][:bytepack.SelectorBytes(len(v))]
	used := bytepack.Pack(control, dst[at:], v)
	size := (used + 3) &^ 3
	clear(dst[at+used : at+size])
	ends[i+1] = uint32((at + size - start) / 4)
	return dst[:at+size]
}

// AppendDocs appends a list of docIDs.
func (Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	var gaps [BlockLen]uint32
	start, prev := len(dst), codec.NoDoc
	dst = appendHeader(dst, ends, len(docs))
	for i := 0; i < len(docs); i += BlockLen {
		block := docs[i:min(i+BlockLen, len(docs))]
		if _, ok := bitpack.Gaps(gaps[:len(block)], block, prev); !ok {
			return dst[:start], codec.Shift(codec.CheckDocs(block, prev), i)
		}
		dst = appendBlock(dst, ends, start, i/BlockLen, gaps[:len(block)])
		prev = block[len(block)-1]
	}
	return dst, nil
}

// AppendFreqs appends a list of frequencies.
func (Codec) AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error) {
	var less [BlockLen]uint32
	start := len(dst)
	dst = appendHeader(dst, ends, len(freqs))
	for i := 0; i < len(freqs); i += BlockLen {
		block := freqs[i:min(i+BlockLen, len(freqs))]
		if _, ok := bitpack.LessOne(less[:len(block)], block); !ok {
			return dst[:start], codec.Shift(codec.CheckFreqs(block), i)
		}
		dst = appendBlock(dst, ends, start, i/BlockLen, less[:len(block)])
	}
	return dst, nil
}

// DocsSize returns the bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) {
	var gaps [BlockLen]uint32
	size, prev := bytepack.SelectorBytes(len(docs)), codec.NoDoc
	for i := 0; i < len(docs); i += BlockLen {
		block := docs[i:min(i+BlockLen, len(docs))]
		if _, ok := bitpack.Gaps(gaps[:len(block)], block, prev); !ok {
			return 0, codec.Shift(codec.CheckDocs(block, prev), i)
		}
		size += (bytepack.DataSize(gaps[:len(block)]) + 3) &^ 3
		prev = block[len(block)-1]
	}
	return size, nil
}

// FreqsSize returns the bytes that AppendFreqs would append.
func (Codec) FreqsSize(freqs []uint32) (int, error) {
	var less [BlockLen]uint32
	size := bytepack.SelectorBytes(len(freqs))
	for i := 0; i < len(freqs); i += BlockLen {
		block := freqs[i:min(i+BlockLen, len(freqs))]
		if _, ok := bitpack.LessOne(less[:len(block)], block); !ok {
			return 0, codec.Shift(codec.CheckFreqs(block), i)
		}
		size += (bytepack.DataSize(less[:len(block)]) + 3) &^ 3
	}
	return size, nil
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, run, blockDocs)
}

// blockDocs decodes one block.
func blockDocs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	if run(dst, s, block, 1) == 1 {
		return BlockLen, nil
	}
	control, data, n, err := parts(s, block)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	prev := s.Prev(block)
	used, ok := bytepack.UnpackDocs(dst, control, data, n, prev)
	if !ok || !gapblock.ZeroPad(data[used:]) {
		return 0, codec.ErrBlock
	}
	if err := codec.CheckLast(dst[n-1], s.Last[block], prev, n); err != nil {
		return 0, err
	}
	return n, bytepack.CheckSums(dst[:n], control, prev)
}

func run(dst []uint32, s *codec.Sequence, block, count int) int {
	return bytepack.StreamDocs(dst, s, block, count, BlockLen, controlFrom(s, block))
}

// controlFrom returns the control bytes of a list from those of block on, nil if the list
// does not begin with all of them.
func controlFrom(s *codec.Sequence, block int) []byte {
	size := bytepack.SelectorBytes(s.N)
	if uint64(s.Ends[0])*4 != uint64(size) || size > len(s.Payload) || block*blockControl > size {
		return nil
	}
	return s.Payload[block*blockControl : size]
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Codec) DecodeFreqs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, nil, blockFreqs)
}

// blockFreqs decodes one block.
func blockFreqs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	if bytepack.StreamFreqs(dst, s, block, 1, BlockLen, controlFrom(s, block)) == 1 {
		return BlockLen, nil
	}
	control, data, n, err := parts(s, block)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	used, ok := bytepack.UnpackFreqs(dst, control, data, n)
	if !ok || !gapblock.ZeroPad(data[used:]) || codec.CheckFreqs(dst[:n]) != nil {
		return 0, codec.ErrBlock
	}
	return n, nil
}

// parts returns the control bytes of a block and its bytes with their padding.
func parts(s *codec.Sequence, block int) (control, data []byte, n int, err error) {
	p, n, err := s.Block(block, BlockLen)
	if err != nil {
		return nil, nil, 0, err
	}
	size := bytepack.SelectorBytes(s.N)
	if uint(n-1) >= BlockLen || uint64(s.Ends[0])*4 != uint64(size) || size > len(s.Payload) {
		return nil, nil, 0, codec.ErrBlock
	}
	control = s.Payload[block*blockControl:][:bytepack.SelectorBytes(n)]
	return control, p, n, nil
}
