package reader

import (
	"fmt"
	"io/fs"
	"sort"
	"sync/atomic"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// Segment is one segment of a snapshot. The embedded segment.Segment takes and
// gives local docIDs.
type Segment struct {
	*segment.Segment
	// Base is the global docID of the segment's first document.
	Base uint32
	// Ord is the segment's position in the snapshot.
	Ord int
	// Info is what the manifest says.
	Info    store.SegmentInfo
	deletes *deletesFile
}

// Docs returns the number of documents, deleted ones included.
func (s *Segment) Docs() uint32 { return s.Info.Docs }

// Deletes returns the deleted documents of the segment, nil if there are none.
// The first call on a segment with deletes reads them.
func (s *Segment) Deletes() (*Deletes, error) {
	if s.deletes == nil {
		return nil, nil
	}
	return s.deletes.load()
}

// Stats counts over all segments of a snapshot. Deleted documents count, with
// their postings and tokens, until a merge drops them: so do N and the average
// length of BM25.
type Stats struct {
	Segments int
	Docs     uint64 // documents, N of BM25
	Live     uint64 // documents that are not deleted
	Postings uint64
	Tokens   uint64 // sum of the documents' lengths
}

func (s *Stats) add(info *store.SegmentInfo) {
	s.Segments++
	s.Docs += uint64(info.Docs)
	s.Live += uint64(info.Docs - info.Deleted)
	s.Postings += info.Postings
	s.Tokens += info.Tokens
}

// AvgLen is the mean number of tokens of a document, avgdl of BM25; 0 without
// documents.
func (s *Stats) AvgLen() float64 {
	if s.Docs == 0 {
		return 0
	}
	return float64(s.Tokens) / float64(s.Docs)
}

// Snapshot is the index as of one commit.
type Snapshot struct {
	view   *view
	closed atomic.Bool
}

// Close gives the snapshot back. Nothing that came from it may be used after.
// Further calls return nil.
func (s *Snapshot) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.view.release()
}

// Retain returns a second hold on the same commit, to be closed on its own. The
// error matches fs.ErrClosed if the snapshot is closed.
func (s *Snapshot) Retain() (*Snapshot, error) {
	x := s.view.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if s.closed.Load() || s.view.users == 0 {
		return nil, fmt.Errorf("snapshot of %s: %w", x.dir, fs.ErrClosed)
	}
	s.view.users++
	return &Snapshot{view: s.view}, nil
}

// Generation is the number of the commit.
func (s *Snapshot) Generation() uint64 { return s.view.commit.Generation }

// Manifest returns the commit's manifest. It must not be modified.
func (s *Snapshot) Manifest() *store.Manifest { return s.view.commit.Manifest }

// Analyzer returns the name and options of the analyzer that made the terms.
func (s *Snapshot) Analyzer() (name, options string) {
	m := s.view.commit.Manifest
	return m.Analyzer, m.AnalyzerOptions
}

// Segments returns the segments in docID order. The slice must not be modified.
func (s *Snapshot) Segments() []*Segment { return s.view.segments }

// Stats returns the counts over all segments.
func (s *Snapshot) Stats() Stats { return s.view.stats }

// Locate returns the segment of a global docID and the local docID in it; ok is
// false if there is no such document.
func (s *Snapshot) Locate(doc uint32) (seg *Segment, local uint32, ok bool) {
	segs := s.view.segments
	i := sort.Search(len(segs), func(i int) bool { return segs[i].Base > doc }) - 1
	// Of segments without documents that share a Base the last one is found, and
	// it is the one that has the document, if any has.
	if i < 0 || doc-segs[i].Base >= segs[i].Info.Docs {
		return nil, 0, false
	}
	return segs[i], doc - segs[i].Base, true
}

// open returns an error that matches fs.ErrClosed after Close. It catches misuse,
// not races.
func (s *Snapshot) open() error {
	if s.closed.Load() {
		return fmt.Errorf("snapshot of %s: %w", s.view.index, fs.ErrClosed)
	}
	return nil
}

func (s *Snapshot) locate(doc uint32) (*Segment, uint32, error) {
	if err := s.open(); err != nil {
		return nil, 0, err
	}
	seg, local, ok := s.Locate(doc)
	if !ok {
		return nil, 0, fmt.Errorf("index %s: no document %d among %d", s.view.index, doc, s.view.stats.Docs)
	}
	return seg, local, nil
}

// ID appends the external id of a global docID to buf[:0].
func (s *Snapshot) ID(doc uint32, buf []byte) (id []byte, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	seg, local, err := s.locate(doc)
	if err != nil {
		return nil, err
	}
	return seg.ID(local, buf)
}

// Stored appends the text of a global docID to buf[:0]. The index must have been
// built with stored text.
func (s *Snapshot) Stored(doc uint32, buf []byte) (text []byte, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	seg, local, err := s.locate(doc)
	if err != nil {
		return nil, err
	}
	return seg.Stored(local, buf)
}

// HasStored reports whether every segment has stored text.
func (s *Snapshot) HasStored() bool {
	for _, seg := range s.view.segments {
		if !seg.Meta().Stored {
			return false
		}
	}
	return true
}

// DocLen returns the number of tokens of a global docID.
func (s *Snapshot) DocLen(doc uint32) (tokens uint32, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	seg, local, err := s.locate(doc)
	if err != nil {
		return 0, err
	}
	return seg.DocLen(local)
}

// Deleted reports whether a global docID is deleted.
func (s *Snapshot) Deleted(doc uint32) (bool, error) {
	seg, local, err := s.locate(doc)
	if err != nil {
		return false, err
	}
	d, err := seg.Deletes()
	return d.Has(local), err
}

// FindID returns the global docID of the document with an external id, deleted
// ones excepted; ok is false if there is none.
func (s *Snapshot) FindID(id []byte) (doc uint32, ok bool, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	if err := s.open(); err != nil {
		return 0, false, err
	}
	for i := len(s.view.segments) - 1; i >= 0; i-- { // the newest has it most likely
		seg := s.view.segments[i]
		local, found, err := seg.FindID(id)
		if err != nil {
			return 0, false, err
		}
		if !found {
			continue
		}
		d, err := seg.Deletes()
		if err != nil {
			return 0, false, err
		}
		if !d.Has(local) {
			return seg.Base + local, true, nil
		}
	}
	return 0, false, nil
}
