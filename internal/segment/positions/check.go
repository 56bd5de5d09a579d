package positions

import (
	"bytes"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/posblock"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

// grain is how many blocks of the dictionary a goroutine checks at a time.
const grain = 16

// check checks that the blocks of POSITIONS follow one another and their parts fill them, and, if postings
// are checked, that each part is the only one that its positions can have.
func check(v section.Verifier) error {
	s := v.Segment()
	n := blocks(s)
	end, err := s.Raw().PositionIndex(0)
	if err == nil && end != 0 {
		err = s.Raw().Corrupt(format.SectionPositionIndex, 0, "the first block begins at byte %d", end)
	}
	if err := v.Report(err, 0, [2]uint32{}); err != nil {
		return err
	}
	sec, _ := s.Header().Section(format.SectionPositions)
	if end, err = s.Raw().PositionIndex(n); err == nil && end != uint64(sec.Length) {
		err = s.Raw().Corrupt(format.SectionPositionIndex, 8*int64(n), "the last block ends at byte %d of %d", end, sec.Length)
	}
	if err := v.Report(err, 0, [2]uint32{}); err != nil {
		return err
	}
	return v.Each(n, grain, func(lo, hi int) error {
		c := checker{v: v, s: s}
		for i := lo; i < hi; i++ {
			size, err := c.block(i)
			if err := v.Report(err, 0, [2]uint32{}); err != nil {
				return err
			}
			if err := v.Step(work * size); err != nil {
				return err
			}
		}
		return nil
	})
}

// checker checks one block of the dictionary after the other.
type checker struct {
	v       section.Verifier
	s       *segment.Segment
	list    segment.List
	freqs   []uint32
	gaps    []uint32
	encoded []byte
}

// block checks what POSITIONS has of block i, and returns how many bytes that are.
func (c *checker) block(i int) (int64, error) {
	if !hasPositions(c.s, i) {
		at, err := c.s.Raw().PositionIndex(i)
		if err != nil {
			return 0, err
		}
		end, err := c.s.Raw().PositionIndex(i + 1)
		if err == nil && at != end {
			err = c.s.Raw().Corrupt(format.SectionPositionIndex, 8*int64(i), "block %d of a field without positions has bytes %d to %d", i, at, end)
		}
		return 0, err
	}
	parts, err := c.s.Raw().PositionParts(i)
	if err != nil || !c.v.Postings() {
		return parts.End - parts.At, err
	}
	b, err := c.s.Raw().TermBlock(i)
	if err != nil {
		return 0, nil // the check of the dictionary reports it
	}
	pos := b.Entries
	for j := range b.Terms {
		e, next := c.s.Raw().ParseEntry(&b, j, pos)
		if next < 0 {
			break
		}
		pos = next
		if err := c.v.Report(c.part(e), int64(parts.Lengths[j]), [2]uint32{}); err != nil {
			return 0, err
		}
	}
	return parts.End - parts.At, nil
}

// part checks the part of the list of e. Of a list that is damaged itself it checks what it can.
func (c *checker) part(e segment.Entry) error {
	l := &c.list
	if c.s.Lists().Init(l, e) != nil {
		return nil // the check of lists reports it
	}
	p, err := l.Positions()
	if err != nil {
		return err
	}
	size := 0
	if l.Kind == segment.KindExtent {
		size = 4 * l.Blocks
	}
	for b := range l.Blocks {
		freqs := l.Small().Freqs
		if l.Kind == segment.KindExtent {
			if len(c.freqs) < l.BlockLen {
				c.freqs = make([]uint32, l.BlockLen)
			}
			n, err := l.DecodeFreqs(c.freqs, b, 1)
			if err != nil {
				return nil
			}
			freqs = c.freqs[:n]
		}
		n, err := c.gapsOf(&p, b, freqs)
		if err != nil {
			return err
		}
		size += n
	}
	if size != p.Bytes() {
		return p.Locate(format.Corrupt("blocks of %d bytes, the part has %d", size, p.Bytes()), format.NoBlock)
	}
	return nil
}

// gapsOf checks a block of p, whose postings have these frequencies, and returns its length.
func (c *checker) gapsOf(p *segment.Positions, block int, freqs []uint32) (int, error) {
	total := uint64(0)
	for _, tf := range freqs {
		total += uint64(tf)
	}
	b, err := p.RawBlock(block)
	if err != nil {
		return 0, err
	}
	if total > math.MaxUint32 {
		return 0, p.Locate(format.Corrupt("%d positions in %d bytes", total, len(b)), block)
	}
	if c.gaps, err = p.AppendBlock(c.gaps[:0], block, uint32(total)); err != nil {
		return 0, err
	}
	gaps := c.gaps
	for i, tf := range freqs {
		next := uint64(0)
		for _, g := range gaps[:tf] {
			next += uint64(g) + 1
		}
		if gaps = gaps[tf:]; next > segment.MaxPosition+1 {
			return 0, p.Locate(format.Corrupt("posting %d has position %d, above %d", i, next-1, segment.MaxPosition), block)
		}
	}
	if c.list.Kind == segment.KindExtent {
		c.encoded = posblock.AppendBlock(c.encoded[:0], c.gaps)
	} else {
		c.encoded = posblock.AppendList(c.encoded[:0], c.gaps)
	}
	if !bytes.Equal(b, c.encoded) {
		return 0, p.Locate(format.Corrupt("%d positions are coded in another way", total), block)
	}
	return len(b), nil
}
