package writer

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/schema"
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
	// Reordered is the number of documents in outputs that are in another order.
	Reordered uint64
}

func (s *MergeStats) add(t MergeStats) {
	s.Sources += t.Sources
	s.Outputs += t.Outputs
	s.Docs += t.Docs
	s.Purged += t.Purged
	s.Postings += t.Postings
	s.Copied += t.Copied
	s.Encoded += t.Encoded
	s.Reordered += t.Reordered
}

// sources returns segments as sources of a merge.
func sources(segments []*liveSegment) []merge.Source {
	out := make([]merge.Source, len(segments))
	for i, s := range segments {
		out[i] = merge.Source{Segment: s.seg, Deletes: s.deletes, Schema: s.foreign}
	}
	return out
}

// checkAnalyzer returns ErrAnalyzer unless s was made with the analyzer that segments of a schema name. With one that has names for
// fields, Adopt has compared that of a segment without.
func checkAnalyzer(in *schema.Schema, s *liveSegment) error {
	meta := s.seg.Meta()
	if meta.Fields == 0 && !in.IsImplicit() {
		return nil
	}
	name, options := analyzerIn(in)
	return sameAnalyzer("segment "+s.seg.Name(), meta.Analyzer, meta.AnalyzerOptions, name, options)
}

// merge writes the live documents of segments, in their order, as one segment.
func (w merging) merge(ctx context.Context, segments []*liveSegment, of share) (merged *liveSegment, stats MergeStats, err error) {
	merged, err = w.verified(ctx, segments, check.Lengths, of, func(ctx context.Context) (*liveSegment, error) {
		s, st, err := w.writeMerged(ctx, segments, of)
		stats = st
		return s, err
	})
	return merged, stats, err
}

// verified calls f, which makes a segment from others and finds damage in their lists. It
// checks the inputs' checksums and the given parts of their structure meanwhile, on up to
// of.opts.Threads goroutines, and then all of the result's. If there is a fault, it drops the
// result and returns the error; if the fault is that of an input, it checks all of them to
// name it.
func (w merging) verified(ctx context.Context, inputs []*liveSegment, parts check.Parts, of share, f func(context.Context) (*liveSegment, error)) (_ *liveSegment, err error) {
	for _, s := range inputs {
		if err := checkAnalyzer(of.schema, s); err != nil {
			return nil, err
		}
	}
	o := check.Options{Level: check.Structure, Parts: parts, Threads: of.opts.Threads, Guard: indexdir.Guard}
	during, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	defer func() { // f may panic: nothing reads the inputs when they are closed
		cancel(nil)
		<-done
	}()
	go func() {
		defer close(done)
		if err := verify(during, o, inputs...); err != nil {
			cancel(err)
		}
	}()
	s, err := f(during)
	if err != nil && during.Err() == nil {
		cancel(err)
	}
	<-done
	err = cmp.Or(context.Cause(during), err)
	blame := errors.As(err, new(*codec.EncodeError)) || errors.Is(err, lists.ErrTokens) // in postings
	if err == nil {
		o.Parts = 0 // all
		if err = verify(ctx, o, s); err == nil {
			return s, nil
		}
		err = fmt.Errorf("checking what was written: %w", err)
		blame = errors.Is(err, format.ErrCorrupt)
	}
	if blame {
		o.Level, o.Parts = check.Postings, 0
		fault := verify(ctx, o, inputs...)
		for i := 0; fault == nil && i < len(inputs); i++ {
			fault = checkSums(inputs[i].seg)
		}
		err = cmp.Or(fault, err)
	}
	if s != nil {
		w.drop(s)
	}
	return nil, err
}

// verify checks segments.
func verify(ctx context.Context, o check.Options, segments ...*liveSegment) error {
	for _, s := range segments {
		if err := check.Segment(ctx, s.seg, o); err != nil {
			return err
		}
	}
	return nil
}

func (w merging) writeMerged(ctx context.Context, segments []*liveSegment, of share) (_ *liveSegment, stats MergeStats, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if of.order.Field != 0 {
		at, err := inOrder(ctx, segments, of.order)
		if err != nil {
			return nil, stats, err
		}
		if at != nil {
			return ordering(w).writeReordered(ctx, segments, at, of, "merge")
		}
	}
	m, err := merge.New(sources(segments), of.schema)
	if err != nil {
		return nil, stats, err
	}
	options, err := m.Options()
	if err != nil {
		return nil, stats, err
	}
	out, err := w.create(options, of)
	if err != nil {
		return nil, stats, err
	}
	defer out.discardUnlessDone()
	progress := w.progress("merge", m.Postings())
	counts, err := m.Write(ctx, out.builder, lists.Options{
		Threads: of.opts.Threads, Ahead: of.opts.mergeJobs(), Progress: progress.advance,
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
