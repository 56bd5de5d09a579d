package engine

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// counting is a search that counts matches.
type counting struct{ *execution }

// countable returns an error if the total is wanted of a query that has no set of matches.
func (r counting) countable() error {
	if r.q.Total && r.q.Mode == AndOr {
		return fmt.Errorf("%w: a mode without a set of matches that does not depend on K", ErrInvalid)
	}
	return nil
}

// totalWith returns the number of documents that match the query. Hits that are fewer than there may be at
// most are all that match.
func (r counting) totalWith(hits, most int) (uint64, error) {
	switch {
	case r.q.Columns != nil && !r.columnar.plan.onlyStatic():
	case r.q.K > 0 && r.q.After == nil && hits < most:
		return uint64(hits), nil
	}
	return r.count()
}

// count returns the number of documents that match the query, whose terms are resolved.
func (r counting) count() (n uint64, err error) {
	for p := range r.s.parts {
		m := r.matches(p, true)
		if m == nil {
			if r.Err != nil {
				return 0, r.Err
			}
			continue
		}
		for n += m.Known; m.Next(); {
			n += m.Count()
		}
		if r.Settle(); r.Err != nil {
			return 0, r.Err
		}
	}
	return n, nil
}

// matches makes segment p the current one and returns a Matcher of its documents, or nil if none match. If they are only
// counted, some may be known.
func (r counting) matches(p int, counted bool) *algorithm.Matcher {
	return r.matchesIn(p, counted, 0, posting.End)
}

// matchesIn is matches for the documents from lo up to hi.
func (r counting) matchesIn(p int, counted bool, lo, hi uint32) *algorithm.Matcher {
	if w := r.resolved(); w.Tree != nil {
		return r.matchesOf(p, w, w.Tree, lo, hi)
	}
	conjunctive := r.q.Mode == And
	if conjunctive && resolving(r).unknown() || !r.enter(p, conjunctive) || !r.only(lo, hi) {
		return nil
	}
	for _, l := range r.Lists {
		l.Live = r.terms[l.Term].Kept.entries[p].Live
	}
	return r.Matcher(conjunctive, counted)
}

// only leaves out the documents of the current segment before lo and from hi on. It returns false if none are left.
func (r counting) only(lo, hi uint32) bool {
	return lo == 0 && hi == posting.End || r.Within(lo, hi)
}

// resolved returns the words of the query.
func (r counting) resolved() *Words {
	if r.lead != nil {
		return &r.lead.words
	}
	return &r.words
}

// matchesOf is matchesIn for a tree over words, or a part of it.
func (r counting) matchesOf(p int, w *Words, tree *algorithm.Expr, lo, hi uint32) *algorithm.Matcher {
	r.byWord = slices.Grow(r.byWord[:0], len(w.Words))[:len(w.Words)]
	clear(r.byWord)
	if !r.Run.Enter(p, &r.parts()[p]) || !r.only(lo, hi) {
		return nil
	}
	for i := range r.terms {
		x := &r.terms[i]
		if e := &x.Kept.entries[p]; e.DF > 0 {
			r.Add(e.Entry, e.Reach, x.Field, i, x.Weight)
			r.byWord[x.Group-1] = r.Lists[len(r.Lists)-1]
		}
	}
	return r.TreeMatcher(tree, r.byWord)
}
