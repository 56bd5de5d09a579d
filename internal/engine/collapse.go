package engine

import (
	"sort"

	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/engine/topk"
)

// collapsing is a search for one hit of each value of a field.
type collapsing struct{ *execution }

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
	after *Place // hits are behind it, unless it is nil
	best  []uint64
	seen  map[string]struct{}
	gone  int    // hits so far
	next  *Place // hits of the next page are behind it, unless it is nil
}

// collapse finds the best hit of each group, for the best groups, by a step for each page of hits.
func (r collapsing) collapse(s step) error {
	r.beginGroups()
	for more := true; more; {
		r.below(r.columnar.groups.next)
		r.Top.Heap = r.Top.Heap[:0]
		err := r.pass(s.conjunctive)
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
func (r collapsing) beginGroups() {
	r.columnar.groups = groups{k: r.q.K, after: r.q.After, seen: map[string]struct{}{}}
	r.q.K = hitsPerGroup * min(r.q.K, int(max(r.s.docs, 1)))
}

// group goes through a page of at most that many hits, of which it has the keys. It reports whether it needs another one.
func (r collapsing) group(keys []uint64, most int) (more bool, err error) {
	g := &r.columnar.groups
	r.Top.Sort(keys)
	for i := len(keys) - 1; i >= 0 && len(g.best) < g.k; i-- {
		again, err := r.grouped(topk.KeyHit(keys[i]).Doc, g.seen)
		if err != nil {
			return false, err
		}
		if !again && r.isBehind(keys[i], g.after) {
			g.best = append(g.best, keys[i])
		}
	}
	if len(g.best) == g.k || len(keys) < most {
		return false, nil
	}
	g.next = placeOf(keys[0])
	g.gone += len(keys)
	r.q.K = min(moreHits*r.q.K, int(max(r.s.docs, 1)))
	all, err := r.allGroups(g.gone)
	return len(g.seen) != all, err
}

// allGroups returns how many groups there are at most, by the keywords of the segments, if these are at most some;
// otherwise -1.
func (r collapsing) allGroups(most int) (int, error) {
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
func (r collapsing) grouped(doc uint32, seen map[string]struct{}) (again bool, err error) {
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
