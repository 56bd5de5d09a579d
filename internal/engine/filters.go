package engine

import (
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/filter"
)

// DefaultFilterBytes is the default of Options.FilterBytes.
const DefaultFilterBytes = 16

// appendSets appends the documents of each segment that pass c, nil where all do.
func (r resolving) appendSets(sets []*docset.Set, c *filter.Compiled) ([]*docset.Set, error) {
	parts := r.parts()
	for p := range parts {
		docs := parts[p].Seg.Docs()
		s, err := c.Cached(parts[p].Views(), uint64(r.s.filterBytes)*uint64(docs))
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

// appendParts appends what each segment has of a set, nil where that is all documents.
func (r resolving) appendParts(sets []*docset.Set, g *docset.Global) []*docset.Set {
	parts := r.parts()
	for p := range parts {
		s := g.In(parts[p].Seg.Base(), parts[p].Seg.Docs())
		if s.Len() == parts[p].Seg.Docs() {
			s = nil
		}
		sets = append(sets, s)
	}
	return sets
}

// resolveFilters makes sets of what matches must pass.
func (r resolving) resolveFilters() (err error) {
	switch r.Sets = r.sets[:0]; {
	case r.words.Columns == nil:
		r.Sets = r.appendParts(r.Sets, r.q.Filter)
	default:
		if r.Sets, err = r.appendSets(r.Sets, r.words.Columns); err != nil {
			return err
		}
		if r.q.Filter == nil {
			break
		}
		for p, s := range r.Sets {
			seg := r.parts()[p].Seg
			if of := r.q.Filter.In(seg.Base(), seg.Docs()); s == nil {
				r.Sets[p] = of
			} else {
				r.Sets[p] = docset.And(of, s)
			}
		}
	}
	r.sets = r.Sets
	return nil
}

// resolveSets makes sets of documents of the filters in a tree.
func (r resolving) resolveSets(e *algorithm.Expr) (err error) {
	switch {
	case e.Op == algorithm.OpSet && e.Columns == nil:
		e.Sets = r.appendParts(nil, e.Set)
	case e.Columns != nil:
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
