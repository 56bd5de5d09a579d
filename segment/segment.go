package segment

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// Segment is an open segment file: Lists is what it has of terms, Docs what it has of documents, Field what it has of a
// field, values in columns too, and Raw its stored form. It is safe for concurrent use. It does not close its Data.
type Segment struct {
	name    string
	data    Data
	h       *format.Header
	meta    Meta
	fields  []Field  // in the order of their names
	impacts bool     // some field is of kind impacts
	ahead   ahead    // data if it is a mapped file, or nil
	remote  OnDemand // data if it is read on demand with a context, or nil

	terms, termIndex, postings, docLengths section
	ids, idIndex, idHash                   section
	stored, storedIndex                    section
	others                                 []section // other optional ones of the table
	pages                                  pages
	views                                  *views
	overlay                                *overlay        // values that were changed in place, or nil
	ctx                                    context.Context // of WithContext, or nil
}

// views are views of whole sections, set on first use.
type views struct {
	termIndex     atomic.Pointer[termIndex]
	lengths       atomic.Pointer[LengthTable]   // of the first field
	fieldLengths  []atomic.Pointer[LengthTable] // of the others
	idIndex       atomic.Pointer[[]uint64]
	idHash        atomic.Pointer[[]uint64] // where it is not packed
	idTable       atomic.Pointer[layout.IDTable]
	storedIndex   atomic.Pointer[[]byte]
	columns       []atomic.Pointer[columnTable] // by field, if there are columns
	positionIndex atomic.Pointer[[]uint64]
	attached      attached
}

// attached is what others keep with a segment.
type attached struct {
	mu     sync.Mutex
	values map[any]any // by key
}

// Attached returns what others keep in memory with the open segment under a key, of a type of their own: what create
// returned when Attached was first called with it.
func (s *Segment) Attached(key any, create func() any) any {
	a := &s.views.attached
	if s.overlay != nil { // what others keep may follow from values
		a = &s.overlay.attached
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	v, ok := a.values[key]
	if !ok {
		if a.values == nil {
			a.values = map[any]any{}
		}
		v = create()
		a.values[key] = v
	}
	return v
}

// Name returns the name given to Open.
func (s *Segment) Name() string { return s.name }

// Header returns the file's header. It must not be modified.
func (s *Segment) Header() *format.Header { return s.h }

// Meta returns the segment's metadata. It must not be modified.
func (s *Segment) Meta() *Meta { return &s.meta }

// Data returns the Data given to Open.
func (s *Segment) Data() Data { return s.data }

// section returns a section by its id, or nil if s does not have it or does not need it.
func (s *Segment) section(id format.SectionID) *section {
	switch id {
	case format.SectionTerms:
		return &s.terms
	case format.SectionTermIndex:
		return &s.termIndex
	case format.SectionPostings:
		return &s.postings
	case format.SectionDocLengths:
		return &s.docLengths
	case format.SectionIDs:
		return &s.ids
	case format.SectionIDIndex:
		return &s.idIndex
	case format.SectionIDHash:
		return &s.idHash
	case format.SectionStored:
		return &s.stored
	case format.SectionStoredIndex:
		return &s.storedIndex
	}
	for i := range s.others {
		if s.others[i].ID == id {
			return &s.others[i]
		}
	}
	return nil
}
