package exchange

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// FromSnapshot returns the documents and lists of a snapshot without fields, which must
// stay open: lists of all segments joined, without deleted documents, and with consecutive
// docIDs.
func FromSnapshot(s *reader.Snapshot) (*SnapshotLists, error) {
	if s != nil && !s.Schema().IsImplicit() {
		return nil, fmt.Errorf("%w: the index has fields, of which one is to be named", ErrInvalid)
	}
	return FromField(s, "")
}

// FromField is FromSnapshot for an index with a schema: the lists of one field that is
// indexed, of all documents. Lengths are exact: those of a field that has none, or rounds
// them, are the sums of its tf.
func FromField(s *reader.Snapshot, name string) (*SnapshotLists, error) {
	if s == nil {
		return nil, fmt.Errorf("%w: no snapshot", ErrInvalid)
	}
	x := &SnapshotLists{s: s}
	var ok bool
	if x.field, ok = s.Field(name); !ok {
		return nil, fmt.Errorf("%w: the index has no field %q", ErrInvalid, name)
	}
	desc := x.field.Description()
	if desc.Indexing() == schema.IndexNone {
		return nil, fmt.Errorf("%w: field %q is not indexed", ErrInvalid, name)
	}
	for _, g := range s.Segments() {
		p := snapshotPart{seg: g, base: uint32(x.docs)}
		var err error
		if p.deletes, err = g.Deletes(); err != nil {
			return nil, err
		}
		p.live = g.Docs() - p.deletes.Count()
		if p.deletes.Count() > 0 {
			p.renumber()
		}
		x.docs += int(p.live)
		x.parts = append(x.parts, p)
	}
	if !desc.HasLengths() || desc.Lengths != schema.LengthsExact {
		if err := x.count(); err != nil {
			return nil, err
		}
	}
	x.terms = x.field.Terms(nil)
	return x, nil
}

// count sums up the lengths of all documents.
func (x *SnapshotLists) count() (err error) {
	if err := x.s.Hold(); err != nil {
		return err
	}
	defer x.s.Unhold()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	x.lengths = make([]uint32, x.docs)
	terms := x.field.Terms(nil)
	for terms.Next() {
		if err := x.load(terms, false); err != nil {
			return err
		}
		for i, doc := range x.out.Docs {
			x.lengths[doc] += x.out.Freqs[i]
		}
	}
	return terms.Err()
}

// SnapshotLists is a snapshot as an InvertedSource.
type SnapshotLists struct {
	s       *reader.Snapshot
	field   *reader.SnapshotField
	lengths []uint32 // of documents; nil: those of the field
	parts   []snapshotPart
	docs    int
	terms   *reader.Terms
	out     writer.InvertedList
	list    segment.List
	rows    segment.Rows
	id      []byte
}

// snapshotPart is one segment.
type snapshotPart struct {
	seg     *reader.Segment
	deletes *reader.Deletes
	base    uint32 // new docID of its first live document
	live    uint32
	to      []uint32 // new docID of every document; nil: all are live
	from    []uint32 // local docID of every live document
}

func (p *snapshotPart) renumber() {
	p.to = make([]uint32, p.seg.Docs())
	p.from = make([]uint32, 0, p.live)
	for doc := range p.seg.Docs() {
		p.to[doc] = p.base + uint32(len(p.from))
		if !p.deletes.Has(doc) {
			p.from = append(p.from, doc)
		}
	}
}

// Docs implements InvertedSource.
func (x *SnapshotLists) Docs() int { return x.docs }

func (x *SnapshotLists) doc(doc uint32) (_ writer.InvertedDoc, err error) {
	if err := x.s.Hold(); err != nil {
		return writer.InvertedDoc{}, err
	}
	defer x.s.Unhold()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	for i := range x.parts {
		p := &x.parts[i]
		local := doc - p.base
		if doc < p.base || local >= p.live {
			continue
		}
		if p.from != nil {
			local = p.from[local]
		}
		if x.id, err = p.seg.AppendID(x.id[:0], local); err != nil {
			return writer.InvertedDoc{}, err
		}
		if x.lengths != nil {
			return writer.InvertedDoc{ID: x.id, Len: x.lengths[doc]}, nil
		}
		var length uint32
		if f, ok := x.field.Segment(i); ok {
			length, err = f.DocLen(local)
		}
		return writer.InvertedDoc{ID: x.id, Len: length}, err
	}
	return writer.InvertedDoc{}, fmt.Errorf("docID %d of %d: %w", doc, x.docs, fs.ErrInvalid)
}

