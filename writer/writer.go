package writer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/errs"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer/internal/invert"
)

// ErrClosed is matched by the errors of calls on a closed Writer. It matches fs.ErrClosed.
var ErrClosed = fmt.Errorf("writer: %w", fs.ErrClosed)

// ErrStored is matched by the errors for an index or a segment that stores the contents
// of documents where another does not.
var ErrStored = errors.New("one stores the text of documents, the other does not")

// ErrDocument is matched by the errors for a document that cannot be added, which match store.ErrInvalid too. The
// Writer remains usable.
var ErrDocument = errs.New("bad document")

// ErrInvalid is matched by the errors for arguments that cannot be used.
var ErrInvalid = errs.New("writer: invalid argument")

// Writer changes one index directory. Its methods are safe for concurrent use. The zero
// Writer is a closed one, and a nil context stands for context.Background(). An
// error other than a bad document or a cancelled context ends the Writer: every
// later call returns it. Earlier commits remain.
type Writer struct {
	opts    Options
	current atomic.Pointer[schema.Schema] // opts.Schema, for who neither holds the gate nor is the absorber: Evolve changes both
	orderBy atomic.Uint32                 // order.Field, likewise
	lock    *indexdir.Lock
	dir     *indexdir.Dir
	pipe    pipeline
	meta    meta
	bare    atomic.Uint64 // documents without terms

	// The rest belongs to the goroutine that holds the pipeline's absorber role.
	acc      *invert.Accumulator
	fields   *invert.Fields // of the schema
	segments []*liveSegment // in docID order
	order    indexdir.Order // of the documents of each
	changed  bool           // since the last commit
	looked   int            // ids looked up since pages were given back
	bad      error          // of documents that were refused, to be returned
	merges   merges
}

// Open opens the index in directory path for writing; it creates the directory and
// the index if necessary. The caller closes the Writer. While another Writer has
// the index open, the error matches store.ErrLocked.
func Open(ctx context.Context, path string, o Options) (*Writer, error) {
	create := indexdir.Create
	if o.Perm != 0 {
		create = func(path string) (*indexdir.Dir, error) { return indexdir.CreatePerm(path, o.Perm) }
	}
	dir, err := create(path)
	if err != nil {
		return nil, err
	}
	return open(ctx, dir, o)
}

// OpenFS is Open for any file system.
func OpenFS(ctx context.Context, fs store.FS, o Options) (*Writer, error) {
	if fs == nil {
		return nil, fmt.Errorf("%w: no file system", ErrInvalid)
	}
	dir, err := indexdir.OpenFS(fs)
	if err != nil {
		return nil, err
	}
	return open(ctx, dir, o)
}

func open(ctx context.Context, dir *indexdir.Dir, o Options) (*Writer, error) {
	w, err := openDir(orBackground(ctx), dir, o)
	if err != nil {
		dir.Close()
		return nil, fmt.Errorf("opening %s for writing: %w", dir, err)
	}
	return w, nil
}

func openDir(ctx context.Context, dir *indexdir.Dir, o Options) (*Writer, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := first(o.schema(), 0)
	if err != nil {
		return nil, err
	}
	lock, err := dir.LockWith(indexdir.LockOptions{KeepCommits: o.KeepCommits, Schema: s, Perm: o.Perm})
	if err != nil {
		return nil, err
	}
	w := &Writer{opts: o, lock: lock, dir: dir}
	if err := w.load(ctx); err != nil {
		w.closeSegments()
		lock.Close()
		return nil, err
	}
	w.current.Store(w.opts.Schema)
	if err := (evolving{w}).setFields(); err != nil {
		w.closeSegments()
		lock.Close()
		return nil, err
	}
	w.merges.start(&w.opts)
	w.pipe.start(w)
	return w, nil
}

// load opens the segments of the newest commit, and determines the schema.
func (w *Writer) load(ctx context.Context) error {
	m := w.lock.Manifest()
	w.meta.committed = m.Meta
	for i := range m.Segments {
		s, err := openSegment(w.lock, m, i)
		if err != nil {
			return err
		}
		w.segments = append(w.segments, s)
	}
	if m.Schema.IsImplicit() && len(w.segments) > 0 { // they say it; in an index of version 0.2 they can differ: then texts are
		m.Schema.Fields[0].Stored = slices.ContainsFunc(w.segments, func(s *liveSegment) bool { return s.seg.Meta().Stored })
	}
	if err := (evolving{w}).setSchema(m); err != nil {
		return err
	}
	if err := (ordering{w}).setOrder(m); err != nil {
		return err
	}
	if err := w.setStored(m.Schema); err != nil {
		return err
	}
	if err := (evolving{w}).canName(m.Schema, w.opts.Schema); err != nil {
		return err
	}
	if err := (evolving{w}).nameText(ctx, m.Schema, w.opts.Schema); err != nil {
		return err
	}
	w.changed = m.Committed() != nil || w.changes(m)
	return nil
}

