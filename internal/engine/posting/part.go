package posting

import (
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/engine/bm25"
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
	Lens   Lengths // empty if the segment, or the schema, has none, and before Read
	later  *later  // nil if there is nothing to read
}

// later is how the lengths of a field are read when a query first needs them.
type later struct {
	number int // of the field in the segment
	mu     sync.Mutex
	done   atomic.Bool
}

// LaterField returns a field, that of a number in its segment, whose lengths are not read yet.
func LaterField(name string, s *bm25.Scorer, number int) Field {
	return Field{Name: name, Scorer: s, later: &later{number: number}}
}

// With returns f with another Scorer. What f has not read, it reads itself.
func (f *Field) With(s *bm25.Scorer) Field {
	if f.later != nil {
		return LaterField(f.Name, s, f.later.number)
	}
	return Field{Name: f.Name, Scorer: s, Lens: f.Lens}
}

// Unread reports whether f has lengths that Read has not read yet.
func (f *Field) Unread() bool { return f.later != nil && !f.later.done.Load() }

// Number returns the number in its segment of a field that LaterField returned.
func (f *Field) Number() int { return f.later.number }

// Read makes the lengths known, which postings are scored with. s is the field's segment, as the task reads it.
func (f *Field) Read(s *segment.Segment) error {
	if !f.Unread() {
		return nil
	}
	if !s.OnDemand() {
		s.Documents().PrefetchLengths([]int{f.later.number})
	}
	t, err := s.Field(f.later.number).Lengths() // without a lock: it may wait for a store
	if err != nil {
		return err
	}
	f.later.mu.Lock()
	defer f.later.mu.Unlock()
	if !f.later.done.Load() {
		f.Lens = NewLengths(t)
		f.later.done.Store(true)
	}
	return nil
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
func (p *Part) Views() *segment.Segment { return p.Seg.Views() }
