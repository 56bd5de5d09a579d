package engine

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/segment"
)

// sorting is a search whose hits are sorted by columns.
type sorting struct{ *execution }

// sort finds the hits that sort best.
func (r sorting) sort(s step) error {
	if s.scores {
		return r.sortScored(s.conjunctive)
	}
	order, err := r.beginSort()
	if err != nil {
		return err
	}
	for _, p := range order {
		if _, err := r.sortSegment(p, math.MaxInt); err != nil {
			return err
		}
	}
	r.extra.Sorted = slices.Clone(r.columnar.rank.Hits())
	return nil
}

// resetRank makes r.columnar.rank empty. Unless limit is nil, hits must sort before it.
func (r sorting) resetRank(limit *columns.Hit) {
	c := r.columnar
	c.order = c.order[:0]
	for _, k := range c.plan.Sort {
		c.order = append(c.order, columns.SortBy{Keyword: k.Keyword, Desc: k.Desc})
	}
	if r.sortsTies() {
		c.order = append(c.order, r.ties.of.by)
	}
	o := columns.Order{By: c.order, K: r.maxHits(), After: c.plan.After, Limit: limit, Ties: r.sortsTies()}
	if f := c.plan.Collapse; f != nil {
		o.Collapse, o.Keyword = true, f.Keyword
	}
	c.rank.Reset(o)
}

// sortsTies reports whether hits are sorted by the order that the index keeps, too: after the fields of the query, unless
// it is one of them.
func (r sorting) sortsTies() bool {
	return r.tied() && !slices.ContainsFunc(r.columnar.plan.Sort, func(k SortKey) bool {
		return !k.Score && k.ID == r.ties.of.field.ID && k.Desc == r.ties.of.by.Desc
	})
}

// placeSorted completes the place that sorted hits are behind.
func (r sorting) placeSorted() {
	c := r.columnar
	p := c.plan.After
	if p == nil || !r.sortsTies() {
		return
	}
	own := *p
	own.Keys = slices.Clone(p.Keys)
	switch order := r.ties.order(&Place{Doc: uint32(max(p.Doc, 0)), Before: p.Doc < 0, Order: c.plan.AfterOrder}); {
	case order != nil:
		own.Keys = append(own.Keys, order.Clone())
	case p.Doc < 0:
		own.Keys = append(own.Keys, columns.Key{First: true})
	default: // behind all documents with these values
		own.Keys = append(own.Keys, columns.Key{Missing: true})
	}
	c.plan.After = &own
}

// beginSort begins to sort, and returns the segments, those that may have the best hits first.
func (r sorting) beginSort() (order []int, err error) {
	r.resetRank(nil)
	c := r.columnar
	c.looked = 0
	best := make([]columns.Key, len(r.s.parts))
	for p := range best {
		if c.plan.Sort[0].Score {
			best[p].Missing = true // it is not known
			continue
		}
		of, err := r.column(p, &c.plan.Sort[0].ColumnField)
		if err != nil {
			return nil, err
		}
		if best[p], err = c.order[0].Best(of); err != nil {
			return nil, err
		}
	}
	return c.rank.Order(best), nil
}

// beginSegment begins to sort a segment.
func (r sorting) beginSegment(p int) error {
	c := r.columnar
	if err := r.sortFields(p); err != nil {
		return err
	}
	seg := r.parts()[p].Seg
	return c.sorter.Begin(&c.rank, seg.Base(), seg.Docs(), c.fields)
}

// endSegment adds the hits of a segment to r.columnar.rank.
func (r sorting) endSegment() error {
	if r.Settle(); r.Err != nil {
		return r.Err
	}
	r.Record(algorithm.Sorted)
	return r.columnar.sorter.End()
}

