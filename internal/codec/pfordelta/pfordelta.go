package pfordelta

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/patch"
)

const (
	// BlockLen is the number of values in a full block.
	BlockLen = bitpack.BlockLen

	// MaxLevel is the deepest recursion.
	MaxLevel = 4

	defaultLevel = 1
)

// The cost of decoding an exception in addition to its bits, in half bits: about 0.4 ns
// for a docID, at package choose's 2 ns per byte. For frequencies, which are also read
// one at a time, only the size counts.
const (
	docsPrice  = 3
	freqsPrice = 0
)

// Codec is pfordelta. The zero value is ready to use and encodes with level 1. Every
// Codec decodes lists of all levels.
type Codec struct {
	levels int8 // above the default
}

var _ codec.Codec = Codec{}

// Level returns the codec that encodes with a recursion level from 0 to MaxLevel. Other
// levels are an error.
func Level(level int) (Codec, error) {
	if level < 0 || level > MaxLevel {
		return Codec{}, fmt.Errorf("pfordelta: level %d is not between 0 and %d", level, MaxLevel)
	}
	return Codec{int8(level - defaultLevel)}, nil
}

// ID returns codec.PForDelta.
func (Codec) ID() codec.ID { return codec.PForDelta }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

func (c Codec) level() int { return defaultLevel + int(c.levels) }

// plan returns the arrays for values, divided into blocks, and the number of words of
// each block.
func (c Codec) plan(values []uint32, price uint) (list []array, words []uint) {
	p := parts{values, make([]uint8, codec.Blocks(len(values), BlockLen)), price}
	for i := range p.counts {
		p.counts[i] = uint8(min(BlockLen, len(values)-i*BlockLen))
	}
	words = make([]uint, len(p.counts))
	list = p.plan(nil, c.level()+1, true, words)
	for i, n := range p.counts {
		words[i] = patch.Words(words[i]) + 4*uint(bitpack.Vectors(int(n), list[0].width))
	}
	return list, words
}

func (c Codec) size(values []uint32, price uint) int {
	if len(values) == 0 {
		return 0
	}
	_, words := c.plan(values, price)
	total := uint(headWords(c.level()))
	for _, w := range words {
		total += w
	}
	return int(total) * 4
}

func (c Codec) append(dst []byte, ends, values []uint32, price uint) []byte {
	ends[0] = 0
	if len(values) == 0 {
		return dst
	}
	start := len(dst)
	list, _ := c.plan(values, price)
	dst = append(dst, byte(c.level()))
	for _, a := range list {
		dst = append(dst, byte(a.width), byte(a.count))
	}
	for (len(dst)-start)%4 != 0 {
		dst = append(dst, 0)
	}
	ends[0] = uint32(len(dst)-start) / 4
	for at := 0; at < len(values); at += BlockLen {
		block := values[at:min(at+BlockLen, len(values))]
		dst = bitpack.Pack(dst, block, list[0].width)
		if uint64(or(block))>>list[0].width != 0 {
			w := patch.Writer{Dst: dst}
			put(&w, list, c.level()+1, block)
			dst = w.Flush()
		}
		ends[at/BlockLen+1] = uint32(len(dst)-start) / 4
	}
	return dst
}

// gaps returns the d-gaps minus one of docs.
func gaps(docs []uint32) ([]uint32, error) {
	g := make([]uint32, len(docs))
	if _, ok := bitpack.Gaps(g, docs, codec.NoDoc); !ok {
		return nil, codec.CheckDocs(docs, codec.NoDoc)
	}
	return g, nil
}

// lessOne returns freqs minus one.
func lessOne(freqs []uint32) ([]uint32, error) {
	v := make([]uint32, len(freqs))
	if _, ok := bitpack.LessOne(v, freqs); !ok {
		return nil, codec.CheckFreqs(freqs)
	}
	return v, nil
}

// AppendDocs appends a list of docIDs.
func (c Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	v, err := gaps(docs)
	if err != nil {
		return dst, err
	}
	return c.append(dst, ends, v, docsPrice), nil
}

// AppendFreqs appends a list of frequencies.
func (c Codec) AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error) {
	v, err := lessOne(freqs)
	if err != nil {
		return dst, err
	}
	return c.append(dst, ends, v, freqsPrice), nil
}

// DocsSize returns the number of bytes that AppendDocs would append.
func (c Codec) DocsSize(docs []uint32) (int, error) {
	v, err := gaps(docs)
	if err != nil {
		return 0, err
	}
	return c.size(v, docsPrice), nil
}

// FreqsSize returns the number of bytes that AppendFreqs would append.
func (c Codec) FreqsSize(freqs []uint32) (int, error) {
	v, err := lessOne(freqs)
	if err != nil {
		return 0, err
	}
	return c.size(v, freqsPrice), nil
}
