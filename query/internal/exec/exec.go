// Package exec lets package query/pool execute one query on several goroutines.
//
// Package query implements the interfaces below in tasks.go; package pool decides which
// goroutine does what and when. They meet here so that neither needs exported names for it.
package exec

import (
	"context"
	"math"
)

// End is above every docID of a segment. It is Task.Hi of a task that extends to the end.
const End = math.MaxUint32

// Of returns an Engine of searcher, a non-nil *query.Searcher, as an Engine[query.Query,
// query.Hit]. It keeps the snapshot in memory until Close; if the searcher is closed, it fails. Package query sets it.
var Of func(searcher any) (any, error)

// Engine is a Searcher as a scheduler sees it. Q is query.Query and H is query.Hit, which this
// package cannot import. An Engine is safe for concurrent use.
type Engine[Q, H any] interface {
	// NewQuery returns memory for a query.
	NewQuery() Query
	// Begin makes x ready for q, which must not change until Forget.
	Begin(ctx context.Context, x Query, q *Q)
	// AppendHits appends the result of x to dst, or returns dst and the error of x.
	AppendHits(x Query, dst []H) ([]H, error)

	// AppendLengths appends the document frequency of each term.
	AppendLengths(dst []uint64, terms [][]byte) ([]uint64, error)

	// NewWorker returns a Worker for one goroutine.
	NewWorker() Worker

	// Searcher returns the Engine's own *query.Searcher.
	Searcher() any
	// Close closes the Engine, which no goroutine may use any more.
	Close() error
	// Docs returns the number of documents in all segments, including deleted ones.
	Docs() uint64
	// Segments returns the number of segments.
	Segments() int
	// Segment returns the first global docID and the number of documents of segment i.
	Segment(i int) (base, docs uint32)
}

// Query is the state of one query that all its workers share. A query takes one pass or two: a
// conjunction, a disjunction, or a disjunction after a conjunction with too few hits.
//
// Only one goroutine at a time may call Resolve, Start, Matches and Cut, and only while no task is
// in progress. The other methods are safe for concurrent use.
type Query interface {
	// Resolve looks up the terms, unless the query has failed.
	Resolve() error
	// Start begins a pass. It returns false if no document can match.
	Start(conjunctive bool) bool
	// Matches reports whether the pass may match documents of a segment.
	Matches(segment int) bool
	// Cut cuts the pass over a segment, for which Matches is true, into ranges and passes them
	// to c in ascending order.
	Cut(segment int, c Cutter) error
	// Done reports, after all tasks of a pass, whether the query is done; if not, a disjunction
	// follows.
	Done() bool

	// Fail ends the query with err, unless err is nil or the query has failed before.
	Fail(err error)
	// Failed reports whether the query has failed.
	Failed() bool
	// Forget drops all references of the query.
	Forget()
}

// Cutter decides how a pass is cut into ranges.
type Cutter interface {
	// Size returns the minimum number of postings of the next range, given that left of total
	// postings are not in a range yet.
	Size(left, total int) int
	// Range receives the range of documents from lo up to, but not including, hi.
	Range(lo, hi uint32)
}

// Task is the part of a pass over a segment that covers the local docIDs from Lo up to, but not
// including, Hi.
type Task struct {
	Segment int
	Lo, Hi  uint32
}

// Worker executes queries, tasks and batches, one at a time. The hits of a query's tasks stay with
// the Worker until Collect.
type Worker interface {
	// Answer executes a whole query, unless it has failed. Resolve must not have been called.
	Answer(Query) error
	// Do executes a task. It offers the matches of a conjunction to s, unless s is nil.
	Do(Query, Task, Sink) error
	// Score scores a batch and adds its hits to the query.
	Score(Query, *Batch) error
	// Collect adds the hits of the tasks done since the last Collect to their query, which must
	// be the same for all of them.
	Collect(Query)
	// Forget drops all references to the last query.
	Forget()
}

// Sink takes matches that any worker may score.
type Sink interface {
	// Wanted reports whether matches should be batched rather than scored at once.
	Wanted() bool
	// Take takes ownership of a batch, or returns false if there is no room.
	Take(*Batch) bool
}

// Batch is a set of documents of one segment that match a conjunction and have no score yet.
type Batch struct {
	Segment int
	Matches any // as package query keeps them
}
