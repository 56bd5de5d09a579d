package writer

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer/internal/reorder"
)

// liveSegment is a segment that the next commit will hold.
type liveSegment struct {
	info    indexdir.SegmentInfo
	data    store.Data
	seg     *segment.Segment // with the values that were changed in place
	saved   *segment.Segment // seg as info names it: with those that info.ValuesFile has
	deletes *docset.Bits     // nil: none
	dirty   bool             // deletes have changed since info.DeletesFile was written
	ours    bool             // no commit names the file yet
	foreign *schema.Schema   // of the other index that s is of, if that has one
	moves   reorder.Moves    // where a merge that made s put documents; nil: one input after the other

	plan    *plan // the last plan to merge it, or nil
	users   int   // merges in the background that read it
	dropped bool  // by drop, while it had users
	damaged bool  // a merge refused it; no plan takes it
}

func (s *liveSegment) deleted() uint32 { return s.deletes.Len() }

// isWhole reports whether the file has all that s is: nothing is deleted, and no value was changed in place.
func (s *liveSegment) isWhole() (bool, error) {
	c, err := s.seg.Changes()
	return err == nil && c == nil && s.deleted() == 0, err
}

// deletedTokens returns the number of tokens of the documents deleted at the last commit, in all
// fields that have lengths.
func (s *liveSegment) deletedTokens() uint64 {
	n := s.info.DeletedTokens
	for _, f := range s.info.Fields {
		n += f.DeletedTokens
	}
	return n
}

func (s *liveSegment) delete(doc uint32) {
	if s.deletes == nil {
		s.deletes = &docset.Bits{}
	}
	if s.deletes.Add(doc) {
		s.dirty = true
	}
}

// openSegment opens segment i of m, with its deletes.
func openSegment(l *indexdir.Lock, m *indexdir.Manifest, i int) (*liveSegment, error) {
	seg, data, err := l.OpenSegment(m, i)
	if err != nil {
		return nil, err
	}
	s := &liveSegment{info: m.Segments[i], data: data, seg: seg, saved: seg}
	if s.deletes, err = readDeletes(l.Dir(), &s.info); err != nil {
		data.Close()
		return nil, err
	}
	return s, nil
}

// readDeletes returns the deletes that a commit holds of a segment, nil if there are none.
func readDeletes(dir *indexdir.Dir, info *indexdir.SegmentInfo) (deletes *docset.Bits, err error) {
	if info.DeletesFile == 0 {
		return nil, nil
	}
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	name := indexdir.DeletesName(info.DeletesFile)
	data, err := dir.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	return indexdir.ReadDeletes(name, data, info)
}

// writeDeletes writes a deletes file and makes it the one of s.info.
func (s *liveSegment) writeDeletes(l *indexdir.Lock) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	info := s.info
	if err := info.CountDeleted(s.seg, s.deletes.Words()); err != nil {
		return err
	}
	if err := l.WriteDeletes(&info, s.deletes); err != nil {
		return err
	}
	s.info = info
	s.dirty = false
	return nil
}

// output is a segment being written.
type output struct {
	lock    *indexdir.Lock
	num     uint64
	file    store.File
	builder *build.Builder
	spool   *build.Spool
	schema  *schema.Schema // that it is written in
	done    bool
}

// share is what an operation may use.
type share struct {
	opts   *Options              // with its part of memory and threads
	schema *schema.Schema        // of the index and
	order  indexdir.Order        // of documents, when it begins
	wait   func(bytes int) error // called before bytes are written; it may refuse
}

// share returns everything, until ctx ends.
func (w *Writer) share(ctx context.Context) share {
	return share{&w.opts, w.opts.Schema, w.order, func(int) error { return ctx.Err() }}
}

// waitingFile calls wait before each write.
type waitingFile struct {
	store.File
	wait func(bytes int) error
}

func (f waitingFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.wait(len(p)); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

// create begins a segment. It sets the analyzer, the codecs and the temporary
// files.
func (w *Writer) create(o build.Options, of share) (*output, error) {
	num, file, err := w.lock.CreateSegment()
	if err != nil {
		return nil, err
	}
	out := &output{lock: w.lock, num: num, file: waitingFile{file, of.wait}, schema: of.schema}
	out.spool = build.NewSpool(func() (build.TempFile, error) { return w.lock.CreateTemp() })
	o.DocsCodec, o.FreqsCodec = w.opts.docs, w.opts.freqs
	o.Choose, o.Spool, o.SpoolMemory = w.opts.choose, out.spool, of.opts.spoolBytes()
	o.TailMemory = of.opts.tailBytes()
	fw := format.NewFileWriter(out.file, format.KindSegment, indexdir.NewID())
	if out.builder, err = build.New(fw, o); err != nil {
		out.discardUnlessDone()
		return nil, err
	}
	return out, nil
}

// syncBytes is the size up to which the commit syncs a segment, with all others at
// once.
const syncBytes = 1 << 20

// finish completes the file and opens it.
func (out *output) finish() (*liveSegment, error) {
	h, err := out.builder.Finish()
	if err != nil {
		return nil, err
	}
	if h.FileLen > syncBytes {
		if err := out.file.Sync(); err != nil {
			return nil, err
		}
	}
	if err := out.file.Close(); err != nil {
		return nil, err
	}
	m := out.builder.Meta()
	s, err := openSegment(out.lock, &indexdir.Manifest{
		Schema: out.schema,
		Segments: []indexdir.SegmentInfo{{File: out.num, ID: h.ID, FileLen: h.FileLen, Tail: h.Tail(), Docs: m.Docs, Postings: m.Postings, Tokens: m.Tokens,
			Fields: indexdir.StatsOf(out.builder.Fields())}},
	}, 0)
	if err != nil {
		return nil, fmt.Errorf("reading back what was written: %w", err)
	}
	s.ours = true
	out.done = true
	return s, nil
}

// discardUnlessDone removes a file that was not finished. It removes temporary
// files in any case.
func (out *output) discardUnlessDone() {
	out.spool.Close() // best effort: the next writer sweeps
	if !out.done {
		out.lock.Discard(out.num) // best effort: the next writer sweeps
	}
}

// drop closes the segment's file and, if no commit names it, removes it, as soon as no
// merge reads it.
func (w *Writer) drop(s *liveSegment) {
	if s.dropped = s.users > 0; s.dropped {
		return
	}
	s.data.Close()
	if s.ours {
		w.lock.Discard(s.info.File)
	}
}

// release ends a merge's use of s.
func (w *Writer) release(s *liveSegment) {
	if s.users--; s.dropped {
		w.drop(s)
	}
}