// changes reports whether the options say something else than m.
func (w *Writer) changes(m *indexdir.Manifest) bool {
	return !w.opts.Schema.Equal(m.Schema) || w.order != m.Order ||
		w.opts.KeepCommits != 0 && w.opts.KeepCommits != m.KeepCommits
}

// setStored lets the index, whose schema is old, decide whether texts of the implicit schema are stored, unless it has no documents.
func (w *Writer) setStored(old *schema.Schema) error {
	s := w.opts.Schema
	if !s.IsImplicit() || !old.IsImplicit() {
		return nil
	}
	stored := &s.Fields[0].Stored
	if *stored && !old.Fields[0].Stored && len(w.segments) > 0 {
		return fmt.Errorf("%w: the index was made without, so they cannot be stored from now on", ErrStored)
	}
	*stored = *stored || old.Fields[0].Stored
	return nil
}

// Stored returns whether values of documents that are added are stored.
func (w *Writer) Stored() bool {
	return slices.ContainsFunc(w.now().Fields, func(f schema.Field) bool { return f.Stored })
}

// KeepCommits returns how many commits are kept, the newest included.
func (w *Writer) KeepCommits() int {
	if w.lock == nil {
		return 0
	}
	return w.lock.KeepCommits()
}

// Delete deletes the document with this id from the index and from the documents
// added before this call. It is not an error if there is none.
func (w *Writer) Delete(ctx context.Context, id []byte) error {
	if err := checkID(id); err != nil {
		return err
	}
	ctx = orBackground(ctx)
	if err := w.pipe.take(ctx, w.pipe.gate); err != nil {
		return err
	}
	defer w.pipe.leave()
	return w.pipe.del(ctx, id)
}

func checkID(id []byte) error {
	switch {
	case len(id) == 0:
		return fmt.Errorf("%w: its id is empty", ErrDocument)
	case len(id) > segment.MaxID:
		return fmt.Errorf("%w %s: id of %d bytes, at most %d are allowed", ErrDocument, quote(id), len(id), segment.MaxID)
	}
	return nil
}

// quote shortens and quotes an id for an error message.
func quote(id []byte) string {
	if len(id) > 64 {
		return fmt.Sprintf("%.64q...", id)
	}
	return fmt.Sprintf("%q", id)
}

// WithoutTerms returns how many of the documents added so far hold no term, so that no
// query finds them. Those added since the last Flush or Commit may not be counted yet,
// and replaced ones are.
func (w *Writer) WithoutTerms() uint64 { return w.bare.Load() }

// Flush writes all documents added so far as a segment of the next commit.
func (w *Writer) Flush(ctx context.Context) error {
	ctx = orBackground(ctx)
	return w.pipe.exclusive(ctx, func() error {
		if err := w.refused(); err != nil {
			return err
		}
		return flushing{w}.flush(ctx)
	})
}

// flush writes the accumulator and empties it. If it is empty, nothing was added since the last
// flush, and the memory that was kept for more is freed.
func (w flushing) flush(ctx context.Context) error {
	a := w.acc
	if a.Empty() {
		a.Free()
		w.pipe.freeBatches()
		return nil
	}
	if err := w.deleteOlder(ctx, a); err != nil {
		return err
	}
	if a.Live() > 0 {
		s, err := w.writeAccumulator(ctx, a)
		if err == nil {
			s, err = ordering(w).sorted(ctx, s)
		}
		if err != nil {
			return fmt.Errorf("writing a segment: %w", err)
		}
		if err := w.push(ctx, s); err != nil {
			return err
		}
	}
	if err := w.setValues(ctx, a); err != nil {
		return err
	}
	w.changed = w.changed || !a.OnlySets()
	if a.Reset() {
		w.pipe.freeBatches()
	}
	return nil
}

// writeAccumulator writes all live documents of a as a segment.
func (w flushing) writeAccumulator(ctx context.Context, a *invert.Accumulator) (*liveSegment, error) {
	out, err := w.create(options(a.Live(), a.Fields()), w.share(ctx))
	if err != nil {
		return nil, err
	}
	defer out.discardUnlessDone()
	progress := w.progress("flush", a.Postings())
	err = a.Write(ctx, out.builder, w.spaces(), w.opts.Threads, progress.advance)
	progress.done()
	if err != nil {
		return nil, err
	}
	return out.finish()
}

