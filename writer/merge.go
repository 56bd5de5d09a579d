package writer

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer/internal/lists"
	"github.com/pinion-index/pinion/writer/internal/merge"
)

// MergeStats are statistics of a merge.
type MergeStats struct {
	Sources  int    // segments merged
	Outputs  int    // segments that replaced them
	Docs     uint64 // documents in the outputs
	Purged   uint64 // deleted documents that the outputs no longer hold
	Postings uint64 // in the outputs
	Copied   uint64 // blocks that were copied without decoding them
	Encoded  uint64 // postings that were encoded again
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

// sources returns segments as sources of a merge.
func sources(segments []*liveSegment) []merge.Source {
	out := make([]merge.Source, len(segments))
	for i, s := range segments {
		out[i] = merge.Source{Segment: s.seg, Deletes: s.deletes}
	}
	return out
}

// checkAnalyzer returns ErrAnalyzer unless s was made with the Writer's analyzer.
func (w *Writer) checkAnalyzer(s *liveSegment) error {
	meta, a := s.seg.Meta(), w.opts.Analyzer
	if meta.Analyzer == a.Name() && meta.AnalyzerOptions == a.Options() {
		return nil
	}
	return fmt.Errorf("%w: segment %s was made with %s(%s), the index has %s(%s)",
		ErrAnalyzer, s.seg.Name(), meta.Analyzer, meta.AnalyzerOptions, a.Name(), a.Options())
}

// merge writes the live documents of segments, in their order, as one segment.
func (w *Writer) merge(ctx context.Context, segments []*liveSegment) (_ *liveSegment, stats MergeStats, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	for _, s := range segments {
		if err := w.checkAnalyzer(s); err != nil {
			return nil, stats, err
		}
	}
	m, err := merge.New(sources(segments))
	if err != nil {
		return nil, stats, err
	}
	for _, s := range segments {
		if err := merge.CheckSums(ctx, s.seg); err != nil {
			return nil, stats, err
		}
	}
	options, err := m.Options()
	if err != nil {
		return nil, stats, err
	}
	out, err := w.create(options)
	if err != nil {
		return nil, stats, err
	}
	defer out.discardUnlessDone()
	progress := w.progress("merge", m.Postings())
	counts, err := m.Write(ctx, out.builder, lists.Options{
		Threads: w.opts.Threads, Ahead: w.opts.mergeJobs(), Progress: progress.add,
	})
	progress.done()
	if err != nil {
		return nil, stats, err
	}
	s, err := out.finish()
	if err != nil {
		return nil, stats, err
	}
	return s, MergeStats{
		Sources: len(segments), Outputs: 1, Docs: uint64(s.info.Docs), Purged: m.Purged(), Postings: s.info.Postings,
		Copied: counts.Copied, Encoded: counts.Encoded,
	}, nil
}
