package posting

import (
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine/bm25"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Part is one segment of the snapshot.
type Part struct {
	Seg     *reader.Segment
	Fields  []Field // in the order of their names
	Dense   *Cache
	Deletes *reader.Deletes // nil if none
}

// Field is a field of a segment: what its postings score.
type Field struct {
	Name   string // "" if the index has no schema
	Scorer *bm25.Scorer
	Lens   bm25.Lengths // empty if the segment, or the schema, has none
}

// Norm returns the norm of a document.
func (f *Field) Norm(doc uint32) float32 { return f.Lens.Norm(doc, f.Scorer) }

// Norms writes the norms of docs to dst, which is as long.
func (f *Field) Norms(dst []float32, docs []uint32) { f.Lens.Norms(dst, docs, f.Scorer) }

// Label returns a term as errors and plans name it: with its field, unless that has no name.
func (f *Field) Label(term []byte) string {
	if f.Name == "" {
		return string(term)
	}
	return f.Name + ":" + string(term)
}

// Views returns what queries read: they arm faults and hold the snapshot.
func (p *Part) Views() *segment.Segment { return p.Seg.Views(trusted.Caller{}) }
