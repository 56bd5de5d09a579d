package filter

import (
	"github.com/pinion-index/pinion/internal/errs"
	"github.com/pinion-index/pinion/schema"
)

// Filter says which documents are meant: an In, Range, Exists or IDs, or an And, Or or Not of other filters.
type Filter interface {
	// Restricts marks the filters.
	Restricts()
}

// In is passed by the documents that have one of Values in a field. Without Values none passes.
type In struct {
	Field  string
	Values []schema.Value // of the field's kind; their Field does not matter
}

// Range is passed by the documents that have a value from Min to Max in a field; keywords are ordered by their bytes.
// If Min is above Max, none passes. Without both, Range is Exists.
type Range struct {
	Field    string
	Min, Max schema.Value // of the field's kind; a zero Value is no bound. Their Field does not matter
	AboveMin bool         // Min itself does not pass
	BelowMax bool         // Max itself does not pass
}

// Exists is passed by the documents that have a value in a field.
type Exists struct{ Field string }

// IDs is passed by the documents with these ids. It is no error if there is none with one of them.
type IDs struct{ IDs [][]byte }

// And is passed by the documents that pass all of its filters: by all documents if there are none.
type And []Filter

// Or is passed by the documents that pass at least one of its filters: by none if there are none.
type Or []Filter

// Not is passed by the documents that do not pass a filter.
type Not struct{ Filter Filter }

// Restricts does nothing; it makes In a Filter.
func (In) Restricts() {}

// Restricts does nothing; it makes Range a Filter.
func (Range) Restricts() {}

// Restricts does nothing; it makes Exists a Filter.
func (Exists) Restricts() {}

// Restricts does nothing; it makes IDs a Filter.
func (IDs) Restricts() {}

// Restricts does nothing; it makes And a Filter.
func (And) Restricts() {}

// Restricts does nothing; it makes Or a Filter.
func (Or) Restricts() {}

// Restricts does nothing; it makes Not a Filter.
func (Not) Restricts() {}

// The limits of a filter.
const (
	MaxFilters = 10_000 // filters
	MaxDepth   = 100    // filters within one another
)

// ErrInvalid is matched by the errors for a filter that is no filter of an index: they name the field and the value.
var ErrInvalid = errs.New("invalid filter")

// Check returns what is wrong with f as a filter of an index with schema s. The error matches ErrInvalid.
func Check(s *schema.Schema, f Filter) error {
	_, err := Compile(s, f)
	return err
}
