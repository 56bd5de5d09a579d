package engine

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine/bm25"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// Options configure a Searcher.
type Options struct {
	Fields     []Field // in the order of their names, at least one
	Docs       uint64  // documents that are not deleted
	Seek       reader.Strategy
	DenseBytes int // as in query.Options
	// Parse adds the terms of a query to w and sets w.Mode. If it is nil, they are Query.Terms in the first field.
	Parse func(q *Query, w *Words) error
}

// Field is a field of the documents.
type Field struct {
	Name   string // "" if the index has no schema
	ID     uint32 // in segments
	Scorer *bm25.Scorer
	// Terms and Lengths, if not nil, give the field's terms in a segment, or nil, and the lengths of its documents.
	Terms   func(s *segment.Segment) terms.Dictionary
	Lengths func(s *segment.Segment) (segment.LengthTable, error)
}

// terms returns the field's terms in a segment, or nil if it has none.
func (f *Field) terms(s *segment.Segment) terms.Dictionary {
	switch i, ok := s.FieldByID(f.ID); {
	case f.Terms != nil:
		return f.Terms(s)
	case f.Name == "":
		return s
	case ok:
		return s.Field(i)
	}
	return nil
}

// in returns f in a segment. A Scorer of Even lengths needs none.
func (f *Field) in(s *segment.Segment) (own posting.Field, err error) {
	var t segment.LengthTable
	switch i, ok := s.FieldByID(f.ID); {
	case f.Lengths != nil:
		t, err = f.Lengths(s)
	case f.Name == "":
		t, err = s.DocLens()
	case ok:
		t, err = s.Field(i).Lengths()
	}
	return posting.Field{Name: f.Name, Scorer: f.Scorer, Lens: bm25.NewLengths(t)}, err
}

// Searcher executes queries over the segments of a snapshot, which it keeps open until Close. It is
// safe for concurrent use, Close included. The zero value is a closed Searcher.
type Searcher struct {
	snapshot     *reader.Snapshot // its own; nil in tests over parts
	seek         reader.Strategy
	parts        []posting.Part
	dictionaries []terms.Part // of parts
	remote       bool         // the parts are read on demand
	fields       []Field      // none if the Searcher is a zero value
	docs         uint64
	parse        func(q *Query, w *Words) error
	runs         *sync.Pool
	terms        *terms.Cache[known]
	users        *atomic.Int32 // Searchers that share terms and the parts' dense caches, and are not closed
	closed       atomic.Bool
}

// Segment is a segment to search.
type Segment struct {
	Segment *reader.Segment
	Deletes *reader.Deletes // nil if none
}

// Init makes s, a zero value, a Searcher over segments, which the Scorers of o have the statistics of.
func (s *Searcher) Init(segments []Segment, o Options) error {
	if o.Seek > reader.Buckets {
		return fmt.Errorf("%w: seek strategy %d", ErrInvalid, o.Seek)
	}
	parts := make([]posting.Part, len(segments))
	for i := range parts {
		parts[i] = posting.Part{Seg: segments[i].Segment, Deletes: segments[i].Deletes}
		parts[i].Views().ExpectQueries()
		s.remote = s.remote || parts[i].Views().OnDemand()
	}
	for i := range parts {
		err := store.Guard(func() error {
			if s.remote {
				parts[i].Views().PrefetchTerms(nil) // reads the table
			}
			for f := range o.Fields {
				own, err := o.Fields[f].in(parts[i].Views())
				if err != nil {
					return err
				}
				parts[i].Fields = append(parts[i].Fields, own)
			}
			return nil
		})
		if err != nil {
			return err
		}
		parts[i].Dense = posting.NewCache(o.DenseBytes, parts[i].Seg.Docs())
	}
	s.seek, s.parts, s.fields, s.docs, s.parse = o.Seek, parts, o.Fields, o.Docs, o.Parse
	s.dictionaries = s.dictionariesOf(parts)
	s.terms, s.users = new(terms.Cache[known]), new(atomic.Int32)
	s.terms.Init(func(field int, df uint64, times int, boost float64) float32 {
		return o.Fields[field].Scorer.Weight(df, times, boost)
	}, len(o.Fields), cacheSets(len(parts)))
	s.users.Store(1)
	s.runs = new(sync.Pool)
	return nil
}

// Own makes s the owner of a snapshot of the segments that it searches.
func (s *Searcher) Own(snapshot *reader.Snapshot) {
	s.snapshot = snapshot
	for i, seg := range snapshot.Segments() {
		s.parts[i].Seg = seg
	}
	s.dictionaries = s.dictionariesOf(s.parts)
	runtime.AddCleanup(s, func(snapshot *reader.Snapshot) { snapshot.Close() }, snapshot)
}

// Retain makes x, a zero value, a second Searcher over the same snapshot, to be closed separately. The
// two share what they cache.
func (s *Searcher) Retain(x *Searcher) error {
	if err := s.hold(); err != nil {
		return err
	}
	defer s.release()
	own := s.snapshot
	if own != nil {
		var err error
		if own, err = s.snapshot.Retain(); err != nil {
			return err
		}
	}
	x.seek, x.remote, x.fields, x.docs, x.parse, x.runs, x.terms, x.users = s.seek, s.remote, s.fields, s.docs, s.parse, s.runs, s.terms, s.users
	x.parts, x.dictionaries = slices.Clone(s.parts), s.dictionaries
	x.users.Add(1)
	if own != nil {
		x.Own(own)
	}
	return nil
}

// Close is query.Searcher.Close.
func (s *Searcher) Close() error {
	if s.snapshot == nil || s.closed.Swap(true) {
		return nil
	}
	s.leave()
	return s.snapshot.Close()
}

// leave ends the use of what Searchers share. The last one frees it; queries under way need no cache.
func (s *Searcher) leave() {
	if s.users.Add(-1) > 0 {
		return
	}
	s.terms.Drop()
	for i := range s.parts {
		s.parts[i].Dense.Drop()
	}
}

// label returns a term as errors and plans name it.
func (s *Searcher) label(field int, term []byte) string {
	f := posting.Field{Name: s.fields[field].Name}
	return f.Label(term)
}

// Over reports whether s answers from the segments and deletes of a snapshot.
func (s *Searcher) Over(snapshot *reader.Snapshot) bool {
	return s.snapshot != nil && snapshot != nil && slices.EqualFunc(s.snapshot.Segments(), snapshot.Segments(),
		func(a, b *reader.Segment) bool { return a.Base() == b.Base() && a.Info().Equal(b.Info()) })
}

// Segments returns the number of segments.
func (s *Searcher) Segments() int { return len(s.parts) }

// Dense returns how many lists of a segment are cached, and how many bytes others may take.
func (s *Searcher) Dense(segment int) (lists int, room uint64) {
	return s.parts[segment].Dense.Size()
}

// hold keeps the snapshot's files in memory until release, or fails if the Searcher is closed. Each
// query holds it once.
func (s *Searcher) hold() error {
	if s.snapshot == nil {
		if s.fields == nil {
			return fmt.Errorf("searcher: %w", ErrClosed)
		}
		return nil
	}
	return s.snapshot.Hold(trusted.Caller{})
}

func (s *Searcher) release() {
	if s.snapshot != nil {
		s.snapshot.Unhold(trusted.Caller{})
	}
}

// partsWith returns the parts as a query with ctx reads them.
func (s *Searcher) partsWith(ctx context.Context) []posting.Part {
	parts := slices.Clone(s.parts)
	for i := range parts {
		parts[i].Seg = parts[i].Seg.WithContext(ctx)
	}
	return parts
}
