package salvage

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

// Lists yields what is left of the posting lists, field by field, in bytewise order of their
// terms, without the documents that Docs left out.
func (x *Source) Lists() iter.Seq[List] {
	return func(yield func(List) bool) {
		for l := range x.lists() {
			n := 0
			for i, doc := range l.Docs {
				if number := x.number[doc]; number != none {
					l.Docs[n], l.Freqs[n] = number, l.Freqs[i]
					n++
				}
			}
			l.Postings = l.Slice(0, n)
			if n > 0 && !yield(l) {
				return
			}
		}
	}
}

// lists yields the lists with the segment's own docIDs.
func (x *Source) lists() iter.Seq[List] {
	return func(yield func(List) bool) {
		var view segment.List
		l := List{Postings: x.list}
		defer func() { x.list = l.Slice(0, 0) }()
		for term, e := range x.terms(x.count) {
			l.Term, l.Field, l.Postings = term, x.s.FieldOf(e), l.Slice(0, 0)
			if err := x.s.InitList(&view, e); err != nil {
				x.lose("postings", fmt.Sprintf("term %q", term), uint64(e.DF), err)
				continue
			}
			x.postings(&l, &view)
			if l.Len() > 0 && !yield(l) {
				return
			}
		}
	}
}

// postings appends the postings of the blocks that decode to l.
func (x *Source) postings(l *List, view *segment.List) {
	limit := x.s.Meta().Docs
	for b := range view.Blocks {
		n, err := view.DecodePostings(x.buf, b, 1)
		p := x.buf.Slice(0, n)
		if err == nil && !sound(p, l.Docs, limit) {
			err = view.Locate(format.Corrupt("block holds impossible postings"), b)
		}
		if err != nil {
			size := min(view.BlockLen, view.N-b*view.BlockLen)
			x.lose("postings", fmt.Sprintf("term %q", l.Term), uint64(size), err)
			continue
		}
		l.Postings = l.Append(p)
	}
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
	n := x.countBlocks(count)
	return x.blocks(format.SectionTerms, format.SectionTermIndex, 8*int64(n), n, func(i int, b []byte) (int, error) {
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
	return func(yield func([]byte, segment.Entry) bool) {
		var entries []segment.Entry
		var term, last []byte
		field := -1
		for b, err := range x.termBlocks(count) {
			if f := x.s.FieldOf(segment.Entry{Ordinal: uint64(b.block) * layout.TermsPerBlock}); f != field {
				field, last = f, last[:0]
			}
			if err != nil {
				x.lose("terms", fmt.Sprintf("terms after %q", last), uint64(x.termsIn(count, b.block)), err)
				continue
			}
			entries = x.entries(entries[:0], b, x.termsIn(count, b.block))
			term = term[:0]
			pos := 0
			for _, e := range entries {
				lcp, suffix, next := layout.Head(b.bytes, pos, len(term))
				term, pos = append(term[:lcp], suffix...), next
				if bytes.Compare(term, last) <= 0 {
					x.lose("terms", fmt.Sprintf("terms after %q", last), 1, x.malformed(format.SectionTerms, "term", b.block))
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
