package reader

import (
	"context"
	"fmt"
	"sort"

	"github.com/pinion-index/pinion/store"
)

// Snapshot is the index as of one commit. After Close, calls that read the index
// fail with an error that matches ErrClosed; so do those of its Segments, Terms,
// Cursors and Postings.
type Snapshot struct {
	view     *view
	life     life
	segments []*Segment
}

// newSnapshot returns a Snapshot of v, of which the caller has counted one user.
func newSnapshot(v *view) *Snapshot {
	s := &Snapshot{view: v, segments: make([]*Segment, len(v.segments))}
	s.life.index = v.index
	own := make([]Segment, len(v.segments))
	for i := range own {
		own[i] = v.segments[i]
		own[i].life = &s.life
		s.segments[i] = &own[i]
	}
	return s
}

// Close gives the snapshot back. It must not run beside other calls on the
// snapshot or on what came from it. Further calls return nil.
func (s *Snapshot) Close() error {
	if s.life.closed.Swap(true) {
		return nil
	}
	return s.view.release()
}

// Retain returns a second hold on the same commit, with a Close of its own. The
// error matches ErrClosed if the snapshot is closed.
func (s *Snapshot) Retain() (*Snapshot, error) {
	x := s.view.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := s.life.err(); err != nil {
		return nil, err
	}
	s.view.users++
	return newSnapshot(s.view), nil
}

// Verify checks every checksum and all content of the snapshot's segments and
// deletes files. It takes time in proportion to the size of the index, except that
// files which a call has checked are not checked again while the Index has them
// open: after a Refresh only what is new takes time.
func (s *Snapshot) Verify(ctx context.Context) error {
	for _, seg := range s.segments {
		if err := s.life.err(); err != nil {
			return err
		}
		if _, err := seg.Deletes(); err != nil {
			return err
		}
		if seg.file.verified.Load() {
			continue
		}
		if err := seg.verify(ctx); err != nil {
			return err
		}
		seg.file.verified.Store(true)
	}
	return s.life.err()
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
func (s *Snapshot) Segments() []*Segment { return s.segments }

// Stats returns the counts over all segments.
func (s *Snapshot) Stats() Stats { return s.view.stats }

// Locate returns the segment of a global docID and the local docID in it; ok is
// false if there is no such document.
func (s *Snapshot) Locate(doc uint32) (seg *Segment, local uint32, ok bool) {
	segs := s.segments
	i := sort.Search(len(segs), func(i int) bool { return segs[i].Base > doc }) - 1
	// Of segments without documents that share a Base the last one is found, and
	// it is the one that has the document, if any has.
	if i < 0 || doc-segs[i].Base >= segs[i].Info.Docs {
		return nil, 0, false
	}
	return segs[i], doc - segs[i].Base, true
}

func (s *Snapshot) locate(doc uint32) (*Segment, uint32, error) {
	if err := s.life.err(); err != nil {
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
	seg, local, err := s.locate(doc)
	if err != nil {
		return nil, err
	}
	return seg.ID(local, buf)
}

// Stored appends the text of a global docID to buf[:0]. The index must have been
// built with stored text.
func (s *Snapshot) Stored(doc uint32, buf []byte) (text []byte, err error) {
	seg, local, err := s.locate(doc)
	if err != nil {
		return nil, err
	}
	return seg.Stored(local, buf)
}

// HasStored reports whether every segment has stored text.
func (s *Snapshot) HasStored() bool {
	for _, seg := range s.segments {
		if !seg.Meta().Stored {
			return false
		}
	}
	return true
}

// DocLen returns the number of tokens of a global docID.
func (s *Snapshot) DocLen(doc uint32) (tokens uint32, err error) {
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
	if err := s.life.err(); err != nil {
		return 0, false, err
	}
	for i := len(s.segments) - 1; i >= 0; i-- { // the newest has it most likely
		seg := s.segments[i]
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
