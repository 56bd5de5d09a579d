package parapfor

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
)

const (
	// BlockLen is the number of values in a full block.
	BlockLen = bitpack.BlockLen

	headSize = 4
)

// Codec is parapfor; its zero value is ready. It has the shape of a pointer: an
// interface then calls its methods directly, not through wrappers.
type Codec struct{ _ *byte }

var _ codec.BlockCodec = Codec{}

// ID returns codec.ParaPFor.
func (Codec) ID() codec.ID { return codec.ParaPFor }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// header is the header of a block, with Over the paper's hb and Count its en.
type header struct {
	patch.Plan
	index uint // ib
}

// exceptions returns the words of the indices and overflows.
func (h header) exceptions() uint { return patch.Words(h.Count * (h.index + h.Over)) }

// words returns the words of a block of n values.
func (h header) words(n int) uint {
	return headSize/4 + 4*uint(bitpack.Vectors(n, h.Width)) + h.exceptions()
}

// choose returns the header with which v, whose bitwise or is or, takes the fewest
// words, and of those the one with the fewest exceptions.
func choose(v []uint32, or uint32) header {
	full := uint(bits.Len32(or))
	var count, last [33]uint
	for i, x := range v {
		l := bits.Len32(x) & 63
		count[l]++
		last[l] = uint(i)
	}
	h := header{Plan: patch.Plan{Width: full}}
	best, least := h, h.words(len(v))
	for furthest := uint(0); h.Width > 0; {
		h.Width--
		h.Over++
		h.Count += count[h.Width+1]
		if count[h.Width+1] > 0 {
			furthest = max(furthest, last[h.Width+1])
		}
		h.index = uint(bits.Len(furthest))
		if words := h.words(len(v)); words < least {
			best, least = h, words
		}
	}
	return best
}

func appendBlock(dst []byte, v []uint32, or uint32) []byte {
	if or == 0 {
		return dst
	}
	h := choose(v, or)
	dst = append(dst, byte(h.Width), byte(h.index), byte(h.Over), byte(h.Count))
	w := patch.Writer{Dst: bitpack.Pack(dst, v, h.Width)}
	if h.Count > 0 {
		for i, x := range v {
			if x>>h.Width != 0 {
				w.Put(uint32(i), h.index)
			}
		}
		for _, x := range v {
			if x>>h.Width != 0 {
				w.Put(x>>h.Width, h.Over)
			}
		}
	}
	return w.Flush()
}

// head reads the header of block p of n values, which has at least one word. low
// is where its low bits end; ok is false unless the block is as long as it says.
func head(p []byte, n int) (h header, low int, ok bool) {
	word := uint(binary.LittleEndian.Uint32(p))
	h = header{Plan: patch.Plan{Width: word & 0xff, Over: word >> 16 & 0xff, Count: word >> 24}, index: word >> 8 & 0xff}
	if h.Width > bitpack.MaxWidth || h.Over > bitpack.MaxWidth || h.index > 7 || h.Count > BlockLen || h.Count > 0 && h.Over == 0 {
		return h, 0, false
	}
	return h, headSize + bitpack.Size(n, h.Width), int(h.words(n))*4 == len(p)
}

// AppendDocsBlock appends a block of docIDs that follow prev.
func (Codec) AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	var gaps [BlockLen]uint32
	or, ok := bitpack.Gaps(gaps[:len(docs)], docs, prev)
	if !ok {
		return dst, codec.CheckDocs(docs, prev)
	}
	return appendBlock(dst, gaps[:len(docs)], or), nil
}

// AppendFreqsBlock appends a block of frequencies.
func (Codec) AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	var less [BlockLen]uint32
	or, ok := bitpack.LessOne(less[:len(freqs)], freqs)
	if !ok {
		return dst, codec.CheckFreqs(freqs)
	}
	return appendBlock(dst, less[:len(freqs)], or), nil
}

// AppendDocs appends a list of docIDs.
func (c Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	return codec.AppendDocsBlocks(c, dst, ends, docs)
}

// AppendFreqs appends a list of frequencies.
func (c Codec) AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error) {
	return codec.AppendFreqsBlocks(c, dst, ends, freqs)
}

// DocsSize returns the bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) { return patch.DocsSize(docs, words) }

// FreqsSize returns the bytes that AppendFreqs would append.
func (Codec) FreqsSize(freqs []uint32) (int, error) { return patch.FreqsSize(freqs, words) }

func words(v []uint32, or uint32) uint {
	if or == 0 {
		return 0
	}
	return choose(v, or).words(len(v))
}
