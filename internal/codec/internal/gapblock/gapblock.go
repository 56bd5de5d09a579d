// Package gapblock implements codecs whose blocks are independent and contain d-gaps
// minus one or frequencies minus one. It converts between docIDs and gaps, loops over the
// blocks of a list, and checks decoded values; a codec supplies the layout of a block.
package gapblock

import (
	"bytes"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
)

// MaxLen is the maximum number of values in a block.
const MaxLen = 1024

// Layout is the layout of a block of up to Len plain values. Implementations are
// stateless.
type Layout interface {
	// Len is the number of values in a full block, at most MaxLen.
	Len() int
	// Size returns the number of bytes of v, a multiple of 4.
	Size(v []uint32) int
	// Append appends v, Size(v) bytes.
	Append(dst []byte, v []uint32) []byte
	// Docs decodes the n values in p as gaps minus one and writes the docIDs after prev,
	// mod 2^32, to dst, which has Len elements. ok is false unless p is exactly one
	// block. small reports that the gaps cannot sum to more than 2^31, so that docIDs
	// have not wrapped if the last one is valid.
	Docs(dst []uint32, p []byte, n int, prev uint32) (small, ok bool)
	// Freqs writes the values in p, each plus one, mod 2^32. small reports that no value
	// can be 2^32-1.
	Freqs(dst []uint32, p []byte, n int) (small, ok bool)
}

// Codec has the methods of a codec.BlockCodec except ID. The zero value is ready to use.
type Codec[L Layout] struct{ layout L }

// scratch is a pool of buffers for the values of a block being encoded. They cannot be on
// the stack, because generic code calls a layout indirectly, which makes its arguments
// escape.
var scratch = sync.Pool{New: func() any { return new([MaxLen]uint32) }}

// BlockLen is the number of values in a full block.
func (c Codec[L]) BlockLen() int { return c.layout.Len() }

// AppendDocsBlock appends a block of docIDs that follow prev.
func (c Codec[L]) AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	v := scratch.Get().(*[MaxLen]uint32)
	defer scratch.Put(v)
	if _, ok := bitpack.Gaps(v[:len(docs)], docs, prev); !ok {
		return dst, codec.CheckDocs(docs, prev)
	}
	return c.layout.Append(dst, v[:len(docs)]), nil
}

// AppendFreqsBlock appends a block of frequencies.
func (c Codec[L]) AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	v := scratch.Get().(*[MaxLen]uint32)
	defer scratch.Put(v)
	if _, ok := bitpack.LessOne(v[:len(freqs)], freqs); !ok {
		return dst, codec.CheckFreqs(freqs)
	}
	return c.layout.Append(dst, v[:len(freqs)]), nil
}

// StrictDocs implements codec.Strict: a block has one shortest form, that of Append.
func (c Codec[L]) StrictDocs(s *format.Sequence, block int, docs []uint32) error {
	v := scratch.Get().(*[MaxLen]uint32)
	defer scratch.Put(v)
	if _, ok := bitpack.Gaps(v[:len(docs)], docs, codec.Prev(s, block)); !ok {
		return codec.ErrBlock
	}
	return c.strict(s, block, v[:len(docs)])
}

// StrictFreqs is StrictDocs for frequencies.
func (c Codec[L]) StrictFreqs(s *format.Sequence, block int, freqs []uint32) error {
	v := scratch.Get().(*[MaxLen]uint32)
	defer scratch.Put(v)
	if _, ok := bitpack.LessOne(v[:len(freqs)], freqs); !ok {
		return codec.ErrBlock
	}
	return c.strict(s, block, v[:len(freqs)])
}

func (c Codec[L]) strict(s *format.Sequence, block int, v []uint32) error {
	p, _, err := codec.Block(s, block, c.BlockLen())
	if err != nil {
		return err
	}
	buf := encoded.Get().(*[]byte)
	defer encoded.Put(buf)
	if *buf = c.layout.Append((*buf)[:0], v); !bytes.Equal(*buf, p) {
		return codec.ErrLoose
	}
	return nil
}

