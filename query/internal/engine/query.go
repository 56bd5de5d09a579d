package engine

import (
	"errors"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/reader"
)

// The errors that package query documents.
var (
	ErrInvalid      = errors.New("query: invalid value")
	ErrTooManyTerms = errors.New("query: too many terms")
	ErrClosed       = reader.ErrClosed
)

// MaxTerms is the maximum number of distinct terms of a query.
const MaxTerms = 1 << 16

// Mode selects the documents that match, as query.Mode does.
type Mode uint8

// The modes.
const (
	Or Mode = iota
	And
	AndOr
)

// Query is a query.Query that has been checked, with its defaults filled in.
type Query struct {
	Text      string // cut into terms when the query is executed
	Terms     [][]byte
	K         int // at least 1
	Mode      Mode
	Algorithm algorithm.Name
	Filter    *roaring.Bitmap
	// Tree, unless nil, says what matches, of documents with at least one of Terms, and scores. Mode must be Or.
	Tree algorithm.Tree
}

// empty reports whether q has no hits whatever the index holds.
func (q *Query) empty() bool { return q.Text == "" && len(q.Terms) == 0 }
