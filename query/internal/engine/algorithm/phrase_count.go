package algorithm

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/query/internal/engine/bitset"
	"github.com/pinion-index/pinion/query/internal/engine/phrase"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// together is how many candidates are counted together: each word's positions of all of them, so that reading them is a
// loop over postings, and few enough that hits found on the way are of use as a threshold.
const together = 64

// batch is the memory for counting candidates together.
type batch struct {
	which     []uint32 // candidates, by their numbers
	tfs       []uint32 // by index in which: how often it matches
	left      []uint32 // indexes in which of those that may match
	at        []uint64 // where these are in a column
	positions []uint32 // of these in a column
	ends      []uint32 // where those of each end
	starts    []uint32 // what is left of where their matches may start
	startEnds []uint32 // where those of each end
}

// size returns how many elements t has memory for.
func (t *batch) size() int { return max(cap(t.which), cap(t.positions), cap(t.starts)) }

// which returns the candidates by their numbers, but with vets only those that may be hits.
func (x *phrasing) which(vets bool) []uint32 {
	which := x.batch.which[:0]
	for i, doc := range x.m.Docs {
		if !vets || x.run.Allowed(doc) {
			which = append(which, uint32(i))
		}
	}
	x.batch.which = which
	return which
}

// above keeps the candidates which may score more than need, or are members, unless that is nil.
func (x *phrasing) above(which []uint32, need float64, members *bitset.Set) []uint32 {
	n := 0
	for k, tf := range x.atMost(which) {
		i := which[k]
		if doc := x.m.Docs[i]; float64(x.score(doc, tf)) > need || members != nil && members.Next(doc) == doc {
			which[n] = i
			n++
		}
	}
	return which[:n]
}

// atOf returns where candidates are in column k.
func (x *phrasing) atOf(k int, which []uint32) []uint64 {
	t, from := &x.batch, x.m.at[k]
	t.at = grow(t.at, len(which))
	for j, i := range which {
		t.at[j] = from[i]
	}
	return t.at
}

// atMost returns a bound of how often each of the candidates matches: of its scarcest word.
func (x *phrasing) atMost(which []uint32) []uint32 {
	t := &x.batch
	t.tfs = grow(t.tfs, len(which))
	for j := range t.tfs {
		t.tfs[j] = math.MaxUint32
	}
	for k := range x.columns {
		c := &x.columns[k]
		if c.times == 1 && len(c.lists) == 1 {
			if err := c.place(0).LeastFreqs(t.tfs, x.atOf(k, which)); err != nil {
				x.fail(err, c.lists[0])
			}
			continue
		}
		for j, i := range which {
			sum := uint64(0)
			x.each(k, int(i), func(list, pos uint32) {
				f, err := c.place(list).Freq(int(pos))
				x.fail(err, c.lists[list])
				sum += uint64(f)
			})
			t.tfs[j] = uint32(min(uint64(t.tfs[j]), sum/c.times))
		}
	}
	return t.tfs
}

// count returns how often each of the candidates matches, but no more than most, which is at least 1; on damage nothing.
func (x *phrasing) count(which []uint32, most int) []uint32 {
	t := &x.batch
	t.tfs = grow(t.tfs, len(which))
	clear(t.tfs)
	single := !slices.ContainsFunc(x.columns, func(c column) bool { return len(c.lists) > 1 })
	if single && x.of.Shape.Exact() {
		x.countExact(which, most)
	} else {
		for j, i := range which {
			if t.tfs[j] = uint32(x.countOne(int(i), most)); x.run.Err != nil {
				break
			}
		}
	}
	if x.run.Err != nil {
		return nil
	}
	return t.tfs
}

// countExact counts the candidates for an exact phrase of which each column has one list: column by column, those that
// are left.
func (x *phrasing) countExact(which []uint32, most int) {
	t := &x.batch
	t.left = t.left[:0]
	for j := range which {
		t.left = append(t.left, uint32(j))
	}
	order := x.order
	for k := range x.columns {
		slots := order[:x.columns[k].times]
		order = order[len(slots):]
		if !x.readColumn(k, which) {
			return
		}
		if k > 0 && len(order) == 0 && len(slots) == 1 && most == 1 {
			t.meet(x.of.Shape.Slots[slots[0]].Offset)
			return
		}
		for n, slot := range slots {
			if offset := x.of.Shape.Slots[slot].Offset; k+n == 0 {
				t.begin(offset)
			} else {
				t.keep(offset)
			}
		}
		t.drop()
	}
	from := uint32(0)
	for n, j := range t.left {
		starts := t.starts[from:t.startEnds[n]]
		from = t.startEnds[n]
		t.tfs[j] = uint32(min(x.counter.Apart(&x.of.Shape, starts), most))
	}
}

// readColumn reads where the candidates that are left have the word of column k. It reports success.
func (x *phrasing) readColumn(k int, which []uint32) bool {
	t, c, from := &x.batch, &x.columns[k], x.m.at[k]
	t.at = grow(t.at, len(t.left))
	for n, j := range t.left {
		t.at[n] = from[which[j]]
	}
	var err error
	t.positions, t.ends, err = c.place(0).AppendEach(t.positions[:0], t.ends[:0], t.at)
	x.fail(err, c.lists[0])
	return err == nil
}

// begin makes the positions of a slot the starts.
func (t *batch) begin(offset uint32) {
	t.starts, t.startEnds = t.starts[:0], t.startEnds[:0]
	from := uint32(0)
	for _, end := range t.ends {
		t.starts = phrase.Starts(t.starts, t.positions[from:end], offset)
		t.startEnds = append(t.startEnds, uint32(len(t.starts)))
		from = end
	}
}

// keep keeps those of the starts at which a slot has a position.
func (t *batch) keep(offset uint32) {
	size, from, low := 0, uint32(0), uint32(0)
	for n, end := range t.ends {
		kept := phrase.Keep(t.starts[low:t.startEnds[n]], t.positions[from:end], offset)
		from, low = end, t.startEnds[n]
		size += copy(t.starts[size:], kept)
		t.startEnds[n] = uint32(size)
	}
}

// drop drops the candidates without starts.
func (t *batch) drop() {
	kept, low := 0, uint32(0)
	for n, end := range t.startEnds {
		if end > low {
			t.left[kept], t.startEnds[kept] = t.left[n], end
			kept++
		}
		low = end
	}
	t.left, t.startEnds = t.left[:kept], t.startEnds[:kept]
}

// meet is keep and drop for the last slot, if a match is all that is wanted.
func (t *batch) meet(offset uint32) {
	from, low := uint32(0), uint32(0)
	for n, end := range t.ends {
		if phrase.Meets(t.starts[low:t.startEnds[n]], t.positions[from:end], offset) {
			t.tfs[t.left[n]] = 1
		}
		from, low = end, t.startEnds[n]
	}
}

// countOne is count for one candidate of any phrase.
func (x *phrasing) countOne(i, most int) int {
	for k := range x.columns {
		x.columns[k].read = false
	}
	s := &x.of.Shape
	if s.Exact() {
		return x.countExactly(i, most)
	}
	for slot, k := range x.slots {
		if x.lists[slot] = x.positions(k, i); len(x.lists[slot]) == 0 {
			return 0
		}
	}
	return x.counter.Count(s, x.lists, most)
}

// countExactly is countOne for an exact phrase.
func (x *phrasing) countExactly(i, most int) int {
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

// next is sequence.next.
func (x *phrasing) next(doc uint32) uint32 {
	next := uint32(posting.End)
	for _, l := range x.columns[0].lists {
		next = min(next, l.Doc())
	}
	return max(next, x.from, doc)
}
