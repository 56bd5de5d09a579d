package reader

import (
	"context"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/check"
	"github.com/pinion-index/pinion/store"
)

// Segment is one segment of a snapshot. All docIDs are local to it: they count
// from 0. Its methods turn a fault of mapped memory into an error of kind
// format.ErrCorrupt, and fail with an error that matches ErrClosed once the
// snapshot is closed.
type Segment struct {
	// Views are the segment's structures as they lie in the file. They neither recover
	// from faults nor know when the snapshot is closed: they are for callers that arm
	// faults themselves (store.ArmFault) and hold the snapshot open.
	Views *segment.Segment
	// Base is the global docID of the segment's first document.
	Base uint32
	// Ord is the segment's position in the snapshot.
	Ord int
	// Info is what the manifest says.
	Info store.SegmentInfo

	life    *life   // of the snapshot; nil means for ever
	file    *handle // nil for a Segment that no Index opened
	deletes *deletesFile
}

// Name returns the name of the segment's file.
func (s *Segment) Name() string { return s.Views.Name() }

// Header returns the file's header. It must not be modified.
func (s *Segment) Header() *format.Header { return s.Views.Header() }

// Meta returns what the segment says about itself. It must not be modified.
func (s *Segment) Meta() *segment.Meta { return s.Views.Meta() }

// Docs returns the number of documents, deleted ones included.
func (s *Segment) Docs() uint32 { return s.Info.Docs }

// Deletes returns the deleted documents of the segment, nil if there are none.
// The first call on a segment with deletes reads them.
func (s *Segment) Deletes() (*Deletes, error) {
	if err := s.life.err(); err != nil || s.deletes == nil {
		return nil, err
	}
	return s.deletes.load()
}

// Lookup returns the dictionary entry of term; ok is false if the segment does
// not hold it.
func (s *Segment) Lookup(term []byte) (e segment.Entry, ok bool, err error) {
	if err := s.life.err(); err != nil {
		return e, false, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Views.Lookup(term)
}

// List returns a view of the list of e, which must be an entry of s. What the view
// shows is mapped memory: reading it is up to callers that arm faults themselves.
func (s *Segment) List(e segment.Entry) (*segment.List, error) {
	l := new(segment.List)
	if err := s.InitList(l, e); err != nil {
		return nil, err
	}
	return l, nil
}

// InitList is List into l, which may be used again and again.
func (s *Segment) InitList(l *segment.List, e segment.Entry) (err error) {
	if err := s.life.err(); err != nil {
		return err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Views.InitList(l, e)
}

// ID appends the external id of doc to buf[:0].
func (s *Segment) ID(doc uint32, buf []byte) (id []byte, err error) {
	if err := s.life.err(); err != nil {
		return nil, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Views.ID(doc, buf)
}

// FindID returns the docID of the document with an external id, deleted or not;
// ok is false if there is none.
func (s *Segment) FindID(id []byte) (doc uint32, ok bool, err error) {
	if err := s.life.err(); err != nil {
		return 0, false, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Views.FindID(id)
}

// EachID calls f with every docID and external id in order. The id is valid until
// f returns. An error of f ends the walk and is returned.
func (s *Segment) EachID(f func(doc uint32, id []byte) error) (err error) {
	if err := s.life.err(); err != nil {
		return err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Views.EachID(f)
}

// DocLen returns the number of tokens of doc, 0 when there is no such document.
func (s *Segment) DocLen(doc uint32) (tokens uint32, err error) {
	if err := s.life.err(); err != nil {
		return 0, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Views.DocLen(doc)
}

// DocLens returns the lengths of all documents. On a mapped file they are mapped
// memory.
func (s *Segment) DocLens() (lens segment.LengthTable, err error) {
	if err := s.life.err(); err != nil {
		return lens, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Views.DocLens()
}

// Stored appends the stored text of doc to buf[:0]; nothing if the segment was
// written without.
func (s *Segment) Stored(doc uint32, buf []byte) (text []byte, err error) {
	if err := s.life.err(); err != nil {
		return nil, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Views.Stored(doc, buf)
}

// verify checks every checksum and all content of the segment.
func (s *Segment) verify(ctx context.Context) (err error) {
	if err := s.life.err(); err != nil {
		return err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return check.Segment(ctx, s.Views, check.Options{})
}
