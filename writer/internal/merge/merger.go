// Package merge joins segments into one: documents, ids and lists in the order of the
// segments, without deleted documents.
package merge

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer/internal/lists"
)

// Source is one segment to merge.
type Source struct {
	Segment *segment.Segment
	Deletes *docset.Bits   // deleted documents; nil: none
	Schema  *schema.Schema // of another index that the segment is of; nil: of the output's
}

// Merger writes one segment from several.
type Merger struct {
	sources  []*source
	fields   []lists.Field
	docs     uint32
	stored   bool
	foreign  bool
	postings uint64
}

// source is a Source whose live documents follow those of the sources before it.
type source struct {
	seg  *segment.Segment
	base uint32       // new docID of its first live document
	gone *renumbering // nil: no document is deleted
	live uint32
	lens []bound // of each field of the output
}

// bound are the lengths of all documents in a field, none if they do not bound frequencies.
type bound struct {
	segment.LengthTable
	least uint32
}

func newSource(s Source, base uint32) *source {
	docs := s.Segment.Meta().Docs
	src := &source{seg: s.Segment, base: base, live: docs}
	if s.Deletes.Len() > 0 {
		src.live -= s.Deletes.Len()
		src.gone = newRenumbering(s.Deletes, docs)
	}
	return src
}

// New returns a Merger of sources, which must have the same analyzer, or fields that are those
// of s, or were.
func New(sources []Source, s *schema.Schema) (*Merger, error) {
	m := &Merger{}
	docs := uint64(0)
	segments, schemas := make([]*segment.Segment, len(sources)), make([]*schema.Schema, len(sources))
	for i := range sources {
		segments[i], schemas[i] = sources[i].Segment, sources[i].Schema
	}
	m.fields = lists.FieldsOf(s, segments, schemas)
	for _, s := range sources {
		meta := s.Segment.Meta()
		src := newSource(s, uint32(docs))
		docs += uint64(src.live)
		if docs > segment.MaxDocs {
			return nil, fmt.Errorf("writer: a merged segment would have more than %d documents", segment.MaxDocs)
		}
		m.foreign = m.foreign || meta.ForeignLengths
		m.postings += meta.Postings
		m.sources = append(m.sources, src)
	}
	m.docs = uint32(docs)
	m.stored = slices.ContainsFunc(m.fields, func(f lists.Field) bool { return f.Stored })
	return m, nil
}

// Postings returns the number of postings in the sources, including those of
// deleted documents.
func (m *Merger) Postings() uint64 { return m.postings }

// Purged returns the number of deleted documents, which the merged segment leaves
// out.
func (m *Merger) Purged() (n uint64) {
	for _, src := range m.sources {
		n += uint64(src.seg.Meta().Docs - src.live)
	}
	return n
}

// Options returns the options of a Builder of the merged segment that depend on the
// sources.
func (m *Merger) Options() (build.Options, error) {
	o := build.Options{Docs: m.docs, Stored: m.stored, ForeignLengths: m.foreign}
	for i := range m.fields {
		f := build.Field{Field: m.fields[i].Field}
		lengths, err := m.lengths(&m.fields[i])
		if err != nil {
			return o, err
		}
		if f.HasLengths() {
			f.Lengths = lengths
		}
		o.Fields = append(o.Fields, f)
	}
	return o, nil
}
