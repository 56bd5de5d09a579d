package merge

import (
	"context"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer/internal/lists"
)

// Write adds the documents and lists of all sources to b. Its memory does not
// depend on the number of postings, except that the longest lists in progress are
// in memory. It sets o.First.
func (m *Merger) Write(ctx context.Context, b *build.Builder, o lists.Options) (lists.Counts, error) {
	o.First = func() error { return m.documents(ctx, b) }
	o.Fields = m.fields
	segments := make([]*segment.Segment, len(m.sources))
	for i, src := range m.sources {
		segments[i] = src.seg
	}
	counts, err := lists.Rewrite(ctx, b, segments, o, func(enc *build.ListEncoder) func(*lists.Encoded, int, []lists.Ref) error {
		w := listWorker{fields: m.fields, sources: m.sources, enc: enc, few: make([]segment.SmallGaps, len(m.sources))}
		return w.term
	})
	if err != nil {
		return counts, err
	}
	return counts, lists.Columns(ctx, b, m.fields, segments, m.live, func(i int, s *build.ColumnSource) { s.Whole = m.sources[i].gone == nil })
}

// listWorker merges the lists of terms.
type listWorker struct {
	fields  []lists.Field // of the output
	field   int           // number in the output
	placed  bool          // the field has positions
	sources []*source
	enc     *build.ListEncoder
	list    segment.List
	rows    segment.Rows
	short   format.Postings
	few     []segment.SmallGaps // of each source
	gaps    []uint32            // of positions
}

// term adds the merged list of one term of a field to e.
func (lw *listWorker) term(e *lists.Encoded, field int, refs []lists.Ref) error {
	lw.field, lw.placed = field, lw.fields[field].Positions
	lw.gaps = lw.gaps[:0]
	if lw.isSmall(refs) {
		return lw.small(e, refs)
	}
	lw.enc.Reset()
	any := false
	for i := range refs {
		src := lw.sources[refs[i].Source]
		if err := src.seg.Lists().Init(&lw.list, refs[i].Entry); err != nil {
			return err
		}
		if err := src.check(&lw.list, lw.field); err != nil {
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
		e.AddEmpty()
		return nil
	}
	return e.Finish(lw.enc)
}

// check checks the structure of a list of s, in a field of the output.
func (s *source) check(l *segment.List, field int) error {
	if p := l.Small(); p.Len() > 0 {
		e := l.Entry()
		return s.checkFreqs(&e, field, p.Docs, p.Freqs, 0)
	}
	return check.Extent(l, s.seg.Meta().Docs)
}

// checkFreqs checks that no frequency of the short list of e exceeds its document's length.
// docs are base above the docIDs.
func (s *source) checkFreqs(e *segment.Entry, field int, docs, freqs []uint32, base uint32) error {
	lens := &s.lens[field]
	if lens.Len() == 0 {
		return nil
	}
	i := lens.Exceeded(docs, freqs, base, lens.least)
	if i < 0 {
		return nil
	}
	return s.seg.Lists().Locate(format.Corrupt("document %d has fewer tokens than %d of this term", docs[i]-base, freqs[i]), *e, format.NoBlock)
}

// smallLists is the maximum number of postings of a term whose lists are decoded
// and encoded as a whole instead of being merged part by part.
const smallLists = 127

// isSmall reports whether lists have few postings, all of them live.
func (lw *listWorker) isSmall(refs []lists.Ref) bool {
	n := uint64(0)
	for i := range refs {
		n += uint64(refs[i].Entry.DF)
		if n > smallLists || lw.sources[refs[i].Source].gone != nil {
			return false
		}
	}
	return true
}

// small adds the merged list of a term with few postings to e.
func (lw *listWorker) small(e *lists.Encoded, refs []lists.Ref) error {
	p := &lw.short
	p.Docs, p.Freqs, lw.gaps = p.Docs[:0], p.Freqs[:0], lw.gaps[:0]
	for i := range refs {
		src := lw.sources[refs[i].Source]
		n := p.Len()
		if err := src.seg.Lists().AppendSmall(p, &refs[i].Entry, src.base); err != nil {
			return err
		}
		if err := src.checkFreqs(&refs[i].Entry, lw.field, p.Docs[n:], p.Freqs[n:], src.base); err != nil {
			return err
		}
		if lw.placed {
			var err error
			if lw.gaps, err = lw.few[refs[i].Source].Append(lw.gaps, src.seg, &refs[i].Entry, p.Freqs[n:]); err != nil {
				return err
			}
		}
	}
	return e.Encode(lw.enc, *p, lw.gaps)
}

// filter appends the live postings of lw.list and reports whether there are any.
func (lw *listWorker) filter(src *source) (some bool, err error) {
	l := &lw.list
	if l.Kind == segment.KindExtent {
		if err := l.VerifyChecksum(); err != nil {
			return false, err
		}
	}
	var positions segment.Positions
	if lw.placed {
		if positions, err = l.Positions(); err != nil {
			return false, err
		}
	}
	for lw.rows.Reset(l); lw.rows.Next(); {
		if lw.placed {
			if lw.gaps, err = build.AppendGaps(lw.gaps[:0], &positions, lw.rows.Block, l.BlockLen, lw.rows.Freqs); err != nil {
				return some, err
			}
			lw.gaps = src.gone.dropGaps(lw.gaps, lw.rows.Postings)
		}
		n := src.gone.apply(lw.rows.Postings, src.base)
		if n == 0 {
			continue
		}
		some = true
		if err := lw.enc.AppendPositions(lw.rows.Slice(0, n), lw.gaps); err != nil {
			return some, err
		}
	}
	return some, lw.rows.Err()
}
