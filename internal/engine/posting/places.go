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
	at     int      // postings of the block before it have
	before uint32   // so many positions
	reader segment.PositionReader
	ready  bool // reader is of the list
	room   []uint32
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
	p.at, p.before, p.block = 0, 0, -1
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

// sum returns the sum of v.
func sum(v []uint32) uint32 {
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

// Append appends the positions of posting pos, ascending, to dst.
func (p *Places) Append(dst []uint32, pos int) ([]uint32, error) {
	tf, err := p.Freq(pos)
	if err != nil {
		return dst, err
	}
	if !p.ready {
		positions, err := p.list.Positions()
		if err != nil {
			return dst, err
		}
		p.reader.Reset(&positions)
		p.ready = true
	}
	i := pos & (1<<p.shift - 1)
	if i < p.at {
		p.at, p.before = 0, 0
	}
	p.before += sum(p.freqs[p.at:i])
	p.at = i
	return p.reader.Append(dst, p.block, p.before, tf)
}
