package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/posblock"
)

// MaxPosition is the greatest position of a term in a document.
const MaxPosition = posblock.MaxPosition

// Positions is a view of the positions of one posting list: where in its documents the term
// occurs, as ascending numbers below MaxPosition+1. It is a value, valid for its segment, and safe
// for concurrent use.
type Positions struct {
	s       *Segment
	ordinal uint64
	at      int64  // offset in POSITIONS
	b       []byte // the list's part, of which callers touch what they use
	blocks  int
	extent  bool   // b begins with the ends of blocks
	total   uint64 // of a list without an extent: how many there are
}

// HasPositions reports whether the field's lists have positions.
func (v FieldView) HasPositions() bool { return v.Info().Positions }

// Positions returns the positions of the list of e, an entry of the field. In a field that has none
// the error matches errors.ErrUnsupported.
func (v FieldView) Positions(e Entry) (Positions, error) {
	if !v.HasPositions() {
		return Positions{}, v.noPositions()
	}
	var l List
	if err := v.s.Lists().Init(&l, e); err != nil {
		return Positions{}, err
	}
	return l.Positions()
}

func (v FieldView) noPositions() error {
	return fmt.Errorf("segment %s: field %q has no positions: %w", v.s.name, v.Info().Name, errors.ErrUnsupported)
}

// Positions returns the positions of the list. In a field that has none the error matches
// errors.ErrUnsupported. It reads no positions yet, except on data on demand, of which it reads all.
func (l *List) Positions() (Positions, error) {
	s := l.s
	if f := s.Field(s.FieldOf(l.entry)); !f.HasPositions() {
		return Positions{}, f.noPositions()
	}
	p := Positions{s: s, ordinal: l.entry.Ordinal, blocks: l.Blocks, extent: l.Kind == KindExtent}
	if err := p.find(); err != nil {
		return Positions{}, err
	}
	if !p.extent {
		for _, tf := range l.freqs[:l.N] {
			p.total += uint64(tf)
		}
		return p, nil
	}
	table := 4 * p.blocks
	if table > len(p.b) {
		return Positions{}, p.corrupt(format.NoBlock, "%d bytes for %d blocks", len(p.b), p.blocks)
	}
	return p, p.touch(0, table, format.NoBlock)
}

// find sets at and b.
func (p *Positions) find() error {
	at, n, err := positionTable{p.s}.part(p.ordinal)
	if err == nil {
		err = p.take(at, n)
	}
	if err != nil {
		return p.Locate(err, format.NoBlock)
	}
	return nil
}

// take sets at, and b to n bytes from there.
func (p *Positions) take(at, n int64) (err error) {
	p.at = at
	p.b, err = p.s.peek(p.s.section(format.SectionPositions), at, n)
	return err
}

// SmallGaps reads positions of lists without an extent. It keeps where those of a block of the
// dictionary are, so that it reads lists in the order of their terms fastest. The zero value is ready
// to use. It is not for concurrent use.
type SmallGaps struct {
	s     *Segment
	block uint64
	parts PositionParts
}

// Append appends the gaps of the positions of e to dst, an entry without an extent of a field of s
// with positions, whose frequencies are freqs. They are those of Positions.AppendBlock.
func (g *SmallGaps) Append(dst []uint32, s *Segment, e *Entry, freqs []uint32) ([]uint32, error) {
	p := Positions{s: s, ordinal: e.Ordinal, blocks: 1}
	if block := e.Ordinal / layout.TermsPerBlock; g.s != s || g.block != block {
		var err error
		if g.parts, err = (positionTable{s}).parts(int(block)); err != nil {
			g.s = nil
			return dst, p.Locate(err, format.NoBlock)
		}
		g.s, g.block = s, block
	}
	if err := p.take(g.parts.part(e.Ordinal % layout.TermsPerBlock)); err != nil {
		return dst, p.Locate(err, format.NoBlock)
	}
	for _, tf := range freqs {
		p.total += uint64(tf)
	}
	if p.total > math.MaxUint32 {
		return dst, p.corrupt(0, "%d positions", p.total)
	}
	return p.AppendBlock(dst, 0, uint32(p.total))
}

// positionTable is what a segment says of where positions are.
type positionTable struct{ *Segment }

// index returns POSITIONINDEX, of which callers must touch what they use if it is in memory.
func (t positionTable) index() ([]uint64, error) {
	return t.words(t.section(format.SectionPositionIndex), &t.views.positionIndex)
}

