package codec

import (
	"fmt"

	"github.com/pinion-index/pinion/format"
)

// EncodeError names the first element that a codec refuses to encode.
type EncodeError struct {
	Index  int    // position in the sequence, from 0
	Value  uint32 // the element
	Reason string // "not above the one before it", "zero frequency", ...
}

// Error returns one line.
func (e *EncodeError) Error() string {
	return fmt.Sprintf("cannot encode element %d (value %d): %s", e.Index, e.Value, e.Reason)
}

// Errors that decoders return; all match format.ErrCorrupt. They are values, not
// made anew, so that a decoder allocates nothing. Callers add the place.
var (
	ErrEndpoints error = format.Corrupt("block endpoints leave the payload")
	ErrBlock     error = format.Corrupt("block contradicts itself")
	ErrLastDoc   error = format.Corrupt("block does not end on the docID in the skip header")
)

// CheckDocs returns an *EncodeError for the first docID that is over MaxDoc or
// not above the one before it; prev is NoDoc at the start of a list.
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
