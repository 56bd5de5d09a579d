package tatikonda

import (
	"slices"

	"github.com/pinion-index/pinion/papers/internal/coding"
)

// skips is a posting list with skips: blocks of B docIDs in PForDelta, and before each its
// first docID, not compressed (section 3.2.3).
type skips struct {
	*coding.List
	each int      // segments of a block: one of B docIDs, or several of longest
	at   []uint32 // d[L, i]: the first docID of block i
	last uint32   // of the list
}

// longest is the most docIDs that a segment can have.
const longest = 1024

func newSkips(docs []uint32, b int) (*skips, error) {
	l, err := coding.Scheme{Kind: coding.PFD, Segment: min(b, longest), Share: 0.1}.Encode(docs)
	if err != nil {
		return nil, err
	}
	s := &skips{List: l, each: max(b/longest, 1), last: docs[len(docs)-1]}
	for i := 0; i < l.Segments(); i += s.each {
		s.at = append(s.at, docs[l.First(i)])
	}
	return s, nil
}

// segments returns the segments of block i: [from, to).
func (s *skips) segments(i int) (from, to int) { return i * s.each, min((i+1)*s.each, s.Segments()) }

// end returns the docID that block i ends before, or the list's last.
func (s *skips) end(i int) uint32 {
	if i+1 < len(s.at) {
		return s.at[i+1]
	}
	return s.last
}

// find returns the last block that begins at or before x, 0 if none does.
func (s *skips) find(x uint32) int {
	i, found := slices.BinarySearch(s.at, x)
	if !found && i > 0 {
		i--
	}
	return min(i, len(s.at)-1)
}

// sublist is a range of blocks of a list that a task has: [from, to).
type sublist struct {
	*skips
	from, to int
}

// cursor moves through a sublist, one decoded block at a time.
type cursor struct {
	sublist
	buf   []uint32
	block int // in buf
	pos   int
	done  bool
}

// open prepares a cursor on the sublist's first block.
func (c *cursor) open(s sublist) {
	c.sublist, c.done = s, s.from >= s.to
	if !c.done {
		c.decode(s.from)
	}
}

func (c *cursor) decode(i int) {
	from, to := c.segments(i)
	first := c.First(from)
	n := c.First(to) - first
	if cap(c.buf) < n {
		c.buf = make([]uint32, max(n, longest))
	}
	c.buf = c.buf[:n]
	for s := from; s < to; s++ {
		c.DecodeSegment(c.buf[c.First(s)-first:c.First(s+1)-first], s)
	}
	c.block, c.pos = i, 0
}

// seek moves to the first docID at or after x and returns it; ok is false if there is none.
func (c *cursor) seek(x uint32) (d uint32, ok bool) {
	if c.done {
		return 0, false
	}
	if c.block+1 < c.to && c.at[c.block+1] <= x { // overshoots the block
		i := c.block + 1
		for i+1 < c.to && c.at[i+1] <= x {
			i++
		}
		c.decode(i)
	}
	for {
		if i, _ := slices.BinarySearch(c.buf[c.pos:], x); c.pos+i < len(c.buf) {
			c.pos += i
			return c.buf[c.pos], true
		}
		if c.block+1 >= c.to {
			c.done = true
			return 0, false
		}
		c.decode(c.block + 1)
	}
}

// smallAdaptive is the paper's modified Small Adaptive algorithm (section 3.1): an
// eliminator from the first list, which the others are searched for in turn; where it is
// missing the next larger docID is the next eliminator. Only docIDs of [lo, hi) count.
func smallAdaptive(cursors []cursor, lo, hi uint32, out []uint32) []uint32 {
	e, ok := cursors[0].seek(lo)
	hits, i := 1, 1%len(cursors)
	for ok && e < hi {
		if hits == len(cursors) {
			out = append(out, e)
			e, ok = cursors[0].seek(e + 1)
			hits, i = 1, 1%len(cursors)
			continue
		}
		d, more := cursors[i].seek(e)
		if !more {
			return out
		}
		if d == e {
			hits++
		} else {
			e, hits = d, 1
		}
		i = (i + 1) % len(cursors)
	}
	return out
}
