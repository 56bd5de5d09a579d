package newpfd

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
)

// BlockLen is the number of values in a full block.
const BlockLen = bitpack.BlockLen

const (
	widthBits = 6
	countBits = 7
	overBits  = 5
	headBits  = widthBits + countBits + overBits
)

// Codec is newpfd; its zero value is ready.
type Codec struct{ Frequencies }

// Frequencies is the half of newpfd that stores frequencies. Codecs which have no
// better way for theirs embed it.
type Frequencies struct{ _ *byte }

var _ codec.BlockCodec = Codec{}

// ID returns codec.NewPFD.
func (Codec) ID() codec.ID { return codec.NewPFD }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

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
func (Frequencies) AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	var less [BlockLen]uint32
	or, ok := bitpack.LessOne(less[:len(freqs)], freqs)
	if !ok {
		return dst, codec.CheckFreqs(freqs)
	}
	return appendBlock(dst, less[:len(freqs)], or), nil
}

func appendBlock(dst []byte, v []uint32, or uint32) []byte {
	if or == 0 {
		return dst
	}
	p := patch.Choose(v, or, headBits)
	w := patch.Writer{Dst: dst}
	w.Put(uint32(p.Width), widthBits)
	w.Put(uint32(p.Count), countBits)
	w.Put(uint32(p.Over), overBits)
	w.PutExceptions(v, p)
	return bitpack.Pack(w.Flush(), v, p.Width)
}

// AppendDocs appends a list of docIDs.
func (c Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	return codec.AppendDocsBlocks(c, dst, ends, docs)
}

// AppendFreqs appends a list of frequencies.
func (f Frequencies) AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error) {
	start := len(dst)
	ends[0] = 0
	for i := 0; i < len(freqs); i += BlockLen {
		var err error
		if dst, err = f.AppendFreqsBlock(dst, freqs[i:min(i+BlockLen, len(freqs))]); err != nil {
			return dst[:start], codec.Shift(err, i)
		}
		ends[i/BlockLen+1] = uint32((len(dst) - start) / 4)
	}
	return dst, nil
}

// DocsSize returns the bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) { return patch.DocsSize(docs, words) }

// FreqsSize returns the bytes that AppendFreqs would append.
func (Frequencies) FreqsSize(freqs []uint32) (int, error) { return patch.FreqsSize(freqs, words) }

func words(v []uint32, or uint32) uint {
	if or == 0 {
		return 0
	}
	return patch.Choose(v, or, headBits).Words(len(v), headBits)
}
