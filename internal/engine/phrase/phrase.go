// Package phrase says where the words of a phrase match: a rule over positions alone (format/FORMAT.md, section 8.2).
package phrase

import (
	"math"
	"slices"
)

// Shape is what a phrase asks of the positions of its words. Each of its slots has a word, or one of several.
//
// A match takes a position of each slot, one that a word of the slot has. Less the offsets of their slots, no two differ
// by more than Width. Slots of a group, which are those that share words, directly or through others, take different
// positions, ascending ones if a group has more than 16; if the slots are ordered, all positions ascend. The first match is
// that in which the first slot has the least position that it has in any, then the second slot, and so on. It uses up
// its positions for its slots and the others of their groups; the next match is the first of what is left.
type Shape struct {
	Slots   []Slot
	Width   int64
	ordered bool
	mixed   bool // some groups have slots with different words
}

// Slot is a place of a phrase.
type Slot struct {
	Offset uint32 // of its positions from those of the first slot, which has 0
	Group  int    // the number of the first slot of its group
	Times  int    // how many slots the group has
	after  int    // the slot before whose position this one's must be above; -1 if none
}

// NewShape returns the shape of slots at ascending offsets, with the words of each as ascending small numbers that differ if
// the words do.
func NewShape(offsets []uint32, words [][]int, width int64, ordered bool) Shape {
	s := Shape{Width: width, Slots: make([]Slot, len(offsets)), ordered: ordered}
	var with []int // by word, the slots before with it: one of them, plus 1
	for i := range s.Slots {
		s.Slots[i] = Slot{Offset: offsets[i], after: -1, Group: i}
		for _, w := range words[i] {
			for len(with) <= w {
				with = append(with, 0)
			}
			if with[w] > 0 {
				s.join(with[w]-1, i)
			}
			with[w] = i + 1
		}
	}
	for i := range s.Slots {
		s.Slots[i].Group = s.group(i)
		s.Slots[s.Slots[i].Group].Times++
	}
	large := false
	last := make([]int, len(s.Slots)) // by group: its slot before, plus 1
	for i := range s.Slots {
		x := &s.Slots[i]
		if before := last[x.Group] - 1; before >= 0 {
			x.after = before // of slots with the same words the first has the least position in the first match
			s.mixed = s.mixed || !ordered && width > 0 && !slices.Equal(words[before], words[i])
		}
		if ordered {
			x.after = i - 1
		}
		last[x.Group] = i + 1
		large = large || s.Slots[x.Group].Times > mostMixed
	}
	s.mixed = s.mixed && !large
	for i := range s.Slots {
		s.Slots[i].Times = s.Slots[s.Slots[i].Group].Times
	}
	return s
}

// group returns the first slot of the group of a slot while groups are joined: Slot.Group leads there.
func (s *Shape) group(i int) int {
	for s.Slots[i].Group != i {
		next := s.Slots[i].Group
		s.Slots[i].Group = s.Slots[next].Group // so that the way gets shorter
		i = next
	}
	return i
}

// join makes two groups one.
func (s *Shape) join(a, b int) {
	a, b = s.group(a), s.group(b)
	s.Slots[max(a, b)].Group = min(a, b)
}

// Exact reports whether all positions of a match follow from one.
func (s *Shape) Exact() bool { return s.Width == 0 }

// Repeats reports whether slots share words.
func (s *Shape) Repeats() bool {
	return slices.ContainsFunc(s.Slots, func(x Slot) bool { return x.Times > 1 })
}

// Counter counts matches. It keeps its memory.
type Counter struct {
	// Stop, unless nil, is asked now and then, at least once for each slot that is looked at, whether to give up. If so,
	// what is counted is of no use.
	Stop func() bool

	at   []int     // by slot: positions before it are of no use any more
	now  []int64   // by slot: the position taken
	used [][]int64 // by group of slots that are counted: the positions used up, ascending

	held  map[int64]int // while slots of a group are given different positions: the slot of each
	asked map[int64]bool
}

// reset forgets all positions.
func (c *Counter) reset(s *Shape) {
	for len(c.at) < len(s.Slots) {
		c.at, c.now, c.used = append(c.at, 0), append(c.now, 0), append(c.used, nil)
	}
	for i := range s.Slots {
		c.at[i], c.used[i] = 0, c.used[i][:0]
	}
}

// Count returns how many matches there are of lists, the ascending positions of each slot, but no more than most.
func (c *Counter) Count(s *Shape, lists [][]uint32, most int) int {
	return c.each(s, lists, most, nil)
}

// Each calls f with the position of each slot in each match of lists. The positions are valid until f returns.
func (c *Counter) Each(s *Shape, lists [][]uint32, f func(positions []int64)) {
	c.each(s, lists, math.MaxInt, f)
}

