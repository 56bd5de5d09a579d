package reader

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/invariants"
	"github.com/pinion-index/pinion/schema"
)

// Snapshot is the index as of one commit, or of what was published after it
// (Index.RefreshUncommitted), or several such indexes as one (Join). It is safe for concurrent use, Close included. After
// Close, calls that read the index fail with an error that matches ErrClosed; this
// includes calls on its Segments, Terms, Cursors and Postings. The zero Snapshot is closed.
type Snapshot struct {
	view     *view
	life     life
	watch    *watch
	segments []*Segment
	of       *Snapshot       // whose life counts; nil: its own
	ctx      context.Context // of reads; nil never ends
}

// newSnapshot returns a Snapshot of v, among whose users the caller has counted
// it.
func newSnapshot(v *view) *Snapshot {
	s := &Snapshot{view: v, segments: make([]*Segment, len(v.segments))}
	s.life.open(v)
	s.watch = v.index.opts.watch("snapshot")
	invariants.Opened(&s.life, "snapshot of "+v.index.String())
	own := make([]Segment, len(v.segments))
	for i := range own {
		own[i] = v.segments[i]
		own[i].life = &s.life
		s.segments[i] = &own[i]
	}
	return s
}

// WithContext returns the same snapshot for one task, such as answering a request. Of an index
// that is read on demand, what it and its Segments read ends with ctx, with an error that matches
// that of ctx, and what Prefetch reads stays in memory as long as the result is used. Of any other index WithContext returns s. It is not to be closed, but Close closes both.
// Retain returns a Snapshot without ctx. A nil ctx means context.Background.
func (s *Snapshot) WithContext(ctx context.Context) *Snapshot {
	if ctx == nil {
		ctx = context.Background()
	}
	if !slices.ContainsFunc(s.segments, func(seg *Segment) bool { return seg.views.OnDemand() }) {
		return s
	}
	c := &Snapshot{view: s.view, of: s, ctx: ctx, segments: make([]*Segment, len(s.segments))}
	if s.of != nil {
		c.of = s.of
	}
	for i, seg := range s.segments {
		c.segments[i] = seg.WithContext(ctx)
	}
	return c
}

// Context returns the context that reads of s end with: that of WithContext, or else
// context.Background.
func (s *Snapshot) Context() context.Context {
	if s.ctx == nil {
		return context.Background()
	}
	return s.ctx
}

// lives returns the life of s.
func livesOf(s *Snapshot) *life {
	if s.of != nil {
		return &s.of.life
	}
	return &s.life
}

// Close closes the snapshot without waiting. Calls under way return their results,
// unless they notice that it is closed; those that go on for long, such as
// iterations, then end with ErrClosed. The snapshot's files are released when the
// last of these calls has returned and the last Cursor is closed. Further calls
// return nil.
func (s *Snapshot) Close() error {
	if s.of != nil {
		return s.of.Close()
	}
	s.watch.stop()
	return s.life.close()
}

// Acquire keeps the snapshot's files open until release is called, whether Close is
// called or not. Further calls of release do nothing. After Close the error matches
// ErrClosed, and so do those of other methods although the files are open: who wants to
// go on reading calls Retain.
func (s *Snapshot) Acquire() (release func(), err error) {
	if err := livesOf(s).acquire(); err != nil {
		return func() {}, err
	}
	var released atomic.Bool
	return func() {
		if !released.Swap(true) {
			livesOf(s).release()
		}
	}, nil
}

// Hold is Acquire that allocates nothing: who calls it calls Unhold as often.
func (s *Snapshot) Hold() error { return livesOf(s).acquire() }

// Unhold undoes one successful Hold.
func (s *Snapshot) Unhold() { livesOf(s).release() }

// Err returns nil while the snapshot is open, and then an error that matches ErrClosed.
func (s *Snapshot) Err() error { return livesOf(s).err() }

// Retain returns a second Snapshot of the same commit, to be closed separately.
// If s is closed, the error matches ErrClosed.
func (s *Snapshot) Retain() (*Snapshot, error) {
	if err := livesOf(s).acquire(); err != nil {
		return nil, err
	}
	defer livesOf(s).release()
	x := s.view.index
	x.mu.Lock()
	defer x.mu.Unlock()
	s.view.users++
	return newSnapshot(s.view), nil
}

