package columns

import (
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/segment"
)

// Part is some documents of a block of a segment.
type Part struct {
	Block int
	N     int // how many there are
	// Docs are the documents, in ascending order, if they are few; otherwise Bits has a bit for each of the block.
	Docs []uint32
	Bits *[64]uint64

	words [64]uint64
	few   [few]uint32
}

// few is how many documents of a block are looked up in less time than it takes to decode the block.
const few = 16

// SetDocs makes p documents of a block, at least one, which ascend.
func (p *Part) SetDocs(docs []uint32) {
	p.Block, p.N = int(docs[0]/segment.ColumnBlock), len(docs)
	p.Docs, p.Bits = docs, nil
	if len(docs) > few {
		p.words = [64]uint64{}
		bitset.Add(p.words[:], uint32(p.Block)*segment.ColumnBlock, docs)
		p.Docs, p.Bits = nil, &p.words
	}
}

// SetWords makes p documents of a block: those of words, of which the first is word at of the block. It returns false if
// there are none. Memory for documents is taken from and left in spare.
func (p *Part) SetWords(block int, words []uint64, at int, spare *[]uint32) bool {
	p.Block, p.Docs, p.Bits = block, nil, nil
	if p.N = bitset.Count(words); p.N == 0 {
		return false
	}
	if p.N <= few {
		*spare = bitset.AppendDocs((*spare)[:0], words, uint32(block)*segment.ColumnBlock+uint32(64*at))
		p.Docs = *spare
		return true
	}
	p.words = [64]uint64{}
	copy(p.words[at:], words)
	p.Bits = &p.words
	return true
}

// In makes dst the documents of p that are in all of some sets of the segment.
func (p *Part) In(dst *Part, sets []*docset.Set) {
	dst.Block, dst.Docs, dst.Bits = p.Block, nil, nil
	if p.Bits == nil {
		docs := append(dst.few[:0], p.Docs...)
		for _, s := range sets {
			docs = s.Keep(docs, false)
		}
		dst.N, dst.Docs = len(docs), docs
		return
	}
	dst.words = *p.Bits
	for _, s := range sets {
		s.And(dst.words[:], p.start())
	}
	if dst.N = bitset.Count(dst.words[:]); dst.N > few {
		dst.Bits = &dst.words
		return
	}
	dst.Docs = bitset.AppendDocs(dst.few[:0], dst.words[:], p.start())
}

// start returns the first document of the block.
func (p *Part) start() uint32 { return uint32(p.Block) * segment.ColumnBlock }
