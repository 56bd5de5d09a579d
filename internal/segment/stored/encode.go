package stored

import (
	"encoding/binary"
	"slices"

	"github.com/golang/snappy"

	"github.com/pinion-index/pinion/internal/segment/chunks"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// encoder compresses runs of documents as blocks.
type encoder struct {
	bytes  []byte // of the blocks
	blocks []encoded
}

type encoded struct {
	form      uint32
	docs, end int // documents; where the block ends in bytes
}

// all makes blocks of the documents whose texts follow each other in text and end at ends.
// encode appends one, given its documents, and returns its form.
func (e *encoder) all(text []byte, ends []int, encode func(dst, text []byte, ends []int, base int) ([]byte, uint32)) {
	e.bytes, e.blocks = e.bytes[:0], e.blocks[:0]
	for i, base := 0, 0; i < len(ends); {
		j := i + 1
		for j < len(ends) && ends[j-1]-base+j-i < blockSize && ends[j]-base+j-i <= 2*blockSize {
			j++
		}
		var form uint32
		e.bytes, form = encode(e.bytes, text[base:ends[j-1]], ends[i:j], base)
		e.blocks = append(e.blocks, encoded{form: form, docs: j - i, end: len(e.bytes)})
		i, base = j, ends[j-1]
	}
}

// appendPlain appends the content of a block that has no chunks.
func appendPlain(dst, text []byte, ends []int, base int) []byte {
	from := 0
	for _, end := range ends {
		end -= base
		dst = binary.AppendUvarint(dst, uint64(end-from))
		dst = append(dst, text[from:end]...)
		from = end
	}
	return dst
}

// wholeEncoder is an encoder of blocks that are compressed as a whole.
type wholeEncoder struct {
	encoder
	content []byte // scratch
}

func (e *wholeEncoder) append(dst, text []byte, ends []int, base int) ([]byte, uint32) {
	e.content = appendPlain(e.content[:0], text, ends, base)
	from, n := len(dst), len(e.content)
	dst = slices.Grow(dst, snappy.MaxEncodedLen(n))
	block := snappy.Encode(dst[from:cap(dst)], e.content)
	form := uint32(layout.StoredSnappy)
	if dst = dst[:from+len(block)]; len(block) >= n || n > layout.MaxInflated && n > 2*len(block) {
		dst, form = append(dst[:from], e.content...), layout.StoredRaw
	}
	if cap(e.content) > maxRoom {
		e.content = nil
	}
	return dst, form
}

// chunkEncoder is an encoder of blocks of chunks with one dictionary.
type chunkEncoder struct {
	encoder
	chunks.Encoder
	count int // blocks since the dictionary was set
	dict  int // 1 + the number of the block that has it
}

func (e *chunkEncoder) reset(dict []byte) {
	e.Encoder.Reset(dict)
	e.count, e.dict = 0, 0
}

func (e *chunkEncoder) append(dst, text []byte, ends []int, base int) ([]byte, uint32) {
	e.count++
	from := len(dst)
	dst, ok := e.AppendBlock(dst, text, ends, base, e.dict == 0)
	switch {
	case !ok:
		return appendPlain(dst[:from], text, ends, base), layout.StoredRaw
	case e.dict == 0:
		e.dict = e.count
		return dst, layout.StoredDictionary
	}
	return dst, layout.StoredChunks | uint32(e.count-e.dict)<<layout.StoredFormBits
}
