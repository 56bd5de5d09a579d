package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Options configure a Searcher.
type Options struct {
	Fields []Field // those that are indexed, in the order of their names; one without a name if there is no schema
	Docs   uint64  // documents that are not deleted
	// Statistics, unless nil, is what the Scorers of Fields have the statistics of, and document frequencies are
	// from, where that is not what is searched. It stays open as long as the Searcher.
	Statistics *reader.Snapshot
	// Given says that each query brings the document frequencies of a collection that the Scorers of Fields have the
	// statistics of.
	Given      bool
	Seek       reader.Strategy
	DenseBytes int // as in search.Options
	// FilterBytes is as in search.Options.
	FilterBytes int
	// Threads is as in search.Options.
	Threads int
	// Parse adds the terms of a query to w and sets w.Mode. If it is nil, they are Query.Terms in the first field.
	Parse func(q *Query, w *Words) error
	// Rescore returns the Scorers, by field, for queries with Params. It is not called for others.
	Rescore func(p Params) []*bm25.Scorer
	// PlanColumns says what a query wants of columns. It is not called if Query.Columns is nil.
	PlanColumns func(q *Query) (ColumnPlan, error)
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
		return s.Lists()
	case ok:
		return s.Field(i)
	}
	return nil
}

// in returns f in a segment. Its lengths, which a Scorer of Even lengths needs none of, are read
// now only if they are those of all queries: without a schema.
func (f *Field) in(s *segment.Segment) (own posting.Field, err error) {
	var t segment.LengthTable
	switch i, ok := s.FieldByID(f.ID); {
	case f.Lengths != nil:
		t, err = f.Lengths(s)
	case f.Name == "":
		t, err = s.Documents().Lengths()
	case ok:
		return posting.LaterField(f.Name, f.Scorer, i), nil
	}
	return posting.Field{Name: f.Name, Scorer: f.Scorer, Lens: posting.NewLengths(t)}, err
}

