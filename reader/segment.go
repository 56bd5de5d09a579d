package reader

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Segment is one segment of a snapshot. All docIDs are local to it: they start at
// 0. Its methods turn a fault of mapped memory into an error of kind
// format.ErrCorrupt. After the snapshot is closed they fail with an error that
// matches ErrClosed. A Segment is safe for concurrent use.
type Segment struct {
	views *segment.Segment
	base  uint32
	ord   int
	info  indexdir.SegmentInfo

	schema *schema.Schema // of the index; not to be modified

	life    *life   // of the snapshot; nil never ends
	file    *handle // nil for a Segment that no Index opened
	deletes *deletesFile
	ctx     context.Context // of reads; nil never ends
}

// NewSegment returns a Segment over the views of a file that was opened by itself. It belongs to no snapshot, has no deleted documents, and
// is number ord of those that it is searched with, whose documents are numbered from base on.
func NewSegment(views *segment.Segment, base uint32, ord int) *Segment {
	return &Segment{views: views, base: base, ord: ord, info: indexdir.SegmentInfo{Docs: views.Meta().Docs}, schema: views.Schema()}
}

// WithContext is Snapshot.WithContext of one segment.
func (s *Segment) WithContext(ctx context.Context) *Segment {
	if ctx == nil || !s.views.OnDemand() {
		return s
	}
	c := *s
	c.ctx, c.views = ctx, s.views.WithContext(ctx)
	return &c
}

// Guard runs work, which reads the structures of segments, and returns its error. If a mapped file has been truncated or
// cannot be read, that is an error of kind format.ErrCorrupt in place of the end of the process.
func Guard(work func() error) error { return indexdir.Guard(work) }

// Views returns the segment's structures as the file stores them. They
// neither recover from faults nor know when the snapshot is closed: callers read
// within Guard, and hold the snapshot (Snapshot.Acquire).
func (s *Segment) Views() *segment.Segment { return s.views }

// Base returns the global docID of the segment's first document.
func (s *Segment) Base() uint32 { return s.base }

// Ord returns the segment's position in the snapshot.
func (s *Segment) Ord() int { return s.ord }

// Same reports whether o, of any snapshot, is the same segment with the same documents deleted and the same values changed in place.
func (s *Segment) Same(o *Segment) bool { return o != nil && s.info.Equal(o.info) }

// SameFile reports whether o, of any snapshot, reads the same open file: it has the same documents, of which others may be deleted, and other
// values changed in place.
func (s *Segment) SameFile(o *Segment) bool { return o != nil && s.file != nil && s.file == o.file }

// Name returns the name of the segment's file.
func (s *Segment) Name() string { return s.views.Name() }

// Header returns a copy of the file's header.
func (s *Segment) Header() *format.Header {
	h := *s.views.Header()
	h.Sections = slices.Clone(h.Sections)
	return &h
}

// Meta returns a copy of the segment's own metadata.
func (s *Segment) Meta() *segment.Meta {
	m := *s.views.Meta()
	return &m
}

// Docs returns the number of documents, deleted ones included.
func (s *Segment) Docs() uint32 { return s.info.Docs }

// Deletes returns the deleted documents of the segment, or nil if there are none.
// The first call reads them.
func (s *Segment) Deletes() (*Deletes, error) {
	if err := s.life.acquire(); err != nil {
		return nil, err
	}
	defer s.life.release()
	if s.deletes == nil {
		return nil, nil
	}
	return s.deletes.load(s.ctx)
}

// Lookup returns the dictionary entry of term; ok is false if the segment does
// not hold it. In an index of several fields terms are those of one (Field): the error matches
// errors.ErrUnsupported, and so do those of Terms, Cursor and Postings.
func (s *Segment) Lookup(term []byte) (e segment.Entry, ok bool, err error) {
	return s.only().Lookup(term)
}

// initList makes l a view of the list of e, which must be an entry of s. Its slices are
// mapped memory (see Views).
func (s *Segment) initList(l *segment.List, e segment.Entry) (err error) {
	if err := s.life.acquire(); err != nil {
		return err
	}
	defer s.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return s.views.Lists().Init(l, e)
}

// AppendID appends the external id of doc to dst. On an error it returns dst unchanged.
func (s *Segment) AppendID(dst []byte, doc uint32) (id []byte, err error) {
	id = dst // also after a fault
	if err := s.life.acquire(); err != nil {
		return id, err
	}
	defer s.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return s.views.Documents().AppendID(dst, doc)
}

