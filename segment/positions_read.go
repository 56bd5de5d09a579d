package segment

import (
	"fmt"
	"io/fs"

	"github.com/pinion-index/pinion/internal/segment/posblock"
)

// PositionReader reads positions of single postings. It reads no more than these, unless it is
// asked for more of what lies beside them. It is not safe for concurrent use. After Reset it can be
// used for another list.
type PositionReader struct {
	p     Positions
	block int    // the block that rest is of, or -1
	rest  []byte // from piece first of the block on
	first int
	at    int // the piece that was asked last, or -1
	piece posblock.Piece
	whole bool // gaps are all of the piece
	gaps  [posblock.PieceLen]uint32
}

// Reader returns a PositionReader of p.
func (p *Positions) Reader() *PositionReader {
	r := new(PositionReader)
	r.Reset(p)
	return r
}

// Reset makes r a reader of p.
func (r *PositionReader) Reset(p *Positions) { r.p, r.block, r.at, r.whole = *p, -1, -1, false }

// direct is up to how many gaps of a piece are read without those beside them.
const direct = 8

// Append appends the positions, ascending, of a posting of a block of the list. The postings before
// it in the block have before positions, and it has tf. Others than a block has are refused, except
// for some right behind the last that bits which nothing uses may stand for: an extent does not tell
// how many positions its blocks have.
func (r *PositionReader) Append(dst []uint32, block int, before, tf uint32) ([]uint32, error) {
	if r.p.s == nil {
		return dst, fmt.Errorf("segment: PositionReader without a list: %w", fs.ErrInvalid)
	}
	if block != r.block || int(before/posblock.PieceLen) < r.first {
		if err := r.enter(block); err != nil {
			return dst, err
		}
	}
	if !r.p.extent && uint64(before)+uint64(tf) > r.p.total {
		return dst, r.p.corrupt(block, "%d positions, %d of a posting follow the first %d", r.p.total, tf, before)
	}
	if r.p.small() {
		dst, _, err := r.sum(dst, r.gaps[before:before+tf], 0)
		return dst, err
	}
	next := uint32(0) // the least position that may follow
	for tf > 0 {
		piece, first := int(before/posblock.PieceLen), int(before%posblock.PieceLen)
		end := min(first+int(tf), posblock.PieceLen)
		gaps, ok := r.in(piece, first, end)
		if !ok {
			return dst, r.p.corrupt(block, "malformed gaps %d to %d", before, before+uint32(end-first))
		}
		var err error
		if dst, next, err = r.sum(dst, gaps, next); err != nil {
			return dst, err
		}
		before, tf = before+uint32(end-first), tf-uint32(end-first)
	}
	return dst, nil
}

// sum appends the positions that gaps of one posting stand for, from next on, and returns the least that
// may follow.
func (r *PositionReader) sum(dst, gaps []uint32, next uint32) ([]uint32, uint32, error) {
	for _, g := range gaps {
		g += next
		if next = g + 1; g > MaxPosition {
			return dst, next, r.p.corrupt(r.block, "a position above %d", MaxPosition)
		}
		dst = append(dst, g)
	}
	return dst, next, nil
}

// enter makes r read a block from its first piece on, or the whole of a small list.
func (r *PositionReader) enter(block int) error {
	r.block = -1
	b, err := r.p.block(block)
	if err != nil {
		return err
	}
	if r.p.small() && !posblock.DecodeSmall(r.gaps[:r.p.total], b) {
		return r.p.corrupt(block, "malformed gaps of %d positions", r.p.total)
	}
	r.block, r.rest, r.first, r.at = block, b, 0, -1
	return nil
}

// in returns the gaps from first up to before end of a piece of the block.
func (r *PositionReader) in(piece, first, end int) ([]uint32, bool) {
	if piece == r.at {
		if !r.whole { // the second time, and there may be more
			if r.whole = r.piece.Decode(&r.gaps, r.piece.Len()); !r.whole {
				return nil, false
			}
		}
		return r.gaps[first:end], end <= r.piece.Len()
	}
	rest, ok := posblock.Skip(r.rest, piece-r.first)
	if !ok {
		return nil, false
	}
	r.rest, r.first, r.at = rest, piece, -1
	if r.piece, _, ok = posblock.Next(rest); !ok || end > r.piece.Len() {
		return nil, false
	}
	r.at = piece
	if r.whole = end-first > direct; r.whole {
		return r.gaps[first:end], r.piece.Decode(&r.gaps, r.piece.Len())
	}
	r.piece.Some(r.gaps[:], first, end)
	return r.gaps[:end-first], true
}