// Commit flushes, then makes all changes so far durable and visible to readers. If
// it fails, the index is as before, unless the error matches store.ErrUncertain. Without
// changes it does nothing, except for the first commit of an index, which other programs wait for (store.ErrUncommitted).
func (w *Writer) Commit(ctx context.Context) error {
	ctx = orBackground(ctx)
	return w.pipe.exclusive(ctx, func() error {
		if err := w.refused(); err != nil {
			return err
		}
		if err := (flushing{w}).flush(ctx); err != nil {
			return err
		}
		return w.commit(ctx)
	})
}

// Publish flushes, then makes all changes so far visible to readers in this process
// that ask for it (reader.Index.RefreshUncommitted), until the next Publish, Commit or
// Close. Nothing becomes durable, and other processes see nothing: a crash loses what
// is not committed. The next Commit keeps what was written. Publish takes a fraction
// of the time of a Commit. Like a commit, it plans merges in the background.
func (w *Writer) Publish(ctx context.Context) error {
	ctx = orBackground(ctx)
	return w.pipe.exclusive(ctx, func() error {
		if err := w.refused(); err != nil {
			return err
		}
		if err := (flushing{w}).flush(ctx); err != nil {
			return err
		}
		m, keep, dead, err := w.manifest(ctx)
		if err != nil {
			return err
		}
		if err := w.lock.Publish(m); err != nil {
			return err
		}
		w.settle(keep, dead)
		w.changed = w.changed || len(dead) > 0
		scheduling{w}.planMerges(len(dead) > 0)
		return nil
	})
}

// manifest writes deletes and changed values, and returns the manifest of all changes so far, its segments,
// and those without live documents, which it leaves out.
func (w *Writer) manifest(ctx context.Context) (m *indexdir.Manifest, keep, dead []*liveSegment, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, nil, err
	}
	m = w.lock.Manifest()
	m.Schema, m.StoredUnknown, m.Order, m.Segments = w.opts.Schema.Clone(), false, w.order, nil
	var changed bool
	m.Meta, changed = w.meta.at(w.pipe.absorbed())
	w.changed = w.changed || changed
	for _, e := range (scheduling{w}).entries() {
		if e.stats.Deleted == e.stats.Docs {
			dead = append(dead, e.segments...)
			continue
		}
		for _, s := range e.segments {
			if s.dirty {
				if err := s.writeDeletes(w.lock); err != nil {
					return nil, nil, nil, err
				}
				w.changed = true
			}
			if s.seg != s.saved {
				if err := s.writeValues(w.lock); err != nil {
					return nil, nil, nil, err
				}
				w.changed = true
			}
			keep = append(keep, s)
			m.Segments = append(m.Segments, s.info)
		}
	}
	return m, keep, dead, nil
}

// commit writes deletes, changed values and manifest.
func (w *Writer) commit(ctx context.Context) error {
	m, keep, dead, err := w.manifest(ctx)
	if err != nil {
		return err
	}
	if !w.changed && len(dead) == 0 {
		return nil
	}
	if err := w.lock.Commit(m); err != nil {
		return err
	}
	for _, s := range keep {
		s.ours = false
	}
	w.settle(keep, dead)
	w.changed = false
	scheduling{w}.planMerges(len(dead) > 0)
	return nil
}

// settle drops the segments without live documents, of which no deletion is undone.
func (w *Writer) settle(keep, dead []*liveSegment) {
	scheduling{w}.cancelPlans(dead)
	for _, s := range dead {
		w.drop(s)
	}
	w.segments = keep
}

// Close releases the lock. Uncommitted changes are lost, and so are merges in the
// background that WaitMerges was not called for; an error of one that nothing has
// returned yet is returned. Close waits for calls in progress, which end with ErrClosed.
// Further calls return nil. A closed Writer holds almost no memory.
func (w *Writer) Close() error {
	if !w.pipe.close() {
		return nil
	}
	w.merges.running.Wait()
	w.pipe.free()
	w.acc, w.merges.plans = nil, nil
	w.closeSegments()
	err := w.lock.Close()
	return errors.Join(w.merges.unreported(), err, w.dir.Close())
}

func (w *Writer) closeSegments() {
	for _, s := range w.segments {
		s.data.Close()
	}
	w.segments = nil
}

// reporter calls Options.Progress.
type reporter struct {
	f          func(Progress)
	p          Progress
	next, step uint64
}

// progress returns a reporter of an operation on total postings.
func (w *Writer) progress(stage string, total uint64) *reporter {
	return &reporter{f: w.opts.Progress, p: Progress{Stage: stage, Total: total}, step: total/200 + 1}
}

func (r *reporter) advance(n uint64) {
	r.p.Done += n
	if r.f != nil && r.p.Done >= r.next {
		r.next = r.p.Done + r.step
		r.f(r.p)
	}
}

func (r *reporter) done() {
	if r.f != nil {
		r.f(r.p)
	}
}
