package salvage

import (
	"errors"
	"iter"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

var errNotRead = errors.New("optional sections other than stored text, columns and vectors are not copied")

// Docs yields the documents that are left, in docID order.
func (x *Source) Docs() iter.Seq[Doc] {
	return func(yield func(Doc) bool) {
		x.leave()
		r := x.docReader()
		next := uint32(0) // new docID
		for doc, id := range x.ids() {
			x.number[doc] = none
			if id == nil || x.deleted(doc) {
				continue
			}
			x.number[doc] = next
			next++
			if !yield(r.read(doc, id)) {
				return
			}
		}
	}
}

// docReader reads what documents have besides their ids.
type docReader struct {
	x      *Source
	texts  *segment.Texts // nil if they are lost
	lens   []uint32       // of a segment without a schema
	fields [][]uint32     // lengths by field, of one with a schema
	of     []*columnReader
	vecs   []*vectorReader

	doc Doc
}

func (x *Source) docReader() *docReader {
	r := &docReader{x: x}
	if x.s.Meta().Fields == 0 {
		r.lens = x.lengths()
	} else {
		before := x.losses
		r.fields = x.sums()
		x.losses = before // Lists records them
		r.of = x.columns()
		r.vecs = x.vectors()
	}
	var err error
	if r.texts, err = x.s.Documents().Texts(); err != nil {
		x.lose("texts", "all", uint64(x.s.Meta().Docs), err)
	}
	return r
}

// read returns a document, valid until the next one.
func (r *docReader) read(doc uint32, id []byte) Doc {
	d := Doc{ID: id, Lens: r.doc.Lens[:0], Values: r.doc.Values[:0]}
	text := r.text(doc)
	if r.fields == nil {
		d.Len, d.Text = r.lens[doc], text
		return d
	}
	d.Lens = appendRow(d.Lens, r.fields, doc)
	lost := text == nil && r.x.s.Meta().Stored
	var err error
	if d.Values, err = r.x.appendValues(d.Values, text); err != nil {
		r.x.lose("texts", docsOf(doc, doc+1), 1, err)
		lost = true
	}
	for _, c := range r.of {
		if lost || !r.x.s.Fields()[c.field].Stored {
			d.Values = c.append(d.Values, doc)
		}
	}
	for _, v := range r.vecs {
		d.Values = v.append(d.Values, doc)
	}
	r.doc = d
	return d
}

// text returns the stored text or record of a document, nil if it is lost.
func (r *docReader) text(doc uint32) []byte {
	if r.texts == nil {
		return nil
	}
	text, err := r.texts.At(doc)
	if err != nil {
		r.x.lose("texts", docsOf(doc, doc+1), 1, err)
		return nil
	}
	return text
}

// appendValues appends the values of a record, or none of them if it is malformed.
func (x *Source) appendValues(dst []schema.Value, rec []byte) ([]schema.Value, error) {
	n := len(dst)
	for len(rec) > 0 {
		v, rest, err := record.Next(rec)
		if err != nil {
			return dst[:n], err
		}
		rec = rest
		field, ok := x.s.FieldByID(v.ID)
		if !ok {
			return dst[:n], x.s.Raw().Corrupt(format.SectionStored, 0, "a value of field %d, which there is not", v.ID)
		}
		value, err := v.Value(field, x.s.Fields()[field].Kind)
		if err != nil {
			return dst[:n], err
		}
		dst = append(dst, value)
	}
	return dst, nil
}

// appendRow appends what each of lens has of doc, 0 for those that are nil.
func appendRow(dst []uint32, lens [][]uint32, doc uint32) []uint32 {
	for _, of := range lens {
		n := uint32(0)
		if of != nil {
			n = of[doc]
		}
		dst = append(dst, n)
	}
	return dst
}

// sums returns the sums of the frequencies that are left of each document, by field; nil for
// fields without lengths.
func (x *Source) sums() [][]uint32 {
	lens := make([][]uint32, len(x.s.Fields()))
	for i := range x.s.Fields() {
		if x.s.Fields()[i].HasLengths() {
			lens[i] = make([]uint32, x.s.Meta().Docs)
		}
	}
	for l := range x.lists() {
		if of := lens[l.Field]; of != nil {
			for i, doc := range l.Docs {
				of[doc] += l.Freqs[i]
			}
		}
	}
	return lens
}

// leave records the sections that a Source does not read: optional ones, other than stored
// text and those that follow from the dictionary.
func (x *Source) leave() {
	for _, sec := range x.s.Header().Sections {
		row, known := sec.ID.Info()
		read := sec.ID == format.SectionStored || sec.ID == format.SectionStoredIndex ||
			sec.ID == format.SectionColumns || sec.ID == format.SectionColumnBounds ||
			sec.ID == format.SectionVectors || sec.ID == format.SectionVectorFloats || known && row.Side == format.SideLists
		if sec.Flags&format.SectionRequired == 0 && !read {
			x.lose("sections", sec.ID.String(), 1, errNotRead)
		}
	}
}

// idBlocks yields the blocks of ids.
func (x *Source) idBlocks() iter.Seq2[span, error] {
	n := layout.IDBlocks(int(x.s.Meta().Docs))
	return x.blocks(format.SectionIDs, format.SectionIDIndex, 0, blockRange{end: n}, func(i int, b []byte) (int, error) {
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

// lengths returns the length of every document of a segment without a schema. Where the table is
// damaged, they are the sums of the frequencies that are left.
func (x *Source) lengths() []uint32 {
	lens := make([]uint32, x.s.Meta().Docs)
	lost := x.readLengths(lens)
	if lost == nil {
		return lens
	}
	before := x.losses
	sums := x.sums()[0]
	x.losses = before // Lists records them
	for doc, n := range sums {
		if lost[doc] {
			lens[doc] = n
		}
	}
	return lens
}

// readLengths sets the lengths of documents in lens. It returns which are lost, or nil.
func (x *Source) readLengths(lens []uint32) (lost []bool) {
	docs, w := x.s.Meta().Docs, int64(x.s.Meta().LenWidth)
	perPage := uint32(format.PageSize / w)
	for first := uint32(0); first < docs; first += min(perPage, docs-first) {
		end := first + min(perPage, docs-first)
		b, err := x.section(format.SectionDocLengths, int64(first)*w, int64(end-first)*w)
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
		t := segment.PackedLengths(b, int(w))
		for doc := first; doc < end; doc++ {
			lens[doc] = t.Get(doc - first)
		}
	}
	return lost
}