// part returns where the part of the list with an ordinal is in POSITIONS, and its length.
func (t positionTable) part(ordinal uint64) (at, n int64, err error) {
	x, err := t.parts(int(ordinal / layout.TermsPerBlock))
	if err != nil {
		return 0, 0, err
	}
	at, n = x.part(ordinal % layout.TermsPerBlock)
	return at, n, nil
}

// part returns where the part of a term of the block is, and its length.
func (x *PositionParts) part(term uint64) (at, n int64) {
	at = x.At
	for _, n := range x.Lengths[:term] {
		at += int64(n)
	}
	return at, int64(x.Lengths[term])
}

// PositionParts says where in POSITIONS the parts of a block of the dictionary are, one after the
// other in the order of the terms.
type PositionParts struct {
	At      int64                        // where the first begins
	Terms   int                          // how many there are
	Lengths [layout.TermsPerBlock]uint64 // of each of them
	End     int64                        // where the last ends and what says their lengths begins
}

// parts returns what POSITIONS has of block i of the dictionary, which exists and is of a
// field with positions.
func (t positionTable) parts(i int) (x PositionParts, err error) {
	index, err := t.index()
	if err != nil {
		return x, err
	}
	sec, to := t.section(format.SectionPositionIndex), t.section(format.SectionPositions)
	if err := t.touch(sec, 8*int64(i), 16); err != nil {
		return x, err
	}
	lo, hi := index[i], index[i+1]
	if lo > hi || hi > uint64(to.Length) {
		return x, t.corrupt(sec, 8*int64(i), "block %d spans %d to %d of %d bytes", i, lo, hi, to.Length)
	}
	x.At, x.Terms = int64(lo), t.Lists().termsOf(i)
	n := t.lengthsWithin(i, lo, hi)
	b, err := t.rangeOf(to, int64(hi)-n, n)
	if err != nil {
		return x, err
	}
	sum, pos := uint64(0), len(b)
	for j := range x.Terms {
		if x.Lengths[j], pos = layout.UvarintBefore(b, pos); pos < 0 {
			return x, t.corrupt(to, int64(lo), "malformed lengths of block %d", i)
		}
		sum += x.Lengths[j]
	}
	x.End = int64(hi) - int64(len(b)-pos)
	if sum != uint64(x.End)-lo {
		return x, t.corrupt(to, int64(lo), "parts of block %d have %d bytes, their lengths say %d", i, x.End-x.At, sum)
	}
	return x, nil
}

// lengthsWithin returns within how many bytes before hi the lengths of the parts of block i are, which
// begins at lo.
func (t positionTable) lengthsWithin(i int, lo, hi uint64) int64 {
	return min(int64(hi-lo), int64(t.Lists().termsOf(i))*layout.MaxPartLength)
}

// PrefetchTermPositions begins to read the positions of the lists of terms before their entries are known, if the Data is
// OnDemand: those of all terms in their blocks of the dictionary, where these are not long. It is only a hint.
func (ls Lists) PrefetchTermPositions(terms [][]byte) { ls.s.Field(0).PrefetchTermPositions(terms) }

// PrefetchTermPositions is Lists.PrefetchTermPositions for terms of the field.
func (v FieldView) PrefetchTermPositions(terms [][]byte) {
	s, f := v.s, v.Info()
	if s.remote == nil || !f.Positions || !s.hasPositions() {
		return
	}
	ti, err := s.Lists().termIndexOf()
	if err != nil {
		return
	}
	index, err := positionTable{s}.index()
	if err != nil {
		return
	}
	a := s.ask()
	for _, t := range terms {
		if i := ti.blockOf(f, t); i >= 0 && index[i] < index[i+1] && index[i+1]-index[i] <= blockMost {
			a.need(s.section(format.SectionPositions), int64(index[i]), int64(index[i+1]-index[i]))
		}
	}
	a.send()
}

