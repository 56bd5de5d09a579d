package engine

import (
	"slices"
	"sort"

	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query/internal/engine/columns"
	"github.com/pinion-index/pinion/query/internal/engine/topk"
)

// How many times as many hits as groups are wanted are found at first, and how many times as many as before each time
// they have too few groups.
const (
	hitsPerGroup = 4
	moreHits     = 4
)

// groups are the best hits of groups, and those that were seen of hits so far. They go through the hits, the best first,
// a page at a time.
type groups struct {
	k     int
	after uint64 // keys of hits are below it
	best  []uint64
	seen  map[string]struct{}
	gone  int    // hits so far
	next  uint64 // keys of the next page are below it
}

// collapse finds the best hit of each group, for the best groups.
func (r *execution) collapse() error {
	r.beginGroups()
	for more := true; more; {
		r.Below(r.columnar.groups.next)
		r.Top.Heap = r.Top.Heap[:0]
		err := r.passes()
		if err != nil {
			return err
		}
		r.Top.Trim()
		if more, err = r.group(r.Top.Heap, r.Top.K); err != nil {
			return err
		}
	}
	r.Top.Heap = append(r.Top.Heap[:0], r.columnar.groups.best...)
	return nil
}

// beginGroups begins with the first page: r.q.K is its size.
func (r *execution) beginGroups() {
	r.columnar.groups = groups{k: r.q.K, after: r.q.after(), seen: map[string]struct{}{}, next: algorithm.NoHit}
	r.q.K = hitsPerGroup * min(r.q.K, int(max(r.s.docs, 1)))
}

// group goes through a page of at most that many hits, of which it has the keys. It reports whether it needs another one.
func (r *execution) group(keys []uint64, most int) (more bool, err error) {
	g := &r.columnar.groups
	slices.Sort(keys)
	for i := len(keys) - 1; i >= 0 && len(g.best) < g.k; i-- {
		again, err := r.grouped(topk.KeyHit(keys[i]).Doc, g.seen)
		if err != nil {
			return false, err
		}
		if !again && keys[i] < g.after {
			g.best = append(g.best, keys[i])
		}
	}
	if len(g.best) == g.k || len(keys) < most {
		return false, nil
	}
	g.next = keys[0]
	g.gone += len(keys)
	r.q.K = min(moreHits*r.q.K, int(max(r.s.docs, 1)))
	all, err := r.allGroups(g.gone)
	return len(g.seen) != all, err
}

// allGroups returns how many groups there are at most, by the keywords of the segments, if these are at most some;
// otherwise -1.
func (r *execution) allGroups(most int) (int, error) {
	f := r.columnar.plan.Collapse
	var of []columns.Column
	for p := range r.s.parts {
		c, err := r.column(p, f)
		if err != nil {
			return 0, err
		}
		if c == nil || !f.Keyword || c.Info().Docs < uint64(r.parts()[p].Seg.Docs()) {
			return -1, nil
		}
		if most -= int(c.Info().Keywords); most < 0 {
			return -1, nil
		}
		of = append(of, c)
	}
	all := map[string]struct{}{}
	var name []byte
	for _, c := range of {
		for i := range c.Info().Keywords {
			var err error
			if name, err = c.Keyword(name[:0], int64(i)); err != nil {
				return 0, err
			}
			all[string(name)] = struct{}{}
		}
	}
	return len(all), nil
}

// grouped reports whether a hit is of a group that was seen, and makes its group one. A document without a value is
// alone.
func (r *execution) grouped(doc uint32, seen map[string]struct{}) (again bool, err error) {
	parts, f := r.parts(), r.columnar.plan.Collapse
	p := sort.Search(len(parts), func(i int) bool { return parts[i].Seg.Base() > doc }) - 1
	c, err := r.column(p, f)
	if c == nil {
		return false, err
	}
	group, ok, err := columns.Group(c, doc-parts[p].Seg.Base(), f.Keyword)
	if !ok {
		return false, err
	}
	_, again = seen[group]
	seen[group] = struct{}{}
	return again, nil
}
