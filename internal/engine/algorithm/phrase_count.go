package algorithm

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/phrase"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// atMost returns a bound of how often candidate i, whose postings are known, matches: of its scarcest word.
func (x *phrasing) atMost(i int) (tf uint32) {
	tf = math.MaxUint32
	for k := range x.columns {
		c := &x.columns[k]
		if c.times == 1 && len(c.lists) == 1 {
			f, err := c.place(0).Freq(int(x.m.at[k][i]))
			if tf = min(tf, f); err != nil {
				x.fail(err, c.lists[0])
			}
			continue
		}
		sum := uint64(0)
		x.each(k, i, func(list, pos uint32) {
			f, err := c.place(list).Freq(int(pos))
			x.fail(err, c.lists[list])
			sum += uint64(f)
		})
		tf = uint32(min(uint64(tf), sum/c.times))
	}
	return tf
}

// count returns how often candidate i matches, but no more than most, which is at least 1.
func (x *phrasing) count(i, most int) int {
	for k := range x.columns {
		x.columns[k].read = false
	}
	s := &x.of.Shape
	if s.Exact() {
		return x.countExact(i, most)
	}
	for slot, k := range x.slots {
		if x.lists[slot] = x.positions(k, i); len(x.lists[slot]) == 0 {
			return 0
		}
	}
	return x.counter.Count(s, x.lists, most)
}

// countExact is count for an exact phrase.
func (x *phrasing) countExact(i, most int) int {
	s := &x.of.Shape
	for n, slot := range x.order {
		p, offset := x.positions(x.slots[slot], i), s.Slots[slot].Offset
		if n == 0 {
			x.starts = phrase.Starts(x.starts[:0], p, offset)
		} else {
			x.starts = phrase.Keep(x.starts, p, offset)
		}
		if len(x.starts) == 0 {
			return 0
		}
	}
	if most == 1 {
		return 1
	}
	return x.counter.Apart(s, x.starts)
}

// positions returns where candidate i has the words of column k; none on damage.
func (x *phrasing) positions(k, i int) []uint32 {
	c := &x.columns[k]
	if c.read {
		return c.positions
	}
	c.read, c.positions = true, c.positions[:0]
	if len(c.lists) == 1 {
		var err error
		if c.positions, err = c.place(0).Append(c.positions, int(x.m.at[k][i])); err != nil {
			x.fail(err, c.lists[0])
			return nil
		}
		return c.positions
	}
	lists := 0
	x.each(k, i, func(list, pos uint32) {
		var err error
		if c.positions, err = c.place(list).Append(c.positions, int(pos)); err != nil {
			x.fail(err, c.lists[list])
			c.positions = c.positions[:0]
		}
		lists++
	})
	if lists > 1 {
		slices.Sort(c.positions)
		c.positions = slices.Compact(c.positions)
	}
	return c.positions
}

// score returns the score of a document that matches so often.
func (x *phrasing) score(doc, tf uint32) float32 {
	return x.own.In.Scorer.Score(x.own.Weight, float32(tf), x.own.In.Norm(doc))
}

// next is leaf.next.
func (x *phrasing) next(doc uint32, _ float64) uint32 {
	next := uint32(posting.End)
	for _, l := range x.columns[0].lists {
		next = min(next, l.Doc())
	}
	return max(next, x.from, doc)
}