// Verify checks every checksum and all content of the snapshot's segments and
// deletes files. The time it takes is proportional to the size of the index.
// Files that an earlier call has checked are skipped as long as the Index has
// them open, so after a Refresh only new files take time.
func (s *Snapshot) Verify(ctx context.Context) error {
	if err := livesOf(s).acquire(); err != nil {
		return err
	}
	defer livesOf(s).release()
	for i, seg := range s.segments {
		if err := livesOf(s).err(); err != nil {
			return err
		}
		d, err := seg.Deletes()
		if err != nil {
			return err
		}
		if d != nil {
			if err := s.view.commit.CheckDeletes(i, seg.views, d.Bits()); err != nil {
				return err
			}
		}
		if err := s.view.commit.CheckOrder(seg.views); err != nil {
			return err
		}
		if seg.file.verified.Load() {
			if err := seg.verifyChanges(); err != nil {
				return err
			}
			continue
		}
		if err := seg.verify(ctx); err != nil {
			return err
		}
		seg.file.verified.Store(true)
	}
	return nil
}

// Directory returns the name of the index's directory, which does not depend on how it was
// opened: of a local one its absolute path, with symbolic links resolved. Of several indexes it has
// their names, with commas between them.
func (s *Snapshot) Directory() string {
	if s.view == nil {
		return ""
	}
	if s.view.parts != nil {
		return s.view.index.joined
	}
	return s.view.index.dir.Name()
}

// Generation returns the number of the commit, which counts from 1. That of an
// uncommitted snapshot is the commit before.
func (s *Snapshot) Generation() uint64 {
	if s.view == nil {
		return 0
	}
	return s.view.commit.Generation
}

// CommitID returns what tells the commit from others, also from those of another index
// with the same number: bytes to compare. That of an uncommitted snapshot is empty.
func (s *Snapshot) CommitID() string {
	if s.view == nil {
		return ""
	}
	return s.view.id
}

// Commit returns the name by which programs on other machines know the commit, such as 7-0123456789abcdef: its number, and what its
// writer drew. It is empty if the snapshot is uncommitted, of several indexes, or closed.
func (s *Snapshot) Commit() string {
	return s.Ancestry().Name()
}

// Ancestry returns which commits the snapshot's comes from, itself included, as far as they are known. It is empty where Commit is.
func (s *Snapshot) Ancestry() format.Ancestry {
	if s.view == nil || s.view.parts != nil {
		return format.Ancestry{}
	}
	return s.view.commit.Ancestry()
}

// Committed returns store.ErrUncommitted for an index whose first build has not committed, which has nothing, and nil for any other.
func (s *Snapshot) Committed() error {
	if err := s.Err(); err != nil {
		return err
	}
	return s.view.commit.Committed()
}

// Uncommitted reports whether the snapshot is not of a commit but of what a Writer
// has published since.
func (s *Snapshot) Uncommitted() bool { return s.view != nil && s.view.commit.Published != 0 }

// Meta returns the value that a program has kept with the commit for a key (writer.Writer.Apply). ok says whether there is one.
func (s *Snapshot) Meta(key string) (value string, ok bool) {
	if s.view == nil {
		return "", false
	}
	value, ok = s.view.commit.Manifest.Meta[key]
	return value, ok
}

// Analyzer returns the name and options of the analyzer of the implicit schema. They are empty for another.
func (s *Snapshot) Analyzer() (name, options string) {
	if s.view == nil {
		return "", ""
	}
	return s.view.commit.Manifest.Analyzer()
}

// Schema returns a copy of the index's schema, which is never nil: an index that was given none has the implicit one, and so has
// a closed Snapshot.
func (s *Snapshot) Schema() *schema.Schema {
	if s.view == nil {
		return schema.Implicit("", "", false)
	}
	return s.view.schema.Clone()
}

// Segments returns the segments in docID order, in a new slice.
func (s *Snapshot) Segments() []*Segment { return slices.Clone(s.segments) }

// Stats returns the statistics of all segments together.
func (s *Snapshot) Stats() Stats {
	if s.view == nil {
		return Stats{}
	}
	return s.view.stats
}

// Locate returns the segment of a global docID and the local docID in it; ok is
// false if there is no such document.
func (s *Snapshot) Locate(doc uint32) (seg *Segment, local uint32, ok bool) {
	segs := s.segments
	i := sort.Search(len(segs), func(i int) bool { return segs[i].base > doc }) - 1
	// Empty segments share the Base of the next one. The last of them is found, which
	// is the only one that can hold the document.
	if i < 0 || doc-segs[i].base >= segs[i].info.Docs {
		return nil, 0, false
	}
	return segs[i], doc - segs[i].base, true
}

func locate(s *Snapshot, doc uint32) (*Segment, uint32, error) {
	if err := livesOf(s).err(); err != nil {
		return nil, 0, err
	}
	seg, local, ok := s.Locate(doc)
	if !ok {
		return nil, 0, fmt.Errorf("index %s: no document %d among %d: %w", s.view.index, doc, s.view.stats.Docs, fs.ErrInvalid)
	}
	return seg, local, nil
}

