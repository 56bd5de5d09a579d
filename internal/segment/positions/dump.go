package positions

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/posblock"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

func dump(c section.Cursor, s *segment.Segment, id format.SectionID) {
	if id == format.SectionPositionIndex {
		for i := 0; c.More(); i++ {
			c.Fixed(8, fmt.Sprintf("positions of block %d", i), "")
		}
		return
	}
	it := s.Lists().Terms()
	for i := range blocks(s) {
		parts, err := segment.PositionParts{}, error(nil)
		if has := hasPositions(s, i); has {
			if parts, err = s.Raw().PositionParts(i); err != nil {
				return
			}
		}
		var terms []string
		for j := range s.Raw().TermsIn(i) {
			if !it.Next() {
				return
			}
			if parts.Terms > 0 {
				terms = append(terms, fmt.Sprintf("%.80q", it.Term()))
				dumpPart(c, s, it.Entry(), terms[j], int(parts.Lengths[j]))
			}
		}
		for j := len(terms) - 1; j >= 0 && c.More(); j-- {
			c.Field(uint64(lengthOf(parts.Lengths[j])), "length of positions of "+terms[j], func([]byte) string {
				return section.Count(parts.Lengths[j])
			})
		}
	}
}

// Part returns where the part of the list of e, an entry of a field with positions, is in POSITIONS.
func Part(s *segment.Segment, e segment.Entry) (at, n int64, err error) {
	parts, err := s.Raw().PositionParts(int(e.Ordinal / layout.TermsPerBlock))
	if err != nil {
		return 0, 0, err
	}
	term := e.Ordinal % layout.TermsPerBlock
	at = parts.At
	for _, n := range parts.Lengths[:term] {
		at += int64(n)
	}
	return at, int64(parts.Lengths[term]), nil
}

// Dump shows the part of the list of e, of n bytes.
func Dump(c section.Cursor, s *segment.Segment, e segment.Entry, n int64) {
	dumpPart(c, s, e, "the list", int(n))
}

// lengthOf returns the number of bytes of a varint.
func lengthOf(v uint64) int { return len(binary.AppendUvarint(nil, v)) }

// dumpPart shows the part of the list of e, of n bytes.
func dumpPart(c section.Cursor, s *segment.Segment, e segment.Entry, term string, n int) {
	if n == 0 || !c.More() {
		return
	}
	name := "positions of " + term
	l, err := s.Lists().List(e)
	if err != nil {
		c.Field(uint64(n), name, func([]byte) string { return "MALFORMED" })
		return
	}
	p, err := l.Positions()
	if err != nil || p.Bytes() != n {
		c.Field(uint64(n), name, func([]byte) string { return "MALFORMED" })
		return
	}
	if l.Kind != segment.KindExtent {
		dumpSmall(c, l, &p, name)
		return
	}
	for b := range l.Blocks {
		c.Fixed(4, fmt.Sprintf("%s: end of block %d", name, b), "")
		name = " "
	}
	for b := range l.Blocks {
		dumpBlock(c, &p, b, fmt.Sprintf("  block %d: ", b))
	}
}

// dumpBlock shows a block of pieces under a name.
func dumpBlock(c section.Cursor, p *segment.Positions, block int, name string) {
	bytes, err := p.RawBlock(block)
	if err != nil {
		return
	}
	for _, x := range posblock.Parts(bytes) {
		c.Field(uint64(x.Size), name+x.Name, func([]byte) string { return x.Value })
		name = "    "
	}
}

// dumpSmall shows the positions of a list without an extent.
func dumpSmall(c section.Cursor, l *segment.List, p *segment.Positions, name string) {
	total := uint32(0)
	for _, tf := range l.Small().Freqs {
		total += tf
	}
	if total >= posblock.SmallBelow {
		dumpBlock(c, p, 0, name+": ")
		return
	}
	c.Field(uint64(p.Bytes()), name, func([]byte) string {
		gaps, err := p.AppendBlock(nil, 0, total)
		if err != nil {
			return "MALFORMED"
		}
		shown := strings.Trim(fmt.Sprint(gaps[:min(8, len(gaps))]), "[]")
		if len(gaps) > 8 {
			shown += " ..."
		}
		return "gaps " + shown
	})
}
