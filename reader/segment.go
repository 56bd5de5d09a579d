package reader

import (
	"context"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/check"
	"github.com/pinion-index/pinion/store"
)

// Segment is one segment of a snapshot. All docIDs are local to it: they count
// from 0. Its methods turn a fault of mapped memory into an error of kind
// format.ErrCorrupt, and fail with an error that matches ErrClosed once the
// snapshot is closed. The embedded segment.Segment, and the values that it hands
// out, do neither: they are for callers that arm faults themselves (store.ArmFault)
// and hold the snapshot open.
type Segment struct {
	*segment.Segment
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
	return s.Segment.Lookup(term)
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
	return s.Segment.InitList(l, e)
}

// AppendSmall appends the postings of e, an entry of s of a list without an
// extent, to docs and freqs, with base added to every docID.
func (s *Segment) AppendSmall(docs, freqs []uint32, e *segment.Entry, base uint32) (_, _ []uint32, err error) {
	if err := s.life.err(); err != nil {
		return docs, freqs, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Segment.AppendSmall(docs, freqs, e, base)
}

// ID appends the external id of doc to buf[:0].
func (s *Segment) ID(doc uint32, buf []byte) (id []byte, err error) {
	if err := s.life.err(); err != nil {
		return nil, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Segment.ID(doc, buf)
}

// FindID returns the docID of the document with an external id, deleted or not;
// ok is false if there is none.
func (s *Segment) FindID(id []byte) (doc uint32, ok bool, err error) {
	if err := s.life.err(); err != nil {
		return 0, false, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Segment.FindID(id)
}

// EachID calls f with every docID and external id in order. The id is valid until
// f returns. An error of f ends the walk and is returned.
func (s *Segment) EachID(f func(doc uint32, id []byte) error) (err error) {
	if err := s.life.err(); err != nil {
		return err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Segment.EachID(f)
}

// IDHashes returns for every document the high 32 bits of the xxhash64 of its id
// above its docID, ascending. On a mapped file that is mapped memory.
func (s *Segment) IDHashes() (hashes []uint64, err error) {
	if err := s.life.err(); err != nil {
		return nil, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Segment.IDHashes()
}

// DocLen returns the number of tokens of doc, 0 when there is no such document.
func (s *Segment) DocLen(doc uint32) (tokens uint32, err error) {
	if err := s.life.err(); err != nil {
		return 0, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Segment.DocLen(doc)
}

// DocLens returns the lengths of all documents. On a mapped file they are mapped
// memory.
func (s *Segment) DocLens() (lens segment.LengthTable, err error) {
	if err := s.life.err(); err != nil {
		return lens, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Segment.DocLens()
}

// Stored appends the stored text of doc to buf[:0]; nothing if the segment was
// written without.
func (s *Segment) Stored(doc uint32, buf []byte) (text []byte, err error) {
	if err := s.life.err(); err != nil {
		return nil, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Segment.Stored(doc, buf)
}

// Texts returns a reader of stored texts that are asked for in ascending order.
// On a mapped file it reads mapped memory.
func (s *Segment) Texts() (t *segment.Texts, err error) {
	if err := s.life.err(); err != nil {
		return nil, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return s.Segment.Texts()
}

// Verify checks every checksum and all content of the segment, which takes time in
// proportion to its size. progress, if not nil, is told from time to time how many
// bytes are done.
func (s *Segment) Verify(ctx context.Context, progress func(done, total int64)) (err error) {
	if err := s.life.err(); err != nil {
		return err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return check.Segment(ctx, s.Segment, check.Options{Progress: progress})
}
