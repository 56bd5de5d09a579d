package writer

import (
	"context"
	"fmt"
	"io"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
	"github.com/pinion-index/pinion/store"
)

// MergeStats says what a merge did.
type MergeStats struct {
	Sources  int    // segments that were read
	Outputs  int    // segments that replace them
	Docs     uint64 // documents in the outputs
	Purged   uint64 // deleted documents that the outputs no longer hold
	Postings uint64 // in the outputs
	Copied   uint64 // blocks that were copied without decoding them
	Encoded  uint64 // postings that were encoded anew
}

func (s *MergeStats) add(t MergeStats) {
	s.Sources += t.Sources
	s.Outputs += t.Outputs
	s.Docs += t.Docs
	s.Purged += t.Purged
	s.Postings += t.Postings
	s.Copied += t.Copied
	s.Encoded += t.Encoded
}

// merger writes one segment from several, a term at a time. What it holds in
// memory does not depend on how many postings there are, except that the longest
// lists under way are in memory.
type merger struct {
	w       *Writer
	sources []*mergeSource
	docs    uint32
	stored  bool
	foreign bool
	total   uint64
}

// mergeSource is one segment to be merged. Its live documents follow those of the
// sources before it.
type mergeSource struct {
	seg  *segment.Segment
	base uint32       // docID that its first live document gets
	gone *renumbering // nil: no document is deleted
	live uint32
}

func newMergeSource(s *liveSegment, base uint32) *mergeSource {
	docs := s.seg.Meta().Docs
	src := &mergeSource{seg: s.seg, base: base, live: docs - s.deleted()}
	if src.live < docs {
		src.gone = newRenumbering(s.deletes, docs)
	}
	return src
}

func newMerger(w *Writer, segments []*liveSegment) (*merger, error) {
	m := &merger{w: w}
	docs := uint64(0)
	for _, s := range segments {
		meta := s.seg.Meta()
		if meta.Analyzer != w.opts.Analyzer.Name() || meta.AnalyzerOptions != w.opts.Analyzer.Options() {
			return nil, fmt.Errorf("%w: segment %s was made with %s(%s), the index has %s(%s)",
				ErrAnalyzer, s.seg.Name(), meta.Analyzer, meta.AnalyzerOptions, w.opts.Analyzer.Name(), w.opts.Analyzer.Options())
		}
		src := newMergeSource(s, uint32(docs))
		docs += uint64(src.live)
		if docs > segment.MaxDocs {
			return nil, fmt.Errorf("writer: a merged segment would have more than %d documents", segment.MaxDocs)
		}
		m.stored = m.stored || meta.Stored
		m.foreign = m.foreign || meta.ForeignLengths
		m.total += meta.Postings
		m.sources = append(m.sources, src)
	}
	m.docs = uint32(docs)
	return m, nil
}

// merge writes the live documents of segments, in their order, as one segment.
func (w *Writer) merge(ctx context.Context, segments []*liveSegment) (_ *liveSegment, stats MergeStats, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	m, err := newMerger(w, segments)
	if err != nil {
		return nil, stats, err
	}
	for _, s := range segments {
		if err := s.checkSums(ctx); err != nil {
			return nil, stats, err
		}
	}
	lengths, err := m.lengths()
	if err != nil {
		return nil, stats, err
	}
	hashes := &hashMerger{sources: m.sources}
	out, err := w.create(build.Options{
		Docs: m.docs, Lengths: lengths, Stored: m.stored, ForeignLengths: m.foreign, IDHashes: hashes.all,
	})
	if err != nil {
		return nil, stats, err
	}
	defer out.discardUnlessDone()
	if err := m.lists(ctx, out.builder, &stats); err != nil {
		return nil, stats, err
	}
	s, err := out.finish()
	if err != nil {
		return nil, stats, err
	}
	stats.Sources, stats.Outputs = len(segments), 1
	stats.Docs, stats.Postings = uint64(m.docs), s.info.Postings
	for _, src := range m.sources {
		stats.Purged += uint64(src.seg.Meta().Docs - src.live)
	}
	return s, stats, nil
}

// lists merges all lists and, meanwhile, copies the documents.
func (m *merger) lists(ctx context.Context, b *build.Builder, stats *MergeStats) error {
	threads := m.w.opts.Threads
	ahead := m.w.opts.mergeJobs()
	free := make(chan *mergeJob, ahead+2)
	progress := m.w.progress("merge", m.total)
	documentsDone := false
	documents := func() error { // while the first lists are being encoded
		documentsDone = true
		return m.documents(ctx, b)
	}
	err := ordered(ctx, threads, ahead,
		func(ctx context.Context, yield func(*mergeJob) bool) error { return m.terms(free, yield) },
		func() func(context.Context, *mergeJob) (*mergeJob, error) {
			lw := listWorker{sources: m.sources, enc: b.NewListEncoder()}
			return lw.job
		},
		func(j *mergeJob) error {
			if !documentsDone {
				if err := documents(); err != nil {
					return err
				}
			}
			if err := j.appendTo(b); err != nil {
				return err
			}
			stats.Copied += j.counts.Copied
			stats.Encoded += j.counts.Encoded
			progress.add(j.postings)
			select {
			case free <- j:
			default:
			}
			return nil
		})
	if err == nil && !documentsDone {
		err = documents()
	}
	progress.done()
	return err
}

