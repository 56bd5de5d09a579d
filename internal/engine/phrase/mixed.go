package phrase

import "math"

// Where slots share some of their words but not all, as those of synonyms may, which slot takes which position is a
// question of matching: of giving the slots of a group different positions, within what Width allows.

// mostMixed is how many slots the groups may have for that: the time that it takes grows with their number cubed. Otherwise
// positions ascend.
const mostMixed = 16

// eachMixed is each for such slots, after reset.
func (c *Counter) eachMixed(s *Shape, lists [][]uint32, most int, f func(positions []int64)) (n int) {
	low, ok := int64(math.MinInt32)*2, true
	for n < most {
		if low, ok = c.lowest(s, lists, low); !ok || !c.first(s, lists) {
			break
		}
		if n++; f != nil {
			f(c.now[:len(s.Slots)])
		}
		c.take(s)
	}
	return n
}

// lowest returns the least position of any match that is left, with its offset taken off. None is below low.
func (c *Counter) lowest(s *Shape, lists [][]uint32, low int64) (int64, bool) {
	for !c.stopped() {
		next := int64(math.MaxInt64)
		for i := range s.Slots {
			offset := int64(s.Slots[i].Offset)
			c.at[i] = seek(lists[i], c.at[i], low+offset)
			if c.at[i] == len(lists[i]) {
				return 0, false // as all positions of a match are at least low
			}
			next = min(next, int64(lists[i][c.at[i]])-offset)
		}
		if c.within(s, lists, 0, next) {
			return next, true
		}
		low = next + 1
	}
	return 0, false
}

// first takes the positions of the first match that is left, none of which is below those of c.at. It reports whether there is one.
func (c *Counter) first(s *Shape, lists [][]uint32) bool {
	for i := range s.Slots {
		found := false
		for _, p := range lists[i][c.at[i]:] {
			if c.stopped() {
				return false
			}
			c.now[i] = int64(p)
			if found = !c.uses(s, i, int64(p)) && c.apart(s, i) && c.possible(s, lists, i+1); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// apart reports whether slot i has taken another position than those of its group before it.
func (c *Counter) apart(s *Shape, i int) bool {
	for j := range i {
		if s.Slots[j].Group == s.Slots[i].Group && c.now[j] == c.now[i] {
			return false
		}
	}
	return true
}

// possible reports whether there is a match with the positions that the first n slots have taken.
func (c *Counter) possible(s *Shape, lists [][]uint32, n int) bool {
	least, greatest := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range n {
		p := c.now[i] - int64(s.Slots[i].Offset)
		least, greatest = min(least, p), max(greatest, p)
	}
	if greatest-least > s.Width {
		return false
	}
	if c.within(s, lists, n, least) {
		return true
	}
	for i := n; i < len(s.Slots); i++ { // one that is not taken yet may be the least
		offset := int64(s.Slots[i].Offset)
		for k := seek(lists[i], 0, greatest-s.Width+offset); k < len(lists[i]); k++ {
			low := int64(lists[i][k]) - offset
			if low >= least {
				break
			}
			if c.stopped() {
				return false
			}
			if c.within(s, lists, n, low) {
				return true
			}
		}
	}
	return false
}

// within reports whether there is such a match that has no position below low, with offsets taken off, nor above low and
// Width.
func (c *Counter) within(s *Shape, lists [][]uint32, n int, low int64) bool {
	if c.held == nil {
		c.held, c.asked = map[int64]int{}, map[int64]bool{}
	}
	for g := range s.Slots {
		if s.Slots[g].Group != g {
			continue
		}
		clear(c.held)
		for i := g; i < len(s.Slots); i++ {
			if s.Slots[i].Group != g {
				continue
			}
			if i < n {
				c.held[c.now[i]] = -1
				continue
			}
			if c.stopped() {
				return false
			}
			clear(c.asked)
			if !c.place(s, lists, i, low) {
				return false
			}
		}
	}
	return true
}

// place gives slot i a position that no other of its group holds, which may make others move, and reports success.
func (c *Counter) place(s *Shape, lists [][]uint32, i int, low int64) bool {
	from := low + int64(s.Slots[i].Offset)
	for k := seek(lists[i], 0, from); k < len(lists[i]); k++ {
		p := int64(lists[i][k])
		if p > from+s.Width {
			break
		}
		if c.asked[p] || c.uses(s, i, p) {
			continue
		}
		c.asked[p] = true
		if holder, held := c.held[p]; !held || holder >= 0 && c.place(s, lists, holder, low) {
			c.held[p] = i
			return true
		}
	}
	return false
}
