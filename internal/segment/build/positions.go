package build

import (
	"encoding/binary"
	"slices"

	"github.com/pinion-index/pinion/format"
)

// positionsBuilder writes sections POSITIONS and POSITIONINDEX.
type positionsBuilder struct {
	on           bool // a field has positions
	has          bool // and terms
	parts, index stream
	lengths      []byte // varints: those of the parts of the open block
}

// begin begins a block of the dictionary.
func (p *positionsBuilder) begin() {
	if p.on {
		p.end()
		p.index.addUint64(uint64(p.parts.n))
	}
}

// end ends the open block, if there is one.
func (p *positionsBuilder) end() {
	slices.Reverse(p.lengths) // so that they can be read from the end of the block on
	p.parts.add(p.lengths)
	p.lengths = p.lengths[:0]
}

// add adds the part of the next list of the block.
func (p *positionsBuilder) add(l *EncodedList) error {
	p.has = true
	p.lengths = binary.AppendUvarint(p.lengths, uint64(len(l.Positions))+uint64(l.Tail.gapsLen()))
	p.parts.add(l.Positions)
	if l.Tail == nil {
		return nil
	}
	return l.Tail.gaps.copyTo(&p.parts, make([]byte, maxPiece))
}

// gapsLen returns the number of bytes of positions.
func (t *Tail) gapsLen() int64 {
	if t == nil {
		return 0
	}
	return t.gaps.n
}

// finish ends the last block, and the index.
func (p *positionsBuilder) finish() {
	if p.on {
		p.end()
		p.index.addUint64(uint64(p.parts.n))
	}
}

// positionParts returns section POSITIONS, if the segment has it.
func (b *Builder) positionParts() []part {
	if !b.positions.has {
		return nil
	}
	return []part{{format.SectionPositions, ending{b}.copies(&b.positions.parts)}}
}
