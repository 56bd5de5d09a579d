package salvage

import (
	"bytes"
	"fmt"
	"iter"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

// Lists yields what is left of the posting lists, field by field, in bytewise order of their
// terms, without the documents that Docs left out.
func (x *Source) Lists() iter.Seq[List] {
	return x.eachField(x.FieldLists)
}

// FieldLists is Lists of one field, given by its number in Segment.Fields.
func (x *Source) FieldLists(field int) iter.Seq[List] {
	return func(yield func(List) bool) {
		for l := range x.fieldLists(field) {
			x.renumber(&l)
			if l.Len() > 0 && !yield(l) {
				return
			}
		}
	}
}

// renumber leaves out postings of documents that Docs left out.
func (x *Source) renumber(l *List) {
	n, gaps, at := 0, 0, uint32(0)
	for i, doc := range l.Docs {
		tf := l.Freqs[i]
		if number := x.number[doc]; number != none {
			l.Docs[n], l.Freqs[n] = number, tf
			if n++; len(l.Gaps) > 0 {
				gaps += copy(l.Gaps[gaps:], l.Gaps[at:at+tf])
			}
		}
		at += tf
	}
	l.Postings, l.Gaps = l.Slice(0, n), l.Gaps[:gaps]
}

// lists yields the lists with the segment's own docIDs.
func (x *Source) lists() iter.Seq[List] { return x.eachField(x.fieldLists) }

// eachField yields the lists of all fields.
func (x *Source) eachField(lists func(field int) iter.Seq[List]) iter.Seq[List] {
	return func(yield func(List) bool) {
		for i := range x.s.Fields() {
			for l := range lists(i) {
				if !yield(l) {
					return
				}
			}
		}
	}
}

// fieldLists is lists of a field.
func (x *Source) fieldLists(field int) iter.Seq[List] {
	return func(yield func(List) bool) {
		var view segment.List
		l := List{Field: field, Postings: x.list, Gaps: x.gaps}
		defer func() { x.list, x.gaps = l.Slice(0, 0), l.Gaps[:0] }()
		for term, e := range x.termsOf(x.fieldBlocks(field), x.count) {
			l.Term, l.Postings, l.Gaps = term, l.Slice(0, 0), l.Gaps[:0]
			if err := x.s.Lists().Init(&view, e); err != nil {
				x.loseOf(field, "postings", fmt.Sprintf("term %q", term), uint64(e.DF), err)
				continue
			}
			x.postings(&l, &view)
			if l.Len() > 0 && !yield(l) {
				return
			}
		}
	}
}

// postings appends the postings of the blocks that decode to l. In a field with positions these must
// decode too.
func (x *Source) postings(l *List, view *segment.List) {
	var pos *segment.Positions
	if x.s.Field(l.Field).HasPositions() && !x.bare {
		p, err := view.Positions()
		if err != nil {
			x.loseOf(l.Field, "positions", fmt.Sprintf("term %q", l.Term), uint64(view.N), err)
			return
		}
		pos = &p
	}
	limit := x.s.Meta().Docs
	for b := range view.Blocks {
		n, err := view.DecodePostings(x.buf, b, 1)
		p := x.buf.Slice(0, n)
		if err == nil && !sound(p, l.Docs, limit) {
			err = view.Locate(format.Corrupt("block holds impossible postings"), b)
		}
		if err != nil {
			size := min(view.BlockLen, view.N-b*view.BlockLen)
			x.loseOf(l.Field, "postings", fmt.Sprintf("term %q", l.Term), uint64(size), err)
			continue
		}
		if pos != nil {
			if l.Gaps, err = appendGaps(l.Gaps, pos, b, p.Freqs); err != nil {
				x.loseOf(l.Field, "positions", fmt.Sprintf("term %q", l.Term), uint64(n), err)
				continue
			}
		}
		l.Postings = l.Append(p)
	}
}

// appendGaps appends the gaps of a block whose postings have these frequencies, or nothing if they are
// not those of positions.
func appendGaps(dst []uint32, pos *segment.Positions, block int, freqs []uint32) ([]uint32, error) {
	total := uint64(0)
	for _, tf := range freqs {
		total += uint64(tf)
	}
	if total > math.MaxUint32 {
		return dst, pos.Locate(format.Corrupt("%d positions of a block", total), block)
	}
	from := len(dst)
	dst, err := pos.AppendBlock(dst, block, uint32(total))
	if err != nil {
		return dst[:from], err
	}
	gaps := dst[from:]
	for _, tf := range freqs {
		next := uint64(0)
		for _, g := range gaps[:tf] {
			next += uint64(g) + 1
		}
		if gaps = gaps[tf:]; next > segment.MaxPosition+1 {
			return dst[:from], pos.Locate(format.Corrupt("position %d is impossible", next-1), block)
		}
	}
	return dst, nil
}

// sound reports whether a block can follow the docIDs before it.
func sound(p format.Postings, before []uint32, limit uint32) bool {
	least := int64(-1)
	if len(before) > 0 {
		least = int64(before[len(before)-1])
	}
	for i, doc := range p.Docs {
		if int64(doc) <= least || doc >= limit || p.Freqs[i] == 0 {
			return false
		}
		least = int64(doc)
	}
	return p.Len() > 0
}

// termBlocks yields the blocks of the dictionary of count terms.
func (x *Source) termBlocks(count uint64) iter.Seq2[span, error] {
	return x.blocksOf(count, blockRange{end: x.countBlocks(count)})
}

// fieldBlocks yields the blocks of a field's dictionary, and notes where the next one begins.
func (x *Source) fieldBlocks(field int) iter.Seq2[span, error] {
	f := &x.s.Fields()[field]
	r := blockRange{f.FirstBlock, f.FirstBlock + f.Blocks, x.starts[field]}
	if x.s.Meta().Fields == 0 {
		r.end = x.countBlocks(x.count)
	}
	return func(yield func(span, error) bool) {
		next := r.pos
		for b, err := range x.blocksOf(x.count, r) {
			if next = -1; err == nil {
				next = b.off + int64(len(b.bytes))
			}
			if !yield(b, err) {
				return
			}
		}
		if field+1 < len(x.starts) && next >= 0 {
			x.starts[field+1] = next
		}
	}
}

// blocksOf yields blocks of the dictionary of count terms.
func (x *Source) blocksOf(count uint64, r blockRange) iter.Seq2[span, error] {
	n := x.countBlocks(count)
	return x.blocks(format.SectionTerms, format.SectionTermIndex, 8*int64(n), r, func(i int, b []byte) (int, error) {
		in := x.termsIn(count, i)
		pos, _ := heads(b, in)
		block := segment.TermBlock{Bytes: b}
		for j := range in {
			if pos < 0 {
				break
			}
			_, pos = x.s.Raw().ParseEntry(&block, j, pos)
		}
		if pos < 0 {
			return 0, x.malformed(format.SectionTerms, "term", i)
		}
		return pos, nil
	})
}

// countBlocks returns the number of blocks of the dictionary of count terms.
func (x *Source) countBlocks(count uint64) int {
	if m := x.s.Meta(); m.Fields > 0 {
		return int(m.TermBlocks)
	}
	return int(layout.TermBlocks(count))
}

// termsIn returns the number of terms in a block of the dictionary of count terms.
func (x *Source) termsIn(count uint64, block int) int {
	if x.s.Meta().Fields > 0 {
		return x.s.Raw().TermsIn(block)
	}
	return int(min(count-uint64(block)*layout.TermsPerBlock, layout.TermsPerBlock))
}

// terms yields the terms that can be read, of count, and their entries.
func (x *Source) terms(count uint64) iter.Seq2[[]byte, segment.Entry] {
	return x.termsOf(x.termBlocks(count), count)
}

// termsOf is terms of some of the blocks.
func (x *Source) termsOf(blocks iter.Seq2[span, error], count uint64) iter.Seq2[[]byte, segment.Entry] {
	return func(yield func([]byte, segment.Entry) bool) {
		var entries []segment.Entry
		var term, last []byte
		field := -1
		for b, err := range blocks {
			if f := x.s.FieldOf(segment.Entry{Ordinal: uint64(b.block) * layout.TermsPerBlock}); f != field {
				field, last = f, last[:0]
			}
			if err != nil {
				x.loseOf(field, "terms", fmt.Sprintf("terms after %q", last), uint64(x.termsIn(count, b.block)), err)
				continue
			}
			entries = x.entries(entries[:0], b, x.termsIn(count, b.block))
			term = term[:0]
			pos := 0
			for _, e := range entries {
				lcp, suffix, next := layout.Head(b.bytes, pos, len(term))
				term, pos = append(term[:lcp], suffix...), next
				if bytes.Compare(term, last) <= 0 {
					x.loseOf(field, "terms", fmt.Sprintf("terms after %q", last), 1, x.malformed(format.SectionTerms, "term", b.block))
					continue
				}
				last = append(last[:0], term...)
				if !yield(term, e) {
					return
				}
			}
		}
	}
}

// entries appends the n entries of a block that was parsed before.
func (x *Source) entries(dst []segment.Entry, b span, n int) []segment.Entry {
	block := segment.TermBlock{First: uint64(b.block) * layout.TermsPerBlock, Bytes: b.bytes, Offset: b.off}
	pos, _ := heads(b.bytes, n)
	for i := range n {
		var e segment.Entry
		e, pos = x.s.Raw().ParseEntry(&block, i, pos)
		dst = append(dst, e)
	}
	return dst
}
