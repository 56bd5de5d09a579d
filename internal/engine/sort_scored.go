package engine

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/engine/topk"
)

// byScores reports whether scores are among what hits are sorted by.
func (p *ColumnPlan) byScores() bool {
	return slices.ContainsFunc(p.Sort, func(k SortKey) bool { return k.Score })
}

// sortScored finds the hits that sort best where scores are among the keys. All matches of a segment are scored, unless scores come first: then those
// that reach the score of the last hit, which a search by scores alone finds.
func (r sorting) sortScored(conjunctive bool) error {
	order, err := r.beginSort()
	if err != nil {
		return err
	}
	theta, err := r.reach(conjunctive)
	if err != nil {
		return err
	}
	for _, p := range order {
		if err := r.scoreSegment(p, conjunctive, theta); err != nil {
			return err
		}
	}
	r.below(nil)
	r.Top.Heap = r.Top.Heap[:0]
	r.extra.Sorted = slices.Clone(r.columnar.rank.Hits())
	for i := range r.extra.Sorted {
		h := &r.extra.Sorted[i]
		h.Score = columns.KeyScore(h.Keys[r.columnar.plan.scoreAt()].Number)
	}
	return nil
}

// scoreAt returns which of the keys is the score.
func (p *ColumnPlan) scoreAt() int {
	return slices.IndexFunc(p.Sort, func(k SortKey) bool { return k.Score })
}

// reach returns a score that all hits of the page reach, -1 if none is known, and leaves out what scores better than the place that they are behind.
func (r sorting) reach(conjunctive bool) (theta float32, err error) {
	c := r.columnar
	if !c.plan.Sort[0].Score || c.plan.Collapse != nil {
		return -1, nil
	}
	if a := c.plan.After; a != nil {
		r.below(&Place{Score: columns.KeyScore(a.Keys[0].Number), Doc: math.MaxUint32}) // all of them are behind it
	}
	if err := r.pass(conjunctive); err != nil {
		return 0, err
	}
	r.Top.Trim()
	theta = -1
	if h := r.Top.Heap; len(h) == r.Top.K {
		theta = topk.KeyHit(slices.Min(h)).Score
	}
	if a := c.plan.After; a != nil {
		r.below(&Place{Score: columns.KeyScore(a.Keys[0].Number), Before: true})
	}
	return theta, r.tieError()
}

// scoreSegment adds the hits of a segment that score theta or more.
func (r sorting) scoreSegment(p int, conjunctive bool, theta float32) error {
	c := r.columnar
	seg := r.parts()[p].Seg
	c.scores.Reset(seg.Docs())
	if err := r.beginSegment(p); err != nil {
		return err
	}
	if !c.plan.Sort[0].Score {
		if c.sorter.SkipsAll() {
			return nil
		}
	} else if l := c.rank.Limit(); l != nil {
		theta = max(theta, columns.KeyScore(l.Keys[0].Number))
	}
	if err := r.scoreAll(p, conjunctive, theta); err != nil {
		return err
	}
	keys := r.Top.Heap
	size := scoredBytes * len(keys)
	if err := c.budget.Hold(size); err != nil {
		return err
	}
	defer c.budget.Hold(-size)
	for i, k := range keys {
		h := topk.KeyHit(k)
		keys[i] = uint64(h.Doc)<<32 | uint64(math.Float32bits(h.Score))
	}
	slices.Sort(keys)
	for _, k := range keys {
		c.scores.Add(uint32(k>>32)-seg.Base(), math.Float32frombits(uint32(k)))
	}
	c.scores.Done()
	c.blocks = c.sorter.Blocks(c.blocks, 0, seg.Docs())
	var part columns.Part
	for _, b := range c.blocks {
		docs := c.scores.Docs(b)
		if len(docs) == 0 || c.sorter.Skips(b) {
			continue
		}
		part.SetDocs(docs)
		if err := c.sorter.Add(&part); err != nil {
			return err
		}
		if r.Stopped() {
			return r.Err
		}
	}
	return r.endSegment()
}

// scoredBytes is what a match takes while matches are sorted by scores.
const scoredBytes = 8 + 12

// scoreAll sets r.Top to all matches of a segment that score theta or more.
func (r sorting) scoreAll(p int, conjunctive bool, theta float32) error {
	ties := r.Top.Ties
	defer func() { r.Top.Ties = ties }()
	r.Top.Ties = nil // there are more keys to come
	r.Guess, r.Sure = -1, true
	r.Top.Reset(max(int(r.parts()[p].Seg.Docs()), 1), r.addends())
	r.Top.Delay()
	if theta >= 0 {
		r.Top.Raise(theta)
	}
	r.Partial.Reset(r.Top.K)
	if conjunctive && resolving(r).unknown() || !r.enter(p, conjunctive) {
		return r.Err
	}
	r.Execute(r.Run.Plan(conjunctive))
	return r.Err
}

// forgetScores drops memory of an unusual query.
func (c *columnar) forgetScores() {
	if c.scores.Len() > algorithm.UsualElements {
		c.scores = columns.Scores{}
	}
}