// FindID returns the docID of the document with an external id, deleted or not;
// ok is false if there is none.
func (s *Segment) FindID(id []byte) (doc uint32, ok bool, err error) {
	if err := s.life.acquire(); err != nil {
		return 0, false, err
	}
	defer s.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return s.views.Documents().FindID(id)
}

// EachID calls f with every docID and external id, in docID order. The id is
// valid until f returns. An error of f stops EachID and is returned.
func (s *Segment) EachID(f func(doc uint32, id []byte) error) error {
	if err := s.life.acquire(); err != nil {
		return err
	}
	defer s.life.release()
	b := idBatch{seg: s}
	next, stop := iter.Pull(b.fill)
	defer stop()
	for more := true; more; {
		_, more = next()
		start := 0
		for i, end := range b.ends {
			err := f(b.first+uint32(i), b.bytes[start:end:end])
			if err == nil {
				err = s.life.err()
			}
			if err != nil {
				return err
			}
			start = end
		}
	}
	return b.err
}

// idBatch is the state of EachID: ids of consecutive documents. The caller's code runs between the
// steps of fill, so that it runs under its own guard against faults.
type idBatch struct {
	seg   *Segment
	first uint32 // document
	bytes []byte // the ids, one after the other
	ends  []int  // of the ids in bytes
	err   error
}

// idBatchSize is how many ids make a batch.
const idBatchSize = 256

var errStopped = errors.New("EachID has ended")

// fill yields whenever the batch is full. At the end the batch holds the remaining ids.
func (b *idBatch) fill(yield func(struct{}) bool) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &b.err)
	b.err = b.seg.views.Documents().EachID(func(doc uint32, id []byte) error {
		if len(b.ends) == idBatchSize {
			if !yield(struct{}{}) {
				return errStopped
			}
			b.first, b.bytes, b.ends = doc, b.bytes[:0], b.ends[:0]
		}
		b.bytes = append(b.bytes, id...)
		b.ends = append(b.ends, len(b.bytes))
		return nil
	})
}

// DocLen returns the number of tokens of doc, in all fields together, or 0 if there is no such
// document.
func (s *Segment) DocLen(doc uint32) (tokens uint32, err error) {
	if err := s.life.acquire(); err != nil {
		return 0, err
	}
	defer s.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return s.views.Documents().Length(doc)
}

// AppendStored appends the stored text of doc to dst: nothing if the segment stores no
// text (Meta().Stored). On an error it returns dst unchanged.
func (s *Segment) AppendStored(dst []byte, doc uint32) (text []byte, err error) {
	text = dst // also after a fault
	if err := s.life.acquire(); err != nil {
		return text, err
	}
	defer s.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return s.views.Documents().AppendStored(dst, doc)
}

// AppendTexts appends the stored texts of docs to dst, and to ends where each of them ends in
// it. It is fastest if the docIDs ascend. On an error it returns both unchanged.
func (s *Segment) AppendTexts(dst []byte, ends []int, docs []uint32) (texts []byte, textEnds []int, err error) {
	texts, textEnds = dst, ends // also after a fault
	if err := s.life.acquire(); err != nil {
		return texts, textEnds, err
	}
	defer s.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return s.views.Documents().AppendTexts(dst, ends, docs)
}

// appendValues is Snapshot.AppendValues of a segment.
func (s *Segment) appendValues(dst []byte, ends []int, docs, ids []uint32) (texts []byte, textEnds []int, err error) {
	texts, textEnds = dst, ends // also after a fault
	if err := s.life.acquire(); err != nil {
		return texts, textEnds, err
	}
	defer s.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return s.views.Documents().AppendValues(dst, ends, docs, ids)
}

// verify checks every checksum and all content of the segment.
func (s *Segment) verify(ctx context.Context) (err error) {
	if err := s.life.acquire(); err != nil {
		return err
	}
	defer s.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return check.Segment(ctx, s.views, check.Options{Threads: runtime.GOMAXPROCS(0), Guard: indexdir.Guard})
}

// verifyChanges checks the values that were changed in place.
func (s *Segment) verifyChanges() (err error) {
	if err := s.life.acquire(); err != nil {
		return err
	}
	defer s.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return check.Changes(s.views)
}
