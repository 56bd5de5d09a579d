package streamvbyte

import (
	"bytes"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/bytepack"
)

// BlockLen is the number of values in a full block.
const BlockLen = 128

// blockControl is the number of control bytes of a full block.
const blockControl = BlockLen / 4

// Codec is streamvbyte. The zero value is ready to use.
type Codec struct{ _ *byte }

// ID returns codec.StreamVByte.
func (Codec) ID() codec.ID { return codec.StreamVByte }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// appendHeader appends space for the control bytes of n values.
func appendHeader(dst []byte, ends []uint32, n int) []byte {
	size := bytepack.SelectorBytes(n)
	ends[0] = uint32(size / 4)
	return codec.Grow(dst, size)
}

// appendBlock appends the bytes of v, block i of a list that starts at start, and sets
// its control bytes.
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

// DocsSize returns the number of bytes that AppendDocs would append.
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

// FreqsSize returns the number of bytes that AppendFreqs would append.
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
func (Codec) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	control, err := controlOf(s, block)
	if err != nil {
		return 0, err
	}
	return bytepack.DecodeDocs(dst, s, block, count, BlockLen, control)
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Codec) DecodeFreqs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	control, err := controlOf(s, block)
	if err != nil {
		return 0, err
	}
	return bytepack.DecodeFreqs(dst, s, block, count, BlockLen, control)
}

// StrictDocs implements codec.Strict: values have one shortest form.
func (Codec) StrictDocs(s *format.Sequence, block int, docs []uint32) error {
	var gaps [BlockLen]uint32
	if _, ok := bitpack.Gaps(gaps[:len(docs)], docs, codec.Prev(s, block)); !ok {
		return codec.ErrBlock
	}
	return strict(s, block, gaps[:len(docs)])
}

// StrictFreqs is StrictDocs for frequencies.
func (Codec) StrictFreqs(s *format.Sequence, block int, freqs []uint32) error {
	var less [BlockLen]uint32
	if _, ok := bitpack.LessOne(less[:len(freqs)], freqs); !ok {
		return codec.ErrBlock
	}
	return strict(s, block, less[:len(freqs)])
}

func strict(s *format.Sequence, block int, v []uint32) error {
	control, err := controlOf(s, block)
	if err != nil {
		return err
	}
	p, _, err := codec.Block(s, block, BlockLen)
	if err != nil {
		return err
	}
	var sel [blockControl]byte
	var data [4*BlockLen + 3]byte
	size := bytepack.SelectorBytes(len(v))
	used := bytepack.Pack(sel[:size], data[:], v)
	clear(data[used : (used+3)&^3])
	if !bytes.Equal(data[:(used+3)&^3], p) || !bytes.HasPrefix(control[min(block*blockControl, len(control)):], sel[:size]) {
		return codec.ErrLoose
	}
	return nil
}

// controlOf returns the control bytes of a list from which block will be decoded.
func controlOf(s *format.Sequence, block int) ([]byte, error) {
	size := bytepack.SelectorBytes(s.N)
	if uint64(s.Ends[0])*4 != uint64(size) || size > len(s.Payload) || size == 0 {
		if _, _, err := codec.Block(s, block, BlockLen); err != nil {
			return nil, err
		}
		return nil, codec.ErrBlock
	}
	return s.Payload[:size], nil
}
