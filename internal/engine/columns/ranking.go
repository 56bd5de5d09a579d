package columns

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Ranking has the best hits of the segments that were sorted.
type Ranking struct {
	by    []SortBy
	k     int
	after *Hit // hits up to it are left out
	bound *Hit // unless nil, hits are before it
	// collapse says that of hits with the same value of a field only the best counts; the values are keywords if
	// keyword.
	collapse, keyword bool
	hits              []Hit
	ties              bool
}

// Order is how hits are ranked.
type Order struct {
	By    []SortBy
	K     int
	After *Hit // unless nil, hits up to it are left out
	Limit *Hit // unless nil, hits that do not sort before it are left out
	// Collapse says that of hits with the same value in a field, of keywords if Keyword, only the best counts.
	Collapse, Keyword bool
	// Ties says that the last of By is the order of the documents within each segment.
	Ties bool
}

// Reset makes r an empty ranking.
func (r *Ranking) Reset(o Order) {
	*r = Ranking{by: o.By, k: o.K, after: o.After, bound: o.Limit, collapse: o.Collapse, keyword: o.Keyword, ties: o.Ties, hits: r.hits[:0]}
}

// kept returns how many hits decide what others are good enough. After a hit, that is all: the best of a group may be one
// that is left out, and then the group is.
func (r *Ranking) kept() int {
	if r.collapse && r.after != nil {
		return math.MaxInt
	}
	return r.k
}

// Limit returns the hit that others must be better than, or nil. It is valid until hits are added.
func (r *Ranking) Limit() *Hit {
	if k := r.kept(); len(r.hits) >= k && (r.bound == nil || r.compare(&r.hits[k-1], r.bound) < 0) {
		return &r.hits[k-1]
	}
	return r.bound
}

func (r *Ranking) compare(a, b *Hit) int {
	for i, s := range r.by {
		if c := s.Compare(a.Keys[i], b.Keys[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Doc, b.Doc)
}

// add adds hits.
func (r *Ranking) add(hits []Hit) {
	if len(hits) == 0 {
		return
	}
	r.hits = append(r.hits, hits...)
	sort.Slice(r.hits, func(i, j int) bool { return r.compare(&r.hits[i], &r.hits[j]) < 0 })
	if r.collapse {
		seen := make(map[string]struct{}, len(r.hits))
		r.hits = slices.DeleteFunc(r.hits, func(h Hit) bool {
			if !h.grouped {
				return false
			}
			_, again := seen[h.group]
			seen[h.group] = struct{}{}
			return again
		})
	}
	if k := r.kept(); len(r.hits) > k {
		clear(r.hits[k:])
		r.hits = r.hits[:k]
	}
}

// Merge adds the hits of another Ranking in the same order, of other documents.
func (r *Ranking) Merge(o *Ranking) { r.add(o.hits) }

// Hits returns the best hits, the best first. They are valid until Reset.
func (r *Ranking) Hits() []Hit {
	hits := r.hits
	if r.collapse && r.after != nil {
		for len(hits) > 0 && r.compare(&hits[0], r.after) <= 0 {
			hits = hits[1:]
		}
	}
	return hits[:min(len(hits), r.k)]
}

// Forget drops references that a pooled Ranking must not keep alive.
func (r *Ranking) Forget() {
	clear(r.hits[:cap(r.hits)])
	*r = Ranking{hits: r.hits[:0]}
}

// Order returns the numbers of segments, of which best has the best first keys, the best first.
func (r *Ranking) Order(best []Key) []int {
	order := make([]int, len(best))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return r.by[0].Compare(best[a], best[b]) })
	return order
}
