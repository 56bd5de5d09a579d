package exchange

import (
	"fmt"
	"io"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// MaxTerm is the maximum length of a term of an index in bytes.
const MaxTerm = segment.MaxTerm

// MaxDocs is the maximum number of documents of a collection.
const MaxDocs = segment.MaxDocs

// InvertedSource is an open collection that consists of posting lists.
type InvertedSource interface {
	// Docs returns the number of documents N; docIDs are 0 to N-1.
	Docs() int
	// Inverted returns the collection. Its documents can be iterated over any number
	// of times, its lists once. Lists have strictly ascending docIDs below N and
	// frequencies of at least 1. Documents' lengths need not be the sums of their
	// frequencies, since some engines export them rounded.
	Inverted() writer.Inverted
	// BytesRead returns how many bytes of the input have been consumed, including
	// those read when opening it. It is safe for concurrent use.
	BytesRead() int64
	// Close releases the input.
	Close() error
}

// lists is implemented by the readers of collections.
type lists interface {
	Docs() int
	// doc returns the external id and the length of a document. The id is valid until
	// the next call.
	doc(doc uint32) (writer.InvertedDoc, error)
	// next returns the next list in bytewise order of terms, or io.EOF after the
	// last. It is valid until the next call.
	next() (writer.InvertedList, error)
}

// invertedOf returns sequences of the documents and lists that x reads.
func invertedOf(x lists) writer.Inverted {
	return writer.Inverted{
		ForeignLengths: true,
		Docs: func(yield func(writer.InvertedDoc, error) bool) {
			for doc := range x.Docs() {
				d, err := x.doc(uint32(doc))
				if !yield(d, err) || err != nil {
					return
				}
			}
		},
		Lists: func(yield func(writer.InvertedList, error) bool) {
			for {
				l, err := x.next()
				if err == io.EOF || !yield(l, err) || err != nil {
					return
				}
			}
		},
	}
}

// OpenInverted opens an input of posting lists and returns its format. It reads
// the documents at once and the lists when they are iterated over, so it refuses
// what can be read only once. The caller closes the InvertedSource.
func OpenInverted(path string, f Format) (InvertedSource, Format, error) {
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