// AppendID appends the external id of a global docID to dst. On an error it returns dst
// unchanged.
func (s *Snapshot) AppendID(dst []byte, doc uint32) (id []byte, err error) {
	seg, local, err := locate(s, doc)
	if err != nil {
		return dst, err
	}
	return seg.AppendID(dst, local)
}

// AppendStored appends the text of a global docID to dst: nothing if the document's
// segment stores no text. On an error it returns dst unchanged.
func (s *Snapshot) AppendStored(dst []byte, doc uint32) (text []byte, err error) {
	seg, local, err := locate(s, doc)
	if err != nil {
		return dst, err
	}
	return seg.AppendStored(dst, local)
}

// AppendTexts appends the stored texts of documents, given by global docIDs, to dst, and to ends
// where each of them ends in it. If the docIDs ascend, nothing is inflated twice, which is
// faster than AppendStored for each. On an error it returns both unchanged.
func (s *Snapshot) AppendTexts(dst []byte, ends []int, docs []uint32) (texts []byte, textEnds []int, err error) {
	return appendEach(s, dst, ends, docs, (*Segment).AppendTexts)
}

// AppendValues is AppendTexts, but records have only the values in the
// fields with ids (schema.Field.ID). Of the other values it inflates and checks little.
func (s *Snapshot) AppendValues(dst []byte, ends []int, docs, ids []uint32) (texts []byte, textEnds []int, err error) {
	return appendEach(s, dst, ends, docs, func(seg *Segment, dst []byte, ends []int, docs []uint32) ([]byte, []int, error) {
		return seg.appendValues(dst, ends, docs, ids)
	})
}

// appendEach appends to dst and ends what of appends of the documents of each segment.
func appendEach(s *Snapshot, dst []byte, ends []int, docs []uint32, of func(seg *Segment, dst []byte, ends []int, docs []uint32) ([]byte, []int, error)) (texts []byte, textEnds []int, err error) {
	texts, textEnds = dst, ends
	if err := livesOf(s).err(); err != nil {
		return dst, ends, err
	}
	var local [16]uint32
	for len(docs) > 0 {
		seg, first, err := locate(s, docs[0])
		if err != nil {
			return dst, ends, err
		}
		run := append(local[:0], first)
		for _, doc := range docs[1:] {
			if doc < seg.base || doc-seg.base >= seg.info.Docs {
				break
			}
			run = append(run, doc-seg.base)
		}
		if texts, textEnds, err = of(seg, texts, textEnds, run); err != nil {
			return dst, ends, err
		}
		docs = docs[len(run):]
	}
	return texts, textEnds, nil
}

// Prefetch begins to read the ids of documents, given by global docIDs, and their stored
// text if text is set: where the index is not in memory, many reads take hardly longer at once
// than one by one. It is only a hint. What was read before is not read again. Where it is read on demand
// it waits for tables once, and what it reads goes to the cache unless s is from WithContext.
func (s *Snapshot) Prefetch(docs []uint32, text bool) {
	if livesOf(s).acquire() != nil {
		return // ID says so
	}
	defer livesOf(s).release()
	var err error
	defer indexdir.CatchFault(indexdir.ArmFault(), &err) // ID meets it again
	local := make([][]uint32, len(s.segments))
	for _, d := range docs {
		if seg, l, ok := s.Locate(d); ok {
			local[seg.ord] = append(local[seg.ord], l)
		}
	}
	for i, docs := range local {
		if len(docs) > 0 {
			s.segments[i].views.Documents().PrefetchTables(text)
		}
	}
	for i, docs := range local {
		if len(docs) > 0 {
			s.segments[i].views.Documents().Prefetch(docs, text)
		}
	}
}

// HasStored reports whether every segment has stored text.
func (s *Snapshot) HasStored() bool {
	for _, seg := range s.segments {
		if !seg.views.Meta().Stored {
			return false
		}
	}
	return true
}

// DocLen returns the number of tokens of a global docID.
func (s *Snapshot) DocLen(doc uint32) (tokens uint32, err error) {
	seg, local, err := locate(s, doc)
	if err != nil {
		return 0, err
	}
	return seg.DocLen(local)
}

// Deleted reports whether the document with a global docID is deleted.
func (s *Snapshot) Deleted(doc uint32) (bool, error) {
	seg, local, err := locate(s, doc)
	if err != nil {
		return false, err
	}
	d, err := seg.Deletes()
	return d.Has(local), err
}

// FindID returns the global docID of the document with an external id, ignoring
// deleted documents; ok is false if there is none.
func (s *Snapshot) FindID(id []byte) (doc uint32, ok bool, err error) {
	if err := livesOf(s).err(); err != nil {
		return 0, false, err
	}
	for i := len(s.segments) - 1; i >= 0; i-- { // the newest is the likeliest
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
			return seg.base + local, true, nil
		}
	}
	return 0, false, nil
}