// encoded is a pool of buffers for encoded blocks.
var encoded = sync.Pool{New: func() any { return new([]byte) }}

// AppendDocs appends a list of docIDs.
func (c Codec[L]) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	start, size, prev := len(dst), c.BlockLen(), codec.NoDoc
	ends[0] = 0
	for i := 0; i < len(docs); i += size {
		block := docs[i:min(i+size, len(docs))]
		var err error
		if dst, err = c.AppendDocsBlock(dst, block, prev); err != nil {
			return dst[:start], codec.Shift(err, i)
		}
		prev = block[len(block)-1]
		ends[i/size+1] = uint32((len(dst) - start) / 4)
	}
	return dst, nil
}

// AppendFreqs appends a list of frequencies.
func (c Codec[L]) AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error) {
	start, size := len(dst), c.BlockLen()
	ends[0] = 0
	for i := 0; i < len(freqs); i += size {
		var err error
		if dst, err = c.AppendFreqsBlock(dst, freqs[i:min(i+size, len(freqs))]); err != nil {
			return dst[:start], codec.Shift(err, i)
		}
		ends[i/size+1] = uint32((len(dst) - start) / 4)
	}
	return dst, nil
}

// DocsSize returns the number of bytes that AppendDocs would append.
func (c Codec[L]) DocsSize(docs []uint32) (int, error) {
	v := scratch.Get().(*[MaxLen]uint32)
	defer scratch.Put(v)
	size, prev := 0, codec.NoDoc
	for i := 0; i < len(docs); i += c.BlockLen() {
		block := docs[i:min(i+c.BlockLen(), len(docs))]
		if _, ok := bitpack.Gaps(v[:len(block)], block, prev); !ok {
			return 0, codec.Shift(codec.CheckDocs(block, prev), i)
		}
		size += c.layout.Size(v[:len(block)])
		prev = block[len(block)-1]
	}
	return size, nil
}

// FreqsSize returns the number of bytes that AppendFreqs would append.
func (c Codec[L]) FreqsSize(freqs []uint32) (int, error) {
	v := scratch.Get().(*[MaxLen]uint32)
	defer scratch.Put(v)
	size := 0
	for i := 0; i < len(freqs); i += c.BlockLen() {
		block := freqs[i:min(i+c.BlockLen(), len(freqs))]
		if _, ok := bitpack.LessOne(v[:len(block)], block); !ok {
			return 0, codec.Shift(codec.CheckFreqs(block), i)
		}
		size += c.layout.Size(v[:len(block)])
	}
	return size, nil
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (c Codec[L]) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, c.BlockLen(), c.DocsBlock)
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (c Codec[L]) DecodeFreqs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, c.BlockLen(), c.FreqsBlock)
}

// DocsBlock decodes the docIDs of one block.
func (c Codec[L]) DocsBlock(dst []uint32, s *format.Sequence, block int) (int, error) {
	size := c.BlockLen()
	p, n, err := codec.Block(s, block, size)
	if err != nil {
		return 0, err
	}
	dst, prev := dst[:size:size], codec.Prev(s, block)
	if uint(n-1) >= uint(size) {
		return 0, codec.ErrBlock
	}
	small, ok := c.layout.Docs(dst, p, n, prev)
	if !ok {
		return 0, codec.ErrBlock
	}
	if err := codec.CheckLast(dst[n-1], s.Last[block], prev, n); err != nil {
		return 0, err
	}
	if small {
		return n, nil
	}
	return n, codec.CheckRise(dst[:n], prev)
}

// FreqsBlock decodes the frequencies of one block.
func (c Codec[L]) FreqsBlock(dst []uint32, s *format.Sequence, block int) (int, error) {
	size := c.BlockLen()
	p, n, err := codec.Block(s, block, size)
	if err != nil {
		return 0, err
	}
	dst = dst[:size:size]
	if uint(n-1) >= uint(size) {
		return 0, codec.ErrBlock
	}
	small, ok := c.layout.Freqs(dst, p, n)
	if !ok || !small && codec.CheckFreqs(dst[:n]) != nil {
		return 0, codec.ErrBlock
	}
	return n, nil
}
