package codec

import (
	"fmt"

	"github.com/pinion-index/pinion/format"
)

// EncodeError is returned by encoders for the first element that cannot be encoded.
type EncodeError struct {
	Index  int    // index in the sequence
	Value  uint32 // the element
	Reason string // "not above the one before it", "zero frequency", ...
}

// Error returns the index, value and reason in one line.
func (e *EncodeError) Error() string {
	return fmt.Sprintf("cannot encode element %d (value %d): %s", e.Index, e.Value, e.Reason)
}

// Errors of decoders; all match format.ErrCorrupt. They are shared values, so decoders do
// not allocate. Callers add the place with format.Locate.
var (
	ErrEndpoints error = format.Corrupt("block endpoints leave the payload")
	ErrBlock     error = format.Corrupt("block contradicts itself")
	ErrLastDoc   error = format.Corrupt("block does not end on the docID in the skip header")
	// ErrLoose is that of Strict.
	ErrLoose error = format.Corrupt("unused bits of a block are set, or a field is wider than what it holds")
)

// CheckDocs returns an *EncodeError for the first docID that exceeds MaxDoc or does not
// exceed the one before it. prev is the docID before docs, or NoDoc at the start of a
// list.
func CheckDocs(docs []uint32, prev uint32) error {
	for i, d := range docs {
		if d > MaxDoc {
			return &EncodeError{i, d, "docID over 2^31-1"}
		}
		if prev != NoDoc && d <= prev {
			return &EncodeError{i, d, "docID not above the one before it"}
		}
		prev = d
	}
	return nil
}

// CheckFreqs returns an *EncodeError for the first frequency that is zero.
func CheckFreqs(freqs []uint32) error {
	for i, f := range freqs {
		if f == 0 {
			return &EncodeError{i, f, "zero frequency"}
		}
	}
	return nil
}
