package engine

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/segment"
)

// unitsOf is what a pass over columns consists of in a segment: blocks, which tasks are ranges of.
type unitsOf struct {
	n      int   // how many there are
	most   int   // tasks at most
	blocks []int // of a pass that sorts: which they are, the best first; otherwise all of the segment
}

const (
	// Before a pass that sorts is cut, so many blocks of all segments are looked at. They are all there is if documents
	// lie as they are sorted, and others skip blocks by what they have.
	sortedAlone = 8
	// A task of a pass over columns has at least so many blocks, and one that counts so many matches if they are
	// spread evenly.
	leastBlocks  = 8
	leastMatches = 1 << 12
)

// startColumns begins a pass over columns. It returns false if it needs no tasks.
func (x *Shared) startColumns() (some bool, err error) {
	defer func() { x.lead.blame(&err) }()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	parts := x.lead.s.parts
	x.units = append(x.units[:0], make([]unitsOf, len(parts))...)
	if x.kind == sorted {
		return x.startSort()
	}
	faceting{&x.lead}.beginFacets()
	faceting{&x.lead}.unchoose()
	for p := range parts {
		n := (int(parts[p].Seg.Docs()) + segment.ColumnBlock - 1) / segment.ColumnBlock
		x.units[p] = unitsOf{n: n, most: 1 + int(x.lead.atMost(p)/leastMatches)}
	}
	return true, nil
}

// startSort looks at the best blocks, and leaves the others to tasks.
func (x *Shared) startSort() (some bool, err error) {
	r := &x.lead
	if s := x.lead.steps[x.at]; s.scores {
		return false, sorting{r}.sortScored(s.conjunctive)
	}
	order, err := sorting{r}.beginSort()
	if err != nil {
		return false, err
	}
	for _, p := range order {
		left, err := sorting{r}.sortSegment(p, max(1, sortedAlone-r.columnar.looked))
		if err != nil {
			return false, err
		}
		if len(left) > 0 {
			x.units[p] = unitsOf{n: len(left), most: math.MaxInt, blocks: slices.Clone(left)}
			some = true
		}
	}
	return some, nil
}

// atMost returns a bound of how many documents of a segment match.
func (r *execution) atMost(p int) uint64 {
	docs := uint64(r.parts()[p].Seg.Docs())
	if r.words.Tree != nil {
		return docs
	}
	n := uint64(0)
	for i := range r.terms {
		switch df := uint64(r.terms[i].Kept.entries[p].DF); {
		case i > 0 && r.q.Mode == And:
			n = min(n, df)
		default:
			n += df
		}
	}
	if r.Sets != nil && r.Sets[p] != nil {
		n = min(n, uint64(r.Sets[p].Len()))
	}
	return min(n, docs)
}

// Scored reports whether the pass finds hits by scores, which Matches and Cut are for; otherwise Units is.
func (x *Shared) Scored() bool { return x.kind == scored }

// Units returns how many blocks a pass over columns has of a segment, of which a task from lo up to hi has those of these
// numbers, and how many tasks they are worth.
func (x *Shared) Units(segment int) (blocks, tasks int) {
	u := &x.units[segment]
	return u.n, max(1, min(u.n/leastBlocks, u.most))
}

// endOfColumns ends a step of a query that wants columns. It reports whether it is to be repeated. x.mu is locked.
func (x *Shared) endOfColumns() (again bool, err error) {
	r := &x.lead
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	switch {
	case x.kind == counted:
		r.extra = x.extra
		return false, faceting{r}.endFacets()
	case r.steps[x.at].scores:
		// startSort has found all hits
	case x.kind == sorted:
		x.extra.Sorted = slices.Clone(r.columnar.rank.Hits())
	case r.steps[x.at].pages:
		if again, err = (collapsing{r}).group(x.top.Heap, x.top.K); again || err != nil {
			return again, err
		}
		x.top.Heap = append(x.top.Heap[:0], r.columnar.groups.best...)
	}
	return false, nil
}

// limit returns the hit that others must sort before, or nil.
func (x *Shared) limit() *columns.Hit {
	x.mu.Lock()
	defer x.mu.Unlock()
	l := x.lead.columnar.rank.Limit()
	if l == nil {
		return nil
	}
	own := *l // others add hits meanwhile
	return &own
}

// doColumns is do for a pass over columns. Its result is added to the query's at once.
func (w *Worker) doColumns(x *Shared, t Task) error {
	r := &w.run
	w.last = attached{}
	w.join(x)
	if r.columnar == nil {
		r.columnar = new(columnar)
	}
	defer r.forgetColumns()
	r.columnar.plan, r.columnar.budget = x.lead.columnar.plan, x.lead.columnar.budget
	if own := &r.columnar.chosen; len(r.columnar.plan.Chosen) > 0 {
		*own = chosen{sets: x.lead.columnar.chosen.sets, parts: make([]columns.Part, len(r.columnar.plan.Chosen)+1)}
	}
	if x.kind == sorted {
		return w.doSort(x, t)
	}
	return w.doCount(x, t)
}

// doSort offers the matches in some blocks.
func (w *Worker) doSort(x *Shared, t Task) error {
	r := &w.run
	c := r.columnar
	sorting{r}.resetRank(x.limit())
	if err := (sorting{r}).beginSegment(t.Segment); err != nil {
		return err
	}
	blocks := slices.DeleteFunc(append(c.blocks[:0], x.units[t.Segment].blocks[t.Lo:t.Hi]...), c.sorter.Skips)
	if c.blocks = blocks; len(blocks) == 0 {
		return nil
	}
	m := counting{r}.matches(t.Segment, false)
	if m == nil {
		return r.Err
	}
	if _, err := (sorting{r}).sortBlocks(m, blocks, math.MaxInt); err != nil {
		return err
	}
	if err := (sorting{r}).endSegment(); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lead.columnar.rank.Merge(&c.rank)
	return nil
}

// doCount counts the matches in some blocks.
func (w *Worker) doCount(x *Shared, t Task) error {
	r := &w.run
	faceting{r}.beginFacets()
	r.total = 0
	hi := uint32(min(uint64(t.Hi)*segment.ColumnBlock, math.MaxUint32))
	if err := (faceting{r}).countSegment(t.Segment, t.Lo*segment.ColumnBlock, hi); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.total += r.total
	size := 0
	for i := range r.columnar.plan.Facets {
		all := &x.lead.columnar.counters[i]
		if err := all.Merge(&r.columnar.counters[i]); err != nil {
			return faceting{r}.facetError(i, err)
		}
		size += all.Least()
	}
	return r.columnar.budget.Has(size)
}