// sortSegment adds the hits of a segment. It does not look for matches where no document sorts well enough. If many
// documents may match in more than that many blocks, it leaves the others, which it returns, the best first.
func (r sorting) sortSegment(p, most int) (left []int, err error) {
	c := r.columnar
	if err := r.beginSegment(p); err != nil || c.sorter.SkipsAll() {
		return nil, err
	}
	m := counting(r).matches(p, false)
	if m == nil {
		return nil, r.Err
	}
	lo, hi := m.Range()
	c.blocks = c.sorter.Blocks(c.blocks, lo, hi)
	if left, err = r.sortBlocks(m, c.blocks, most); err != nil {
		return nil, err
	}
	left = slices.DeleteFunc(left, c.sorter.Skips)
	return left, r.endSegment()
}

// sortFields sets c.fields to the columns in segment p of the fields to sort by, and to collapse by.
func (r sorting) sortFields(p int) error {
	c := r.columnar
	c.fields = c.fields[:0]
	add := func(f *ColumnField) error {
		of, err := r.column(p, f)
		c.fields = append(c.fields, of)
		return err
	}
	for i := range c.plan.Sort {
		if c.plan.Sort[i].Score {
			c.fields = append(c.fields, &c.scores)
			continue
		}
		if err := add(&c.plan.Sort[i].ColumnField); err != nil {
			return err
		}
	}
	if r.sortsTies() {
		if err := add(&r.ties.of.field); err != nil {
			return err
		}
	}
	if c.plan.Collapse == nil {
		return nil
	}
	return add(c.plan.Collapse)
}

const (
	// A window of matches that is a bitmap has that many blocks.
	blocksOfWindow = 4
	// If a block has so few matches, there is one round: more would take longer than what they save.
	fewMatches = 16
)

// sortBlocks offers the matches in blocks: first those in the best block, then in the two next best, and so on, in
// rounds of twice as many. Within a round blocks ascend, since lists are read in that order only. If documents are in the
// order by which they are sorted, or its reverse, the first round has about twice as many matches as hits are wanted.
// If there are many matches, it ends once it has been at so many blocks, and returns the others.
func (r sorting) sortBlocks(m *algorithm.Matcher, blocks []int, most int) (left []int, err error) {
	c := r.columnar
	n, matches := 1, m.AtMost()
	switch {
	case inOrder(blocks): // the first hits are likely the best
		n = int(min(1+2*uint64(r.maxHits())*uint64(len(blocks))/max(matches, 1), uint64(len(blocks))))
	case matches <= uint64(fewMatches*len(blocks)):
		n, most = len(blocks), len(blocks)
	}
	for ; len(blocks) > 0 && most > 0; n *= 2 {
		c.round = c.round[:0]
		for len(blocks) > 0 && len(c.round) < n {
			if !c.sorter.Skips(blocks[0]) {
				c.round = append(c.round, blocks[0])
			}
			blocks = blocks[1:]
		}
		slices.Sort(c.round)
		if err := r.sortRound(m); err != nil {
			return nil, err
		}
		most -= len(c.round)
		c.looked += len(c.round)
	}
	return blocks, nil
}

// inOrder reports whether blocks ascend or descend.
func inOrder(blocks []int) bool {
	return slices.IsSorted(blocks) || slices.IsSortedFunc(blocks, func(a, b int) int { return b - a })
}

// sortRound offers the matches in c.round.
func (r sorting) sortRound(m *algorithm.Matcher) error {
	c := r.columnar
	most := len(c.round)
	if m.InBitmaps() {
		most = blocksOfWindow
	}
	for i := 0; i < len(c.round); {
		first := c.round[i]
		if i++; c.sorter.Skips(first) {
			continue
		}
		last := first
		for i < len(c.round) && c.round[i] == last+1 && last-first+1 < most && !c.sorter.Skips(last+1) {
			last++
			i++
		}
		if !m.Within(uint32(first)*segment.ColumnBlock, uint32(last+1)*segment.ColumnBlock) {
			return r.Err
		}
		for m.Next() {
			r.Pivots++
			if err := m.Parts(r.addSorted); err != nil {
				return err
			}
		}
		if r.Err != nil || r.Stopped() {
			return r.Err
		}
	}
	return nil
}

// addSorted offers matches of a block.
func (r sorting) addSorted(p *columns.Part) error {
	r.Candidates += uint64(p.N)
	return r.columnar.sorter.Add(p)
}
