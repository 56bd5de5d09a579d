package writer

import (
	"context"
	"slices"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer/internal/merge"
	"github.com/pinion-index/pinion/writer/internal/reorder"
)

// plan is a merge that was decided on after a commit and will be done in the background.
// What it gives is fixed from then on. Its segments may be those that an earlier plan
// merges; when that is done, its result takes their place.
type plan struct {
	segments []*liveSegment     // adjacent ones of Writer.segments
	purge    []purge            // for each segment
	read     []read             // for each segment, once the merge has begun
	cancel   context.CancelFunc // nil until the merge begins
	moves    reorder.Moves      // once it is done: as liveSegment.moves
}

// purge is what a merge leaves out of a segment: the documents that were deleted when it
// was planned.
type purge struct {
	docs   *docset.Bits // nil: none; not modified
	tokens uint64
}

// read is a segment as a merge reads it: with the values that files have.
type read struct {
	seg    *segment.Segment
	values uint64 // the file of those that were changed in place, or 0
}

func (p purge) count() uint64 { return uint64(p.docs.Len()) }

// sources returns the sources of the merge.
func (p *plan) sources() []merge.Source {
	out := make([]merge.Source, len(p.segments))
	for i, s := range p.segments {
		out[i] = merge.Source{Segment: s.seg, Deletes: p.purge[i].docs}
	}
	return out
}

// remap returns documents of the segments, one bitmap or nil for each, by their docIDs in
// the merged segment.
func (p *plan) remap(docs []*docset.Bits) *docset.Bits {
	if p.moves != nil {
		return p.moves.Remap(docs)
	}
	return merge.Remap(p.sources(), docs)
}

// size returns the number of tokens and documents that the merge reads.
func (p *plan) size() (n uint64) {
	for _, s := range p.segments {
		n += s.info.Tokens + uint64(s.info.Docs)
	}
	return n
}

// entry is a segment as policies see it: one that exists, or that a plan will make.
type entry struct {
	segments []*liveSegment
	stats    SegmentStats
}

// entries returns the segments as if all plans were done. Documents deleted since the last
// commit count as deleted, but not yet their tokens.
func (w scheduling) entries() (out []entry) {
	for at := 0; at < len(w.segments); {
		e := entry{segments: w.segments[at : at+1]}
		purges := []purge{{}}
		if p := w.segments[at].plan; p != nil {
			e.segments, purges = w.segments[at:at+len(p.segments)], p.purge
		}
		for i, s := range e.segments {
			gone := purges[i]
			e.stats.Docs += uint64(s.info.Docs) - gone.count()
			e.stats.Deleted += uint64(s.deleted()) - gone.count()
			e.stats.Tokens += s.info.Tokens - gone.tokens
			e.stats.DeletedTokens += s.deletedTokens() - gone.tokens
		}
		at += len(e.segments)
		out = append(out, e)
	}
	return out
}

// addPlan plans the merge of adjacent entries.
func (w scheduling) addPlan(entries []entry) {
	p := &plan{}
	for _, e := range entries {
		for _, s := range e.segments {
			gone := purge{tokens: s.deletedTokens()}
			if s.deleted() > 0 {
				gone.docs = s.deletes.Clone()
			}
			p.segments, p.purge = append(p.segments, s), append(p.purge, gone)
			s.plan = p
		}
	}
	w.merges.plans = append(w.merges.plans, p)
}

// cancelPlans gives up the plans that merge any of segments.
func (w scheduling) cancelPlans(segments []*liveSegment) {
	m := &w.merges
	m.plans = slices.DeleteFunc(m.plans, func(p *plan) bool {
		hit := slices.ContainsFunc(p.segments, func(s *liveSegment) bool { return slices.Contains(segments, s) })
		if hit && p.cancel != nil {
			p.cancel()
		}
		return hit
	})
	w.linkPlans()
}

// linkPlans sets the plan of every segment.
func (w scheduling) linkPlans() {
	for _, s := range w.segments {
		s.plan = nil
	}
	for _, p := range w.merges.plans { // a later one merges the result of an earlier one
		for _, s := range p.segments {
			s.plan = p
		}
	}
}

// donePlan removes p, whose result is merged, and puts merged in the place of its
// segments, also in other plans. It returns the segments.
func (w scheduling) donePlan(p *plan, merged *liveSegment) []*liveSegment {
	m := &w.merges
	m.plans = slices.DeleteFunc(m.plans, func(q *plan) bool { return q == p })
	for _, q := range m.plans {
		at := slices.Index(q.segments, p.segments[0])
		if at < 0 {
			continue
		}
		var gone purge
		docs := make([]*docset.Bits, len(p.segments))
		for i := range docs {
			docs[i] = q.purge[at+i].docs
			gone.tokens += q.purge[at+i].tokens - p.purge[i].tokens
		}
		if gone.docs = p.remap(docs); gone.docs.Len() == 0 {
			gone.docs = nil
		}
		q.segments = slices.Replace(q.segments, at, at+len(docs), merged)
		q.purge = slices.Replace(q.purge, at, at+len(docs), gone)
	}
	at := slices.Index(w.segments, p.segments[0])
	w.segments = slices.Replace(w.segments, at, at+len(p.segments), merged)
	w.linkPlans()
	return p.segments
}
