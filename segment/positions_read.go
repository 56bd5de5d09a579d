package segment

import (
	"errors"
	"slices"

	"github.com/pinion-index/pinion/segment/internal/posblock"
)

// PositionReader reads positions of single postings. It reads no more than these, unless it is
// asked for more of what lies beside them. It is not safe for concurrent use. After Reset it can be
// used for another list.
type PositionReader struct {
	p     Positions
	block int    // the current one, or -1
	bytes []byte // of the block
	rest  []byte // from piece first of the block on
	first int
	at    int // the piece that was asked last, or -1
	piece posblock.Piece
	size  int  // how many gaps it has at most
	whole bool // gaps are all of the piece
	gaps  [posblock.PieceLen]uint32

	posting   uint32 // the postings of the block before it have
	positions uint32 // so many
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
	if err := r.begin(block); err != nil {
		return dst, err
	}
	return r.append(dst, before, tf, before+tf, false)
}

// AppendEach appends the positions of several postings of a block of the list to dst, ascending in each,
// and how long dst is behind those of each to ends. which are the postings, by their numbers in the
// block, ascending, and freqs are the block's frequencies. What Append says of refusals holds.
func (r *PositionReader) AppendEach(dst, ends []uint32, block int, freqs, which []uint32) ([]uint32, []uint32, error) {
	if err := r.begin(block); err != nil {
		return dst, ends, err
	}
	next := uint32(0)
	for j, i := range which {
		before, more := next, j+1 < len(which)
		if j == 0 {
			before = r.before(freqs, i)
		}
		if more {
			next = r.before(freqs, which[j+1])
		}
		var err error
		if dst, err = r.append(dst, before, freqs[i], next, more); err != nil {
			return dst, ends, err
		}
		ends = append(ends, uint32(len(dst)))
	}
	return dst, ends, nil
}

// before returns how many positions the first n postings of the current block have.
func (r *PositionReader) before(freqs []uint32, n uint32) uint32 {
	if n < r.posting {
		r.posting, r.positions = 0, 0
	}
	r.positions += sumOf(freqs[r.posting:n])
	r.posting = n
	return r.positions
}

// sumOf returns the sum of v.
func sumOf(v []uint32) uint32 {
	var a, b, c, d uint32
	for len(v) >= 8 {
		w := (*[8]uint32)(v)
		a += w[0] + w[4]
		b += w[1] + w[5]
		c += w[2] + w[6]
		d += w[3] + w[7]
		v = v[8:]
	}
	for _, x := range v {
		a += x
	}
	return a + b + c + d
}

// begin makes a block the current one.
func (r *PositionReader) begin(block int) error {
	if r.p.s == nil {
		return errors.New("segment: PositionReader without a list")
	}
	if block == r.block {
		return nil
	}
	return r.enter(block)
}

// append appends the positions of a posting of the current block. If there are more to come of this block, the next
// posting's are behind next others.
func (r *PositionReader) append(dst []uint32, before, tf, next uint32, more bool) ([]uint32, error) {
	if !r.p.extent {
		if uint64(before)+uint64(tf) > r.p.total {
			return dst, r.p.corrupt(r.block, "%d positions, %d of a posting follow the first %d", r.p.total, tf, before)
		}
		if r.p.small() {
			dst, _, err := r.sum(dst, r.gaps[before:before+tf], 0)
			return dst, err
		}
	}
	least := uint32(0) // of the positions that may follow
	for tf > 0 {
		piece, first := int(before/posblock.PieceLen), int(before%posblock.PieceLen)
		end := posblock.PieceLen
		if tf < uint32(end-first) {
			end = first + int(tf)
		}
		var gaps []uint32
		if piece == r.at && r.whole && end <= r.size {
			gaps = r.gaps[first:end]
		} else {
			var ok bool
			if gaps, ok = r.in(piece, first, end, more && int(next/posblock.PieceLen) == piece); !ok {
				return dst, r.p.corrupt(r.block, "malformed gaps %d to %d", before, before+uint32(end-first))
			}
		}
		var err error
		if dst, least, err = r.sum(dst, gaps, least); err != nil {
			return dst, err
		}
		before, tf = before+uint32(end-first), tf-uint32(end-first)
	}
	return dst, nil
}

// sum appends the positions that gaps of one posting stand for, from next on, and returns the least that
// may follow.
func (r *PositionReader) sum(dst, gaps []uint32, next uint32) ([]uint32, uint32, error) {
	all, n := uint32(0), len(dst)
	dst = slices.Grow(dst, len(gaps))[:n+len(gaps)]
	to := dst[n:]
	for i, g := range gaps { // below 2^31, so that the first sum above MaxPosition has bit 31
		g += next
		to[i], next = g, g+1
		all |= g
	}
	if all > MaxPosition {
		return dst[:n], next, r.p.corrupt(r.block, "a position above %d", MaxPosition)
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
	r.block, r.bytes, r.rest, r.first, r.at, r.posting, r.positions = block, b, b, 0, -1, 0, 0
	return nil
}

// in returns the gaps from first up to before end of a piece of the block. It decodes the whole piece if more of it are
// wanted, which it takes for granted if it is asked for the second time.
func (r *PositionReader) in(piece, first, end int, more bool) ([]uint32, bool) {
	if piece != r.at {
		if piece < r.first {
			r.rest, r.first = r.bytes, 0
		}
		rest, ok := posblock.Skip(r.rest, piece-r.first)
		if !ok {
			return nil, false
		}
		r.rest, r.first, r.at, r.whole = rest, piece, -1, false
		if r.piece, _, ok = posblock.Next(rest); !ok {
			return nil, false
		}
		r.at, r.size = piece, r.piece.Len()
	} else {
		more = true
	}
	switch {
	case end > r.size:
		return nil, false
	case more || end-first > direct:
		if r.whole = r.piece.Decode(&r.gaps, r.size); !r.whole {
			return nil, false
		}
		return r.gaps[first:end], true
	}
	r.piece.Some(r.gaps[:], first, end)
	return r.gaps[:end-first], true
}
