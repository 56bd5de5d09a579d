package engine

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// DefaultFilterBytes is the default of Options.FilterBytes.
const DefaultFilterBytes = 16

// appendSets appends the documents of each segment that pass c, nil where all do.
func (r *execution) appendSets(sets []*docset.Set, c *filter.Compiled) ([]*docset.Set, error) {
	parts := r.parts()
	for p := range parts {
		docs := parts[p].Seg.Docs()
		s, err := c.Cached(trusted.Caller{}, parts[p].Views(), uint64(r.s.filterBytes)*uint64(docs))
		if err != nil {
			return nil, err
		}
		if s.Len() == docs {
			s = nil
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// resolveFilters makes sets of what matches must pass, and of the filter beside it.
func (r *execution) resolveFilters() (err error) {
	if r.Sets, err = r.appendSets(r.sets[:0], r.words.Columns); err != nil {
		return err
	}
	if r.sets = r.Sets; r.q.Filter == nil {
		return nil
	}
	for p, s := range r.Sets {
		r.Sets[p] = both(&r.parts()[p], r.q.Filter, s)
	}
	return nil
}

// both returns the documents of a segment in a set, or all of them, that a bitmap has too.
func both(p *posting.Part, all *roaring.Bitmap, s *docset.Set) *docset.Set {
	base, n := p.Seg.Base(), p.Seg.Docs()
	if s == nil {
		s = docset.Range(0, n)
	}
	lo, hi := s.Bounds()
	var docs []uint32
	if uint64(s.Len())*containsCost < all.CardinalityInRange(uint64(base)+uint64(lo), uint64(base)+uint64(hi)) {
		for _, doc := range s.AppendDocs(nil, lo, hi) {
			if all.Contains(base + doc) {
				docs = append(docs, doc)
			}
		}
		return docset.FromDocs(docs)
	}
	it := all.Iterator()
	for it.AdvanceIfNeeded(base + lo); it.HasNext() && it.PeekNext()-base < hi; {
		docs = append(docs, it.Next()-base)
	}
	return docset.FromDocs(s.Keep(docs, false))
}

// containsCost is how many documents of a bitmap can be read in the time that looking up one takes.
const containsCost = 8

// resolveSets makes sets of documents of the filters in a tree.
func (r *execution) resolveSets(e *algorithm.Expr) (err error) {
	if e.Columns != nil {
		if e.Sets, err = r.appendSets(nil, e.Columns); err != nil {
			return err
		}
	}
	for i := range e.Kids {
		if err := r.resolveSets(&e.Kids[i]); err != nil {
			return err
		}
	}
	return nil
}
