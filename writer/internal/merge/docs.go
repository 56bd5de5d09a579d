package merge

import (
	"context"
	"math/bits"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer/internal/lists"
)

// renumbering gives live documents their docIDs without the deleted ones. It takes
// 1.5 bits for each document.
type renumbering struct {
	deleted []uint64 // bitmap
	before  []uint32 // deleted documents before each word of it
}

func newRenumbering(deletes *docset.Bits, docs uint32) *renumbering {
	words := (int(docs) + 63) / 64
	r := &renumbering{make([]uint64, words), make([]uint32, words)}
	copy(r.deleted, deletes.Words())
	n := uint32(0)
	for i, w := range r.deleted {
		r.before[i] = n
		n += uint32(bits.OnesCount64(w))
	}
	return r
}

// isDeleted reports whether doc is deleted.
func (r *renumbering) isDeleted(doc uint32) bool {
	return r != nil && r.deleted[doc/64]>>(doc%64)&1 != 0
}

// next returns the first document from doc on that is deleted, or is not, or docs if there is none.
func (r *renumbering) next(doc, docs uint32, deleted bool) uint32 {
	if r == nil && deleted {
		return docs
	}
	for r != nil && doc < docs {
		w := r.deleted[doc/64]
		if !deleted {
			w = ^w
		}
		if w >>= doc % 64; w != 0 {
			return min(docs, doc+uint32(bits.TrailingZeros64(w)))
		}
		doc = doc&^63 + 64
	}
	return min(docs, doc)
}

// to returns the new number of a live document.
func (r *renumbering) to(doc uint32) uint32 {
	if r == nil {
		return doc
	}
	w := doc / 64
	return doc - r.before[w] - uint32(bits.OnesCount64(r.deleted[w]&(1<<(doc%64)-1)))
}

// apply renumbers postings in place and adds base, drops those of deleted
// documents, and returns how many are left.
func (r *renumbering) apply(p format.Postings, base uint32) int {
	docs, freqs, k := p.Docs, p.Freqs, 0
	for i, d := range docs {
		if !r.isDeleted(d) {
			docs[k], freqs[k] = r.to(d)+base, freqs[i]
			k++
		}
	}
	return k
}

// dropGaps drops, in place, the gaps of the positions of postings p of deleted documents.
func (r *renumbering) dropGaps(gaps []uint32, p format.Postings) []uint32 {
	kept, from := gaps[:0], 0
	for i, d := range p.Docs {
		to := from + int(p.Freqs[i])
		if !r.isDeleted(d) {
			kept = append(kept, gaps[from:to]...)
		}
		from = to
	}
	return kept
}

// Remap returns documents of sources, one bitmap or nil for each, by their docIDs in the
// segment that a merge of sources makes. It leaves out those that the merge leaves out.
func Remap(sources []Source, docs []*docset.Bits) *docset.Bits {
	out := &docset.Bits{}
	base := uint32(0)
	for i, s := range sources {
		src := newSource(s, base)
		base += src.live
		for doc := range docs[i].All() {
			if !src.gone.isDeleted(doc) {
				out.Add(src.gone.to(doc) + src.base)
			}
		}
	}
	return out
}

// lengths returns the lengths of the live documents in f: a table for each source. The tables of sources with deleted documents are copies.
func (m *Merger) lengths(f *lists.Field) ([]segment.LengthTable, error) {
	var tables []segment.LengthTable
	for i, src := range m.sources {
		t := segment.PackedLengths(nil, 1) // of a source without the field
		number, ok := f.Number(i)
		if ok {
			var err error
			if t, err = src.seg.Field(number).Lengths(); err != nil {
				return nil, err
			}
		}
		of := bound{LengthTable: t, least: src.seg.Fields()[number].MinLen}
		if src.seg.Meta().ForeignLengths || f.HasImpacts() {
			of = bound{} // lengths say nothing of frequencies, or of weights
		}
		src.lens = append(src.lens, of)
		if src.live > 0 && (!ok || f.HasLengths()) {
			tables = append(tables, src.alive(t))
		}
	}
	return tables, nil
}

// alive returns the lengths of the live documents of src, of those of all in t. If t is empty
// they are 0.
func (src *source) alive(t segment.LengthTable) segment.LengthTable {
	switch {
	case t.Len() == 0:
		return segment.PackedLengths(make([]byte, src.live), 1)
	case src.gone == nil:
		return t
	}
	width := t.Width()
	b := make([]byte, 0, int(src.live)*width)
	for d := range src.seg.Meta().Docs {
		if !src.gone.isDeleted(d) {
			b = append(b, t.Bytes()[int(d)*width:][:width]...)
		}
	}
	if t.Coded() {
		return segment.CodedLengths(b)
	}
	return segment.PackedLengths(b, width)
}

// live yields the live documents in their order.
func (m *Merger) live(yield func(build.ColumnRun) bool) {
	for i, src := range m.sources {
		docs := src.seg.Meta().Docs
		for from := src.gone.next(0, docs, false); from < docs; {
			to := src.gone.next(from, docs, true)
			if !yield(build.ColumnRun{Source: i, From: from, To: to}) {
				return
			}
			from = src.gone.next(to, docs, false)
		}
	}
}

// documents adds the live documents of all sources to b, and compares the ids of all with IDHASH.
func (m *Merger) documents(ctx context.Context, b *build.Builder) error {
	for i, src := range m.sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		before := len(b.IDHashes())
		dropped := m.stored && src.seg.Meta().Stored && lists.Dropped(src.seg, i, m.fields)
		changed, err := src.seg.StoredChanges()
		if err != nil {
			return err
		}
		if src.gone != nil || src.seg.Meta().Stored != m.stored || dropped || changed {
			hashes, err := m.copyLive(b, i, dropped)
			if err == nil {
				err = check.IDHash(src.seg, hashes)
			}
			if err != nil {
				return err
			}
			continue
		}
		if err := b.CopyDocs(src.seg); err != nil {
			return err
		}
		if err := check.IDHash(src.seg, b.IDHashes()[before:]); err != nil {
			return err
		}
	}
	return nil
}

// copyLive adds the live documents of source i to b, one by one, without what they have stored of fields that were dropped. It returns
// the hashes of the ids of all.
func (m *Merger) copyLive(b *build.Builder, i int, dropped bool) ([]uint32, error) {
	src := m.sources[i]
	texts, err := src.seg.Documents().Texts()
	if err != nil {
		return nil, err
	}
	hashes := make([]uint32, 0, src.seg.Meta().Docs)
	var record []byte
	err = src.seg.Documents().EachID(func(doc uint32, id []byte) error {
		if src.gone.isDeleted(doc) {
			hashes = append(hashes, layout.IDHash(id))
			return nil
		}
		text, err := texts.At(doc)
		if err != nil {
			return err
		}
		if dropped {
			if record, err = lists.AppendRecord(record[:0], text, src.seg, doc, i, m.fields); err != nil {
				return err
			}
			text = record
		}
		if err := b.CopyDoc(src.seg, doc, id, text); err != nil {
			return err
		}
		all := b.IDHashes()
		hashes = append(hashes, all[len(all)-1])
		return nil
	})
	return hashes, err
}