// Searcher executes queries over the segments of a snapshot, which it keeps open until Close. It is
// safe for concurrent use, Close included. The zero value is a closed Searcher.
type Searcher struct {
	snapshot     *reader.Snapshot // its own; nil in tests over parts
	seek         reader.Strategy
	parts        []posting.Part
	dictionaries []terms.Part   // of parts
	remote       bool           // the parts are read on demand
	threads      int            // as Options say
	vectors      *sharedVectors // shared by what Retain and rescored return
	filterBytes  int            // for the sets of filters, by document
	fields       []Field
	docs         uint64
	statistics   *reader.Snapshot                             // its own, or nil
	docFreq      func(field int, term []byte) (uint64, error) // in statistics; or nil
	given        bool                                         // document frequencies come with queries
	parse        func(q *Query, w *Words) error
	planColumns  func(q *Query) (ColumnPlan, error)
	rescore      func(p Params) []*bm25.Scorer
	rankings     rankings
	weigh        terms.Weigher // nil if weights are those in terms
	ordering     *ordering     // nil if docIDs have the order of ties
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
	if o.Threads < 0 {
		return fmt.Errorf("%w: %d threads", ErrInvalid, o.Threads)
	}
	parts := make([]posting.Part, len(segments))
	for i := range parts {
		parts[i] = posting.Part{Seg: segments[i].Segment, Deletes: segments[i].Deletes}
		parts[i].Views().ExpectQueries()
		s.remote = s.remote || parts[i].Views().OnDemand()
	}
	for i := range parts {
		err := indexdir.Guard(func() error {
			if err := parts[i].Views().AwaitQueries(); err != nil {
				return err
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
	s.seek, s.parts, s.fields, s.docs, s.parse, s.planColumns = o.Seek, parts, o.Fields, o.Docs, o.Parse, o.PlanColumns
	if s.filterBytes = max(o.FilterBytes, 0); o.FilterBytes == 0 {
		s.filterBytes = DefaultFilterBytes
	}
	s.given, s.rescore, s.threads, s.vectors = o.Given, o.Rescore, o.Threads, new(sharedVectors)
	s.frequencies(o.Statistics)
	s.dictionaries = s.dictionariesOf(parts)
	s.terms, s.users = new(terms.Cache[known]), new(atomic.Int32)
	s.terms.Init(func(field int, df uint64, boost float64) float32 {
		return o.Fields[field].Scorer.Weight(df, boost)
	}, len(o.Fields), cacheSets(len(parts)))
	s.users.Store(1)
	return nil
}

// Own makes s the owner of a snapshot of the segments that it searches.
func (s *Searcher) Own(snapshot *reader.Snapshot) {
	s.snapshot = snapshot
	for i, seg := range snapshot.Segments() {
		s.parts[i].Seg = seg
	}
	s.dictionaries = s.dictionariesOf(s.parts)
	if s.ordering == nil {
		s.ordering = orderingOf(snapshot)
	}
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
	st := s.statistics
	if st != nil {
		var err error
		if st, err = st.Retain(); err != nil {
			return errors.Join(err, own.Close())
		}
	}
	x.seek, x.remote, x.fields, x.docs, x.parse, x.planColumns, x.terms, x.users = s.seek, s.remote, s.fields, s.docs, s.parse, s.planColumns, s.terms, s.users
	x.filterBytes, x.given, x.rescore, x.ordering, x.threads, x.vectors = s.filterBytes, s.given, s.rescore, s.ordering, s.threads, s.vectors
	x.parts, x.dictionaries = slices.Clone(s.parts), s.dictionaries
	x.users.Add(1)
	x.frequencies(st)
	if own != nil {
		x.Own(own)
	}
	return nil
}

// frequencies makes s the owner of statistics, unless it is nil, which it takes document frequencies from.
func (s *Searcher) frequencies(statistics *reader.Snapshot) {
	if statistics == nil {
		return
	}
	fields := make([]*reader.SnapshotField, len(s.fields))
	for i, f := range s.fields {
		fields[i], _ = statistics.Field(f.Name) // search.NewSearcher has compared the schemas
	}
	s.statistics = statistics
	s.docFreq = func(field int, term []byte) (uint64, error) { return fields[field].DF(term) }
	runtime.AddCleanup(s, func(st *reader.Snapshot) { st.Close() }, statistics)
}

// Close is search.Searcher.Close.
func (s *Searcher) Close() error {
	if s.snapshot == nil || s.closed.Swap(true) {
		return nil
	}
	s.leave()
	if s.statistics != nil {
		return errors.Join(s.snapshot.Close(), s.statistics.Close())
	}
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
		func(a, b *reader.Segment) bool { return a.Base() == b.Base() && a.Same(b) })
}

// fielded reports whether the index has a schema, of which no field need be indexed.
func (s *Searcher) fielded() bool { return len(s.fields) != 1 || s.fields[0].Name != "" }

// OwnStatistics reports whether scores are from the statistics of what s searches.
func (s *Searcher) OwnStatistics() bool { return s.statistics == nil && !s.given }

// OfPart reports whether queries bring document frequencies.
func (s *Searcher) OfPart() bool { return s.given }

// Snapshot returns what s searches, nil in tests over parts. It must not be closed.
func (s *Searcher) Snapshot() *reader.Snapshot { return s.snapshot }

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
		if s.terms == nil { // the zero value
			return fmt.Errorf("searcher: %w", ErrClosed)
		}
		return nil
	}
	if err := s.snapshot.Hold(); err != nil || s.statistics == nil {
		return err
	}
	err := s.statistics.Hold()
	if err != nil {
		s.snapshot.Unhold()
	}
	return err
}

func (s *Searcher) release() {
	if s.snapshot != nil {
		s.snapshot.Unhold()
	}
	if s.statistics != nil {
		s.statistics.Unhold()
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
