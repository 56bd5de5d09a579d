package posting

import (
	"math/bits"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// Places reads where in their documents the postings of a list are, and how often. What it is asked for should ascend.
type Places struct {
	of     *List // counts what is decoded
	list   *segment.List
	shift  uint     // 1 << shift postings are a block
	freqs  []uint32 // of block
	block  int      // -1 if none
	reader segment.PositionReader
	ready  bool // reader is of the list
	room   []uint32
	which  []uint32 // scratch
	ends   []uint32 // scratch
}

// Begin makes p ready for l, which must be open.
func (p *Places) Begin(l *List) {
	p.of, p.list, p.block, p.ready = l, l.List(), -1, false
	p.shift = uint(bits.TrailingZeros(uint(p.list.BlockLen)))
}

// Reads reports whether p is ready for l.
func (p *Places) Reads(l *List) bool { return p.list == l.List() }

// Forget drops references to a list.
func (p *Places) Forget() {
	p.of, p.list, p.freqs, p.ready = nil, nil, nil, false
	p.reader = segment.PositionReader{}
}

// enter makes the block of a posting the current one, and returns the posting's number there.
func (p *Places) enter(pos int) (int, error) {
	if block := pos >> p.shift; block != p.block {
		if err := p.decode(block); err != nil {
			return 0, err
		}
	}
	return pos & (1<<p.shift - 1), nil
}

// decode makes a block the current one.
func (p *Places) decode(block int) error {
	p.block = -1
	if small := p.list.Small(); small.Len() > 0 {
		p.freqs = small.Freqs
	} else {
		if cap(p.room) < 1<<p.shift {
			p.room = make([]uint32, 1<<p.shift)
		}
		n, err := p.list.DecodeFreqs(p.room[:1<<p.shift], block, 1)
		if err != nil {
			return err
		}
		p.freqs = p.room[:n]
		p.of.DecodedFreqs(block)
	}
	p.block = block
	return nil
}

var errPosting = format.Corrupt("block has fewer frequencies than docIDs")

// Freq returns the frequency of posting pos of the list.
func (p *Places) Freq(pos int) (uint32, error) {
	i, err := p.enter(pos)
	if err == nil && i >= len(p.freqs) {
		err = format.Locate(errPosting, format.Place{Block: p.block})
	}
	if err != nil {
		return 0, err
	}
	return p.freqs[i], nil
}

// LeastFreqs lowers each of least to the frequency of a posting, of which at has the numbers, ascending.
func (p *Places) LeastFreqs(least []uint32, at []uint64) error {
	for i, pos := range at {
		f, err := p.Freq(int(pos))
		if err != nil {
			return err
		}
		least[i] = min(least[i], f)
	}
	return nil
}

// Append appends the positions of posting pos, ascending, to dst.
func (p *Places) Append(dst []uint32, pos int) ([]uint32, error) {
	p.ends = p.ends[:0]
	at := [1]uint64{uint64(pos)}
	dst, ends, err := p.AppendEach(dst, p.ends, at[:])
	p.ends = ends
	return dst, err
}

// AppendEach appends the positions of postings, of which at has the numbers, ascending, to dst, and how long dst is
// behind those of each to ends.
func (p *Places) AppendEach(dst, ends []uint32, at []uint64) ([]uint32, []uint32, error) {
	if !p.ready {
		positions, err := p.list.Positions()
		if err != nil {
			return dst, ends, err
		}
		p.reader.Reset(&positions)
		p.ready = true
	}
	for len(at) > 0 {
		if _, err := p.enter(int(at[0])); err != nil {
			return dst, ends, err
		}
		p.which = p.which[:0]
		first := uint64(p.block) << p.shift
		for _, pos := range at {
			i := pos - first
			if i >= 1<<p.shift {
				break
			}
			if i >= uint64(len(p.freqs)) {
				return dst, ends, format.Locate(errPosting, format.Place{Block: p.block})
			}
			p.which = append(p.which, uint32(i))
		}
		var err error
		if dst, ends, err = p.reader.AppendEach(dst, ends, p.block, p.freqs, p.which); err != nil {
			return dst, ends, err
		}
		at = at[len(p.which):]
	}
	return dst, ends, nil
}
