// Package merge joins segments into one: documents, ids and lists in the order of the
// segments, without deleted documents.
package merge

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
)

// Source is one segment to merge.
type Source struct {
	Segment *segment.Segment
	Deletes *roaring.Bitmap // deleted documents; nil: none
}

// Merger writes one segment from several.
type Merger struct {
	sources  []*source
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
	lens segment.LengthTable // of all documents; none if they do not bound frequencies
}

func newSource(s Source, base uint32) *source {
	docs := s.Segment.Meta().Docs
	src := &source{seg: s.Segment, base: base, live: docs}
	if s.Deletes != nil && !s.Deletes.IsEmpty() {
		src.live -= uint32(s.Deletes.GetCardinality())
		src.gone = newRenumbering(s.Deletes, docs)
	}
	return src
}

// New returns a Merger of sources, which must have the same analyzer.
func New(sources []Source) (*Merger, error) {
	m := &Merger{}
	docs := uint64(0)
	for _, s := range sources {
		meta := s.Segment.Meta()
		src := newSource(s, uint32(docs))
		docs += uint64(src.live)
		if docs > segment.MaxDocs {
			return nil, fmt.Errorf("writer: a merged segment would have more than %d documents", segment.MaxDocs)
		}
		m.stored = m.stored || meta.Stored
		m.foreign = m.foreign || meta.ForeignLengths
		m.postings += meta.Postings
		m.sources = append(m.sources, src)
	}
	m.docs = uint32(docs)
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
// sources. ctx also ends the Builder.
func (m *Merger) Options(ctx context.Context) (build.Options, error) {
	lengths, err := m.lengths()
	hashes := &hashMerger{ctx: ctx, sources: m.sources}
	return build.Options{
		Docs: m.docs, Lengths: lengths, Stored: m.stored, ForeignLengths: m.foreign, IDHashes: hashes.all,
	}, err
}
