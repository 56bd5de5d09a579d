package exchange

import "fmt"

// MaxTerm is the longest term in bytes that an index can hold.
const MaxTerm = 65535

// MaxDocs bounds the number of documents of a collection.
const MaxDocs = 1 << 31

// Inverted is a collection that comes as ready-made posting lists.
type Inverted interface {
	// Docs returns the number of documents N; docIDs are 0 to N-1.
	Docs() int
	// Doc returns external id and length in tokens of document doc. The id is
	// valid until the next call. The length need not be the sum of the document's
	// frequencies: some engines export it rounded.
	Doc(doc uint32) (id []byte, length uint32, err error)
	// Next returns the next list in ascending bytewise order of terms, or io.EOF
	// after the last. docs is strictly ascending and below N, freqs are the
	// frequencies, at least 1. All are valid until the next call.
	Next() (List, error)
	// BytesRead returns how much of the input was consumed so far, opening
	// included. It may be called from any goroutine.
	BytesRead() int64
	// Close releases the input.
	Close() error
}

// List is the posting list of one term.
type List struct {
	Term  []byte
	Docs  []uint32
	Freqs []uint32
}

// OpenInverted opens an input of posting lists. The documents are read at once,
// the lists one after the other.
func OpenInverted(path string, f Format) (Inverted, Format, error) {
	if f == FormatAuto {
		var err error
		if f, err = Detect(path); err != nil {
			return nil, "", err
		}
	}
	switch f {
	case FormatCIFF:
		c, err := OpenCIFF(path)
		if err != nil {
			return nil, f, err
		}
		return c, f, nil
	case FormatDS2I:
		d, err := OpenDS2I(path)
		if err != nil {
			return nil, f, err
		}
		return d, f, nil
	}
	return nil, f, fmt.Errorf("%s holds documents (%s), not posting lists", path, f)
}

func checkTerm(term []byte) error {
	if len(term) == 0 {
		return fmt.Errorf("an empty term")
	}
	if len(term) > MaxTerm {
		return fmt.Errorf("a term of %d bytes, at most %d are allowed", len(term), MaxTerm)
	}
	return nil
}
