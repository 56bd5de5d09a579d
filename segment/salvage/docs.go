package salvage

import (
	"errors"
	"iter"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

var errNotRead = errors.New("optional sections other than stored text are not copied")

// Docs yields the documents that are left, in docID order.
func (x *Source) Docs() iter.Seq[Doc] {
	return func(yield func(Doc) bool) {
		x.leave()
		lens := x.lengths()
		texts, err := x.s.Texts()
		if err != nil {
			x.lose("texts", "all", uint64(x.s.Meta().Docs), err)
		}
		next := uint32(0) // new docID
		for doc, id := range x.ids() {
			x.number[doc] = none
			if id == nil || x.deleted(doc) {
				continue
			}
			d := Doc{ID: id, Len: lens[doc]}
			if texts != nil {
				if d.Text, err = texts.At(doc); err != nil {
					x.lose("texts", docsOf(doc, doc+1), 1, err)
				}
			}
			x.number[doc] = next
			next++
			if !yield(d) {
				return
			}
		}
	}
}

// leave records the sections that a Source does not read: optional ones, other than stored
// text and those that follow from the dictionary.
func (x *Source) leave() {
	for _, sec := range x.s.Header().Sections {
		read := sec.ID == format.SectionStored || sec.ID == format.SectionStoredIndex || sec.ID == format.SectionLists
		if sec.Flags&format.SectionRequired == 0 && !read {
			x.lose("sections", sec.ID.String(), 1, errNotRead)
		}
	}
}

// idBlocks yields the blocks of ids.
func (x *Source) idBlocks() iter.Seq2[span, error] {
	n := layout.IDBlocks(int(x.s.Meta().Docs))
	return x.blocks(format.SectionIDs, format.SectionIDIndex, 0, n, func(i int, b []byte) (int, error) {
		if pos, _ := heads(b, x.idsIn(i)); pos >= 0 {
			return pos, nil
		}
		return 0, x.malformed(format.SectionIDs, "id", i)
	})
}

// idsIn returns the number of ids in a block.
func (x *Source) idsIn(block int) int {
	return min(layout.IDsPerBlock, int(x.s.Meta().Docs)-block*layout.IDsPerBlock)
}

// ids yields every docID with its external id, nil if that is lost.
func (x *Source) ids() iter.Seq2[uint32, []byte] {
	return func(yield func(uint32, []byte) bool) {
		var id []byte
		for b, err := range x.idBlocks() {
			first := uint32(b.block * layout.IDsPerBlock)
			end := first + uint32(x.idsIn(b.block))
			if err != nil {
				x.lose("documents", docsOf(first, end), uint64(end-first), err)
			}
			pos := 0
			id = id[:0]
			for doc := first; doc < end; doc++ {
				if err != nil {
					if !yield(doc, nil) {
						return
					}
					continue
				}
				lcp, suffix, after := layout.Head(b.bytes, pos, len(id))
				id, pos = append(id[:lcp], suffix...), after
				if !yield(doc, id) {
					return
				}
			}
		}
	}
}

// lengths returns the length of every document: of all fields together, if there are several.
// Where the table is damaged, they are the sums of the frequencies that are left.
func (x *Source) lengths() []uint32 {
	m := x.s.Meta()
	lens := make([]uint32, m.Docs)
	lost := make([][]bool, len(x.s.Fields())) // documents, by field
	some := false
	for i := range x.s.Fields() {
		if f := &x.s.Fields()[i]; f.HasLengths() {
			lost[i] = x.addLengths(lens, f)
			some = some || lost[i] != nil
		}
	}
	if some {
		before := x.losses
		for l := range x.lists() {
			for i, doc := range l.Docs {
				if in := lost[l.Field]; in != nil && in[doc] {
					lens[doc] += l.Freqs[i]
				}
			}
		}
		x.losses = before // Lists records them
	}
	return lens
}

// addLengths adds the lengths of documents in f to lens. It returns which are lost, or nil.
func (x *Source) addLengths(lens []uint32, f *segment.Field) (lost []bool) {
	docs, w := x.s.Meta().Docs, int64(f.LenWidth)
	perPage := uint32(format.PageSize / w)
	for first := uint32(0); first < docs; first += min(perPage, docs-first) {
		end := first + min(perPage, docs-first)
		b, err := x.section(format.SectionDocLengths, f.LengthsAt+int64(first)*w, int64(end-first)*w)
		if err != nil {
			x.lose("lengths", docsOf(first, end), uint64(end-first), err)
			if lost == nil {
				lost = make([]bool, docs)
			}
			for doc := first; doc < end; doc++ {
				lost[doc] = true
			}
			continue
		}
		t := segment.PackedLengths(b, f.LenWidth)
		if f.Coded() {
			t = segment.CodedLengths(b)
		}
		for doc := first; doc < end; doc++ {
			lens[doc] += t.Get(doc - first)
		}
	}
	return lost
}