// listWorker merges the lists of terms.
type listWorker struct {
	sources     []*mergeSource
	enc         *build.ListEncoder
	list        segment.List
	rows        segment.Rows
	docs, freqs []uint32 // of short lists
}

func (lw *listWorker) job(ctx context.Context, j *mergeJob) (_ *mergeJob, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	copied, encoded := lw.enc.CopiedBlocks(), lw.enc.EncodedPostings()
	from, listFrom := 0, 0
	for i, to := range j.ends {
		if err := lw.term(&j.result, j.lists[listFrom:j.listEnds[i]]); err != nil {
			return nil, format.Locate(err, format.Place{List: string(j.terms[from:to]), Block: format.NoBlock})
		}
		from, listFrom = to, j.listEnds[i]
	}
	j.counts = MergeStats{Copied: lw.enc.CopiedBlocks() - copied, Encoded: lw.enc.EncodedPostings() - encoded}
	return j, ctx.Err()
}

// term appends the merged list of one term to e.
func (lw *listWorker) term(e *encoded, lists []listRef) error {
	if lw.isSmall(lists) {
		return lw.small(e, lists)
	}
	lw.enc.Reset()
	any := false
	for i := range lists {
		src := lw.sources[lists[i].source]
		if err := src.seg.InitList(&lw.list, lists[i].entry); err != nil {
			return err
		}
		if src.gone == nil {
			any = true
			if err := lw.enc.AppendList(&lw.list, src.base); err != nil {
				return err
			}
			continue
		}
		some, err := lw.filter(src)
		if err != nil {
			return err
		}
		any = any || some
	}
	if !any {
		e.add(build.EncodedList{})
		return nil
	}
	l, buf, err := lw.enc.Finish(e.buf)
	e.buf = buf
	e.add(l)
	return err
}

// smallLists is the most postings of a term whose lists are not merged part by
// part but decoded and encoded as a whole.
const smallLists = 127

// isSmall reports whether lists have few postings, all of them live.
func (lw *listWorker) isSmall(lists []listRef) bool {
	n := uint64(0)
	for i := range lists {
		n += uint64(lists[i].entry.DF)
		if n > smallLists || lw.sources[lists[i].source].gone != nil {
			return false
		}
	}
	return true
}

// small appends the merged list of a term with few postings to e.
func (lw *listWorker) small(e *encoded, lists []listRef) (err error) {
	docs, freqs := lw.docs[:0], lw.freqs[:0]
	for i := range lists {
		src := lw.sources[lists[i].source]
		if docs, freqs, err = src.seg.AppendSmall(docs, freqs, &lists[i].entry, src.base); err != nil {
			return err
		}
	}
	lw.docs, lw.freqs = docs, freqs
	l, buf, err := lw.enc.Encode(e.buf, docs, freqs)
	e.buf = buf
	e.add(l)
	return err
}

// filter appends the postings of lw.list that live and reports whether there are any.
func (lw *listWorker) filter(src *mergeSource) (some bool, err error) {
	l := &lw.list
	if l.Kind == segment.KindExtent {
		if err := l.VerifyChecksum(); err != nil {
			return false, err
		}
	}
	for lw.rows.Reset(l); lw.rows.Next(); {
		docs, freqs := lw.rows.Docs, lw.rows.Freqs
		n := src.gone.apply(docs, freqs, src.base)
		if n == 0 {
			continue
		}
		some = true
		if err := lw.enc.AppendPostings(docs[:n], freqs[:n]); err != nil {
			return some, err
		}
	}
	return some, lw.rows.Err()
}

// tempStream makes a store.Temp what the Builder asks for: reads and writes go on from
// the same place, which Seek sets.
type tempStream struct {
	temp store.Temp
	at   int64
}

func (t *tempStream) Write(p []byte) (int, error) {
	n, err := t.temp.WriteAt(p, t.at)
	t.at += int64(n)
	return n, err
}

func (t *tempStream) Read(p []byte) (int, error) {
	n, err := t.temp.ReadAt(p, t.at)
	t.at += int64(n)
	return n, err
}

func (t *tempStream) Seek(off int64, whence int) (int64, error) {
	if whence != io.SeekStart {
		return 0, fmt.Errorf("writer: seek from %d is not supported", whence)
	}
	t.at = off
	return off, nil
}
