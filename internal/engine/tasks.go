package engine

import (
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/engine/topk"
)

// Tasks executes queries in tasks, for package pool, which decides which goroutine does what and when. It is safe for
// concurrent use.
type Tasks struct {
	s       *Searcher // held
	closed  atomic.Bool
	batches sync.Pool // of *Batch
}

// Tasks returns s as an engine of tasks. It holds the snapshot until Close.
func (s *Searcher) Tasks() (*Tasks, error) { return &Tasks{s: s}, s.hold() }

// Close lets go of the snapshot. Further calls do nothing.
func (e *Tasks) Close() {
	if !e.closed.Swap(true) {
		e.s.release()
	}
}

// NewQuery returns memory for a query, whose vectors up to so many goroutines compare, in pieces of a number of vectors, or of the usual one if
// that is 0.
func (e *Tasks) NewQuery(threads, piece int) *Shared {
	return &Shared{s: e.s, scanning: scanning{threads, piece}}
}

// NewWorker returns a Worker for one goroutine.
func (e *Tasks) NewWorker() *Worker { return &Worker{engine: e} }

// Extra returns what a query that is done and wants columns has beside its hits; nil of others.
func (x *Shared) Extra() *Extra { return x.extra }

// AppendTaskHits appends the hits of a query that is done to dst and returns the total of the matches, if it is wanted,
// or returns dst and the error of the query.
func AppendTaskHits[H topk.AnyHit](x *Shared, dst []H) (hits []H, total uint64, err error) {
	if x.err != nil {
		return dst, 0, x.err
	}
	if x.top.Order(); x.lead.tieError() != nil {
		return dst, 0, x.lead.tieError()
	}
	return appendSorted(dst, &x.top, x.extra), x.total, nil
}

// AppendLengths appends the document frequency of each term in a field.
func (e *Tasks) AppendLengths(dst []uint64, field string, terms [][]byte) ([]uint64, error) {
	return e.s.AppendLengths(dst, field, terms)
}

// Docs returns the number of documents in all segments, including deleted ones.
func (e *Tasks) Docs() (n uint64) {
	for i := range e.s.parts {
		n += uint64(e.s.parts[i].Seg.Docs())
	}
	return n
}

// Segments returns the number of segments.
func (e *Tasks) Segments() int { return e.s.Segments() }

// Segment returns the first global docID and the number of documents of segment i.
func (e *Tasks) Segment(i int) (base, docs uint32) {
	seg := e.s.parts[i].Seg
	return seg.Base(), seg.Docs()
}

// batch returns an empty batch for matches in lists lists.
func (e *Tasks) batch(segment, lists int) *Batch {
	b, ok := e.batches.Get().(*Batch)
	if !ok {
		b = new(Batch)
	}
	b.segment = segment
	b.matches.Reset(lists)
	return b
}

// Task is the part of a pass over a segment that covers the local docIDs from Lo up to, but not including, Hi; or, of a pass
// over columns, the blocks of these numbers of Shared.Units.
type Task struct {
	Segment int
	Lo, Hi  uint32
}

// End is Task.Hi of a task that extends to the end.
const End = posting.End

// Sink takes matches that any worker may score.
type Sink interface {
	// Wanted reports whether matches should be batched rather than scored at once.
	Wanted() bool
	// Take takes ownership of a batch, or returns false if there is no room.
	Take(*Batch) bool
}

// Batch is a set of documents of one segment that match a conjunction and have no score yet.
type Batch struct {
	segment int
	matches algorithm.Matches
}