// PrefetchPositions begins to read the positions of the lists of entries, if the Data is OnDemand. It
// waits for what says where they are. Entries of fields without positions are left out.
func (ls Lists) PrefetchPositions(entries []Entry) {
	s := ls.s
	if s.remote == nil || !s.hasPositions() {
		return
	}
	t, a, to := positionTable{s}, s.ask(), s.section(format.SectionPositions)
	a.table(s.section(format.SectionPositionIndex), s.views.positionIndex.Load() != nil)
	a.send()
	index, err := t.index()
	if err != nil {
		return // Positions says so
	}
	var with []Entry
	a = s.ask()
	for _, e := range entries {
		i := int(e.Ordinal / layout.TermsPerBlock)
		if !s.Field(s.FieldOf(e)).HasPositions() || i+1 >= len(index) || index[i] > index[i+1] || index[i+1] > uint64(to.Length) {
			continue
		}
		with = append(with, e)
		n := t.lengthsWithin(i, index[i], index[i+1])
		a.need(to, int64(index[i+1])-n, n)
	}
	a.send()
	a = s.ask()
	for _, e := range with {
		if at, n, err := t.part(e.Ordinal); err == nil {
			a.need(to, at, n)
		}
	}
	a.send()
}

// Blocks returns the number of blocks, those of the list.
func (p *Positions) Blocks() int { return p.blocks }

// Bytes returns how many bytes the positions take.
func (p *Positions) Bytes() int { return len(p.b) }

// small reports whether the list has no extent and few positions, which are not in pieces then.
func (p *Positions) small() bool { return !p.extent && p.total < posblock.SmallBelow }

// touch checks the pages of bytes lo to hi of p.b, which are of a block.
func (p *Positions) touch(lo, hi, block int) error {
	if err := p.s.touch(p.s.section(format.SectionPositions), p.at+int64(lo), int64(hi-lo)); err != nil {
		return p.Locate(err, block)
	}
	return nil
}

// block returns the bytes of a block, checked.
func (p *Positions) block(block int) ([]byte, error) {
	lo, hi := 0, len(p.b)
	if uint(block) >= uint(p.blocks) {
		return nil, fmt.Errorf("segment %s: block %d of positions in %d blocks: %w", p.s.name, block, p.blocks, fs.ErrInvalid)
	}
	if p.extent {
		table := 4 * p.blocks
		lo = table
		if block > 0 {
			lo += int(binary.LittleEndian.Uint32(p.b[4*(block-1):]))
		}
		hi = table + int(binary.LittleEndian.Uint32(p.b[4*block:]))
	}
	if lo > hi || hi > len(p.b) {
		return nil, p.corrupt(block, "block spans bytes %d to %d of %d", lo, hi, len(p.b))
	}
	return p.b[lo:hi], p.touch(lo, hi, block)
}

// RawBlock returns the stored bytes of a block of the list, as those who copy, check and show them need
// them.
func (p *Positions) RawBlock(block int) ([]byte, error) { return p.block(block) }

// Locate adds to an error about the positions of the list the file, section, term and offset of their
// part, and the block, unless it is format.NoBlock.
func (p *Positions) Locate(err error, block int) error {
	sec := p.s.section(format.SectionPositions)
	place := p.s.place(sec)
	place.Block = block
	for it := p.s.Lists().blockTerms(int(p.ordinal / layout.TermsPerBlock)); it.nextInBlock(); {
		if it.entry.Ordinal == p.ordinal {
			place.List = string(it.term)
			break
		}
	}
	return locateAt(format.Locate(err, place), sec.Offset+p.at)
}

// corrupt returns an error of kind format.ErrCorrupt in a block.
func (p *Positions) corrupt(block int, msg string, args ...any) error {
	return p.Locate(format.Corrupt(msg, args...), block)
}

// AppendBlock appends the gaps of a block of the list to dst: for each posting the first position, then
// for each other one how many positions lie between it and the one before. total is the sum of the
// block's frequencies.
func (p *Positions) AppendBlock(dst []uint32, block int, total uint32) ([]uint32, error) {
	b, err := p.block(block)
	if err != nil {
		return dst, err
	}
	ok := uint64(total) <= posblock.Most(len(b))
	if p.small() {
		ok = total > 0 && uint64(total) == p.total
	}
	if !ok {
		return dst, p.corrupt(block, "%d bytes for %d positions", len(b), total)
	}
	from := len(dst)
	dst = slices.Grow(dst, int(total))[:from+int(total)]
	if p.small() {
		ok = posblock.DecodeSmall(dst[from:], b)
	} else {
		ok = posblock.DecodeBlock(dst[from:], b)
	}
	if !ok {
		return dst[:from], p.corrupt(block, "malformed gaps of %d positions", total)
	}
	return dst, nil
}
