package query

import (
	"fmt"
	"iter"
	"slices"

	"github.com/pinion-index/pinion/internal/docset"
)

// Docs is matched by documents by their docIDs, which are those of a snapshot and count on from segment to segment. It
// does not score. DocsOf makes one, of any docIDs, and UnmarshalBinary of a roaring bitmap. Docs do not change, are safe
// for concurrent use, and keep what each segment has of them: make them once for all queries of a snapshot.
//
// The zero Docs are not valid in a query: those that no document matches are DocsOf of none.
type Docs struct{ set *docset.Global }

// DocsOf returns the documents with docIDs, which may come in any order and more than once. Those that a snapshot does not
// have do not matter, and 4294967295 is none.
func DocsOf(docs iter.Seq[uint32]) Docs {
	return Docs{docset.GlobalOf(slices.Collect(docs)...)}
}

// Len returns the number of docIDs.
func (d Docs) Len() int {
	if d.set == nil {
		return 0
	}
	return int(d.set.Len())
}

// Has reports whether a docID is one of them.
func (d Docs) Has(doc uint32) bool { return d.set != nil && d.set.Contains(doc) }

// All yields the docIDs in ascending order.
func (d Docs) All() iter.Seq[uint32] {
	if d.set == nil {
		return func(func(uint32) bool) {}
	}
	return d.set.All()
}

// MarshalBinary returns the docIDs as a roaring bitmap in the portable form, which libraries in many languages read
// (github.com/RoaringBitmap/RoaringFormatSpec). There is no error.
func (d Docs) MarshalBinary() ([]byte, error) {
	if d.set == nil {
		return new(docset.Set).AppendPortable(nil), nil
	}
	return d.set.AppendPortable(nil), nil
}

// UnmarshalBinary sets d to the docIDs of a roaring bitmap in the portable form. It checks all of b, keeps none of it, and
// takes at most twice as much memory. The error matches ErrInvalid and says what is wrong where.
func (d *Docs) UnmarshalBinary(b []byte) error {
	s, err := docset.FromPortable(b, 0, docset.End)
	if err != nil {
		return fmt.Errorf("%w: docIDs of %d bytes: %v", ErrInvalid, len(b), err)
	}
	d.set = docset.NewGlobal(s)
	return nil
}

func init() {
	docset.Searched = func(docs any) *docset.Global { return docs.(Docs).set }
}

func (n Docs) visit(v *visitor) {
	v.kind("docs")
	if v.flag(n.set != nil); v.keys && n.set != nil {
		docs, _ := n.MarshalBinary() // without an error
		v.text(string(docs))
	}
	if v.copies {
		v.copy = n
	}
}
