package query

import (
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
)

// ErrInvalid is the error of a value that does not exist or is out of range: a Mode, an Algorithm,
// a strategy, an option.
var ErrInvalid = errors.New("query: invalid value")

// Mode says which documents match.
type Mode uint8

// The modes.
const (
	Or    Mode = iota // documents that hold at least one of the terms
	And               // documents that hold every term
	AndOr             // And's result where that is k hits, otherwise Or's
)

var modeNames = [...]string{Or: "or", And: "and", AndOr: "and-or"}

// String returns the name on the command line: or, and, and-or.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// ParseMode is the inverse of String. Its error matches ErrInvalid.
func ParseMode(name string) (Mode, error) {
	for m, n := range modeNames {
		if n == name {
			return Mode(m), nil
		}
	}
	return 0, fmt.Errorf("%w: unknown mode %q (known: or, and, and-or)", ErrInvalid, name)
}

// Query is one ranked Boolean query. The package comment defines its corner cases.
type Query struct {
	// Terms are the terms as they are in the dictionary, in any order. A term given
	// several times counts several times. See Searcher.Parse.
	Terms [][]byte
	// K is the greatest number of hits. 0 and negative numbers mean no hits; they are
	// not an error.
	K int
	// Mode says which documents match.
	Mode Mode
	// Algorithm computes the result. All algorithms give the same result.
	Algorithm Algorithm
	// Filter, unless nil, holds the global docIDs that may be hits.
	Filter *roaring.Bitmap
	// Trace, unless nil, receives what the execution did.
	Trace *Trace
}

// Check returns an error matching ErrInvalid if Mode or Algorithm is none of those
// declared. Executors check their queries.
func (q *Query) Check() error {
	switch {
	case int(q.Mode) >= len(modeNames):
		return fmt.Errorf("%w: %v", ErrInvalid, q.Mode)
	case int(q.Algorithm) >= len(algorithmNames):
		return fmt.Errorf("%w: %v", ErrInvalid, q.Algorithm)
	}
	return nil
}

// Result is the answer to one query.
type Result struct {
	Hits []Hit // the best first
}

// Executor answers batches of queries over one snapshot: a Searcher in one goroutine, a pool.Pool
// in several, and gpuload on a GPU. All executors give the same results to the bit.
type Executor interface {
	// Execute returns one Result for every query, in their order. On an error there are no
	// results at all: the context's error if the context is done, an error matching
	// ErrInvalid for a query that Check refuses, or one that names the damage found.
	Execute(ctx context.Context, queries []Query) ([]Result, error)
}
