package lrc

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/patch"
	"github.com/pinion-index/pinion/internal/codec/internal/regress"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
)

const (
	// BlockLen is the number of values in a full block.
	BlockLen = regress.BlockLen

	headWords = regress.LineSize/4 + 1

	countBits = 7
	overBits  = 5
	patchBits = countBits + overBits
)

// Codec is lrc. The zero value is ready to use.
type Codec struct{ frequencies }

// frequencies are stored as in newpfd.
type frequencies = newpfd.Frequencies

var _ codec.Codec = Codec{}

// ID returns codec.LRC.
func (Codec) ID() codec.ID { return codec.LRC }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// fit returns the line of docs, below all of them.
func fit(docs []uint32) regress.Line {
	l := regress.Fit(docs)
	var dev [BlockLen]int32
	least := int32(1<<31 - 1)
	for at := 0; at < len(docs); at += BlockLen {
		lo, _ := regress.Deviations(dev[:], docs[at:min(at+BlockLen, len(docs))], l.From(at))
		least = min(least, lo)
	}
	l.Intercept += uint32(least)
	return l
}

// above writes the distances of docs, the elements from k on, above the line, and returns
// their bitwise or.
func above(lambda, docs []uint32, l regress.Line, k int) (or uint32) {
	local := l.From(k)
	for j, d := range docs {
		lambda[j] = d - local.At(j)
		or |= lambda[j]
	}
	return or
}

// words returns the number of words of a block of n values with plan p.
func words(n int, p patch.Plan) uint {
	w := 4 * uint(bitpack.Vectors(n, p.Width))
	if p.Count > 0 {
		w += patch.Words(patchBits + p.Bits())
	}
	return w
}

// choose returns the largest width with which the list is smallest, and the number of
// words of each block.
func choose(docs []uint32, l regress.Line) (width, least uint) {
	var total [33]uint // words with each width
	var lambda [BlockLen]uint32
	var h patch.Histogram
	for at := 0; at < len(docs); at += BlockLen {
		block := docs[at:min(at+BlockLen, len(docs))]
		or := above(lambda[:], block, l, at)
		h.Count(lambda[:len(block)], or)
		for b := uint(0); b <= 32; b++ {
			if p, ok := h.Plan(b); ok {
				total[b] += words(len(block), p)
			} else {
				total[b] += 1 << 40
			}
		}
	}
	for b := range total {
		if total[b] <= total[width] || b == 0 {
			width = uint(b)
		}
	}
	return width, total[width]
}

// AppendDocs appends a list of docIDs.
func (Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	ends[0] = 0
	if err := codec.CheckDocs(docs, codec.NoDoc); err != nil || len(docs) == 0 {
		return dst, err
	}
	start := len(dst)
	l := fit(docs)
	b, _ := choose(docs, l)
	dst = regress.AppendLine(dst, l)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b))
	ends[0] = headWords
	var lambda [BlockLen]uint32
	for at := 0; at < len(docs); at += BlockLen {
		v := lambda[:min(BlockLen, len(docs)-at)]
		or := above(v, docs[at:at+len(v)], l, at)
		dst = appendBlock(dst, v, or, b)
		ends[at/BlockLen+1] = uint32((len(dst) - start) / 4)
	}
	return dst, nil
}

func appendBlock(dst []byte, v []uint32, or uint32, b uint) []byte {
	var h patch.Histogram
	h.Count(v, or)
	p, _ := h.Plan(b)
	dst = bitpack.Pack(dst, v, b)
	if p.Count == 0 {
		return dst
	}
	w := patch.Writer{Dst: dst}
	w.Put(uint32(p.Count), countBits)
	w.Put(uint32(p.Over), overBits)
	w.PutExceptions(v, p)
	return w.Flush()
}

// DocsSize returns the number of bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) {
	if err := codec.CheckDocs(docs, codec.NoDoc); err != nil || len(docs) == 0 {
		return 0, err
	}
	_, words := choose(docs, fit(docs))
	return int(headWords+words) * 4, nil
}

// listWidth returns the width b of an encoded list. Without exceptions it is the range of
// deviations in bits.
func listWidth(s *format.Sequence) (uint, error) {
	if len(s.Payload) < headWords*4 || len(s.Ends) == 0 || s.Ends[0] != headWords {
		return 0, codec.ErrEndpoints
	}
	b := binary.LittleEndian.Uint32(s.Payload[regress.LineSize:])
	if b > bitpack.MaxWidth {
		return 0, codec.ErrBlock
	}
	return uint(b), nil
}