// each is Count, and calls f unless it is nil.
func (c *Counter) each(s *Shape, lists [][]uint32, most int, f func(positions []int64)) (n int) {
	c.reset(s)
	if s.mixed {
		return c.eachMixed(s, lists, most, f)
	}
	low := int64(math.MinInt32) * 2 // no match has less, with its offset taken off
	for n < most {
		least, greatest, ok := c.settle(s, lists, low)
		if !ok {
			break
		}
		if greatest-least > s.Width {
			low = greatest - s.Width
			continue
		}
		if n++; f != nil {
			f(c.now[:len(s.Slots)])
		}
		for i := range s.Slots {
			c.at[i]++
		}
		c.take(s)
	}
	return n
}

// settle makes the position of each slot the least that is possible if none is below low, with its offset taken off. It
// returns the least and the greatest of them, so taken.
func (c *Counter) settle(s *Shape, lists [][]uint32, low int64) (least, greatest int64, ok bool) {
	least, greatest = math.MaxInt64, math.MinInt64
	for i := range s.Slots {
		if c.stopped() {
			return 0, 0, false
		}
		x := &s.Slots[i]
		from := low + int64(x.Offset)
		if x.after >= 0 {
			from = max(from, c.now[x.after]+1)
		}
		k, list := seek(lists[i], c.at[i], from), lists[i]
		for k < len(list) && c.uses(s, i, int64(list[k])) {
			k++
		}
		if c.at[i] = k; k == len(list) {
			return 0, 0, false
		}
		c.now[i] = int64(list[k])
		p := c.now[i] - int64(x.Offset)
		least, greatest = min(least, p), max(greatest, p)
	}
	return least, greatest, true
}

// stopped reports whether to give up.
func (c *Counter) stopped() bool { return c.Stop != nil && c.Stop() }

// take uses up the positions taken.
func (c *Counter) take(s *Shape) {
	for i := range s.Slots {
		if !s.counted(i) {
			continue
		}
		used := &c.used[s.Slots[i].Group]
		if n := len(*used); n == 0 || (*used)[n-1] < c.now[i] {
			*used = append(*used, c.now[i])
		} else if k, has := slices.BinarySearch(*used, c.now[i]); !has {
			*used = slices.Insert(*used, k, c.now[i])
		}
	}
}

// counted reports whether positions of slot i are used up by taking note of them: otherwise those that follow are above.
func (s *Shape) counted(i int) bool { return s.mixed || s.Slots[i].Times > 1 }

// uses reports whether a match has used up a position for slot i.
func (c *Counter) uses(s *Shape, i int, position int64) bool {
	if !s.counted(i) {
		return false
	}
	_, used := slices.BinarySearch(c.used[s.Slots[i].Group], position)
	return used
}

// seek returns the index of the first element of v, from index k on, that is at least target, or len(v).
func seek(v []uint32, k int, target int64) int {
	step := 1
	for lo := k; ; step *= 2 {
		if k >= len(v) || int64(v[k]) >= target {
			hi := min(k, len(v))
			for lo < hi {
				if m := int(uint(lo+hi) / 2); int64(v[m]) < target {
					lo = m + 1
				} else {
					hi = m
				}
			}
			return lo
		}
		lo = k + 1
		k += step
	}
}

// Starts appends the positions of a slot, with its offset taken off, to dst.
func Starts(dst, positions []uint32, offset uint32) []uint32 {
	for _, p := range positions {
		if p >= offset {
			dst = append(dst, p-offset)
		}
	}
	return dst
}

// Keep keeps those of starts that a slot has too, given its positions. All ascend.
func Keep(starts, positions []uint32, offset uint32) []uint32 {
	n, k := 0, 0
	for _, s := range starts {
		target := int64(s) + int64(offset)
		if k < len(positions) && int64(positions[k]) < target {
			k = seek(positions, k+1, target)
		}
		if k == len(positions) {
			break
		}
		starts[n] = s
		if int64(positions[k]) == target {
			n++
		}
	}
	return starts[:n]
}

// Apart returns how many of starts, those that all slots of an exact phrase have, are matches.
func (c *Counter) Apart(s *Shape, starts []uint32) (n int) {
	if !s.Repeats() {
		return len(starts)
	}
	c.reset(s)
	for _, start := range starts {
		if c.stopped() {
			break
		}
		free := true
		for i := range s.Slots {
			c.now[i] = int64(start) + int64(s.Slots[i].Offset)
			free = free && !c.uses(s, i, c.now[i])
		}
		if free {
			n++
			c.take(s)
		}
	}
	return n
}