// Lists returns the number of lists that Inverted yields. It reads the index for
// that.
func (x *SnapshotLists) Lists() (n int64, err error) {
	if x.s == nil {
		return 0, ErrClosed
	}
	if err := x.s.Hold(); err != nil {
		return 0, err
	}
	defer x.s.Unhold()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	terms := x.field.Terms(nil)
	for terms.Next() {
		if err := x.load(terms, true); err != nil {
			return 0, err
		}
		if x.out.Len() > 0 {
			n++
		}
	}
	return n, terms.Err()
}

func (x *SnapshotLists) next() (l writer.InvertedList, err error) {
	if err := x.s.Hold(); err != nil {
		return writer.InvertedList{}, err
	}
	defer x.s.Unhold()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	for x.terms.Next() {
		if err := x.load(x.terms, false); err != nil {
			return writer.InvertedList{}, err
		}
		if x.out.Len() > 0 {
			return x.out, nil
		}
	}
	if err := x.terms.Err(); err != nil {
		return writer.InvertedList{}, err
	}
	return writer.InvertedList{}, io.EOF
}

// load decodes the live postings of the current term. If one is set, it stops at
// the first block that has any.
func (x *SnapshotLists) load(terms *reader.Terms, one bool) error {
	x.out.Term = append(x.out.Term[:0], terms.Term()...)
	x.out.Postings = x.out.Slice(0, 0)
	for _, e := range terms.Entries() {
		p := &x.parts[e.Segment]
		if one && p.to == nil {
			x.out.Docs = append(x.out.Docs, p.base)
			return nil
		}
		if err := p.seg.Views().Lists().Init(&x.list, e.Entry); err != nil {
			return x.locate(err)
		}
		for x.rows.Reset(&x.list); x.rows.Next(); {
			if err := x.row(p); err != nil {
				return x.locate(err)
			}
			if one && x.out.Len() > 0 {
				return nil
			}
		}
		if err := x.rows.Err(); err != nil {
			return x.locate(err)
		}
	}
	return nil
}

func (x *SnapshotLists) locate(err error) error {
	return format.Locate(err, format.Place{List: string(x.out.Term), Block: format.NoBlock})
}

// row appends the live postings of the current row of x.list.
func (x *SnapshotLists) row(p *snapshotPart) error {
	freqs := x.rows.Freqs
	for i, doc := range x.rows.Docs {
		switch {
		case doc >= p.seg.Docs():
			return x.list.Locate(format.Corrupt("docID %d of a segment of %d documents", doc, p.seg.Docs()), x.rows.Block+i/x.list.BlockLen)
		case p.to == nil:
			doc += p.base
		case p.deletes.Has(doc):
			continue
		default:
			doc = p.to[doc]
		}
		x.out.Postings = x.out.AppendPosting(doc, freqs[i])
	}
	return nil
}

// Inverted implements InvertedSource.
func (x *SnapshotLists) Inverted() writer.Inverted {
	if x.s == nil {
		return closedInverted()
	}
	return invertedOf(x)
}

// BytesRead implements InvertedSource. It returns 0.
func (x *SnapshotLists) BytesRead() int64 { return 0 }

// Close implements InvertedSource. It does not close the snapshot.
func (x *SnapshotLists) Close() error { return nil }

// ExportCIFF writes the documents and lists to w as a CIFF file. description is free text.
func (x *SnapshotLists) ExportCIFF(w io.Writer, description string) error {
	lists, err := x.Lists()
	if err != nil {
		return err
	}
	return WriteCIFF(w, x.Inverted(), lists, description)
}
