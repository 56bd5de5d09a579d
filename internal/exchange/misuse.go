package exchange

import (
	"fmt"
	"io/fs"
	"iter"

	"github.com/pinion-index/pinion/internal/errs"
	"github.com/pinion-index/pinion/writer"
)

// ErrInvalid is matched by the errors for arguments that make no sense, such as no
// snapshot to export.
var ErrInvalid = errs.New("exchange: invalid argument")

var errNoWriter = fmt.Errorf("%w: nothing to write to", ErrInvalid)

// ErrClosed is matched by the errors of zero values, which nothing opened. It matches
// fs.ErrClosed.
var ErrClosed = fmt.Errorf("exchange: %w", fs.ErrClosed)

// checkInverted returns ErrInvalid unless in has what can be iterated over.
func checkInverted(in writer.Inverted) error {
	if in.Docs == nil || in.Lists == nil {
		return fmt.Errorf("%w: a collection without documents or without lists", ErrInvalid)
	}
	return nil
}

// failed is a sequence of an error alone.
func failed[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}

// closedInverted is the collection of a zero value.
func closedInverted() writer.Inverted {
	return writer.Inverted{Docs: failed[writer.InvertedDoc](ErrClosed), Lists: failed[writer.InvertedList](ErrClosed)}
}

// noReader stands for a nil io.Reader.
type noReader struct{}

func (noReader) Read([]byte) (int, error) {
	return 0, fmt.Errorf("%w: nothing to read from", ErrInvalid)
}

// bytesRead is in.BytesRead, and 0 for the input of a zero value.
func bytesRead(in input) int64 {
	if in == nil {
		return 0
	}
	return in.BytesRead()
}

// closeInput is in.Close, and does nothing for the input of a zero value.
func closeInput(in input) error {
	if in == nil {
		return nil
	}
	return in.Close()
}
