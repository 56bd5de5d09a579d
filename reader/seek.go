package reader

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
)

// Strategy is a way for NextGEQ to find the block that holds a docID. All
// strategies find the same posting.
type Strategy uint8

// The strategies.
const (
	// Gallop doubles its step through the skip header, starting at the current
	// block, and bisects the last step.
	Gallop Strategy = iota
	// SafeRange bisects the blocks within the safe range of the list's linear
	// regression (Ao 2011, section 3.3); lists without one gallop.
	SafeRange
	// Buckets bisects the blocks of the docID's hash bucket (Ao 2011, section 3.4);
	// lists without buckets gallop.
	Buckets

	// Default is the fastest by BenchmarkShallow: Gallop takes 13 to 22 ns for
	// steps of 100 postings and 30 to 57 ns for 1000, the others 32 to 68 and 47
	// to 112. The others catch up at steps of 10,000 postings.
	Default = Gallop
)

// String returns the strategy's name: gallop, safe-range, buckets.
func (s Strategy) String() string {
	return [...]string{"gallop", "safe-range", "buckets", "?"}[min(s, 3)]
}

// SetStrategy sets how NextGEQ finds blocks, until the next Init. It returns an
// error if s is not one of the strategies.
func (c *Cursor) SetStrategy(s Strategy) error {
	if s > Buckets {
		return fmt.Errorf("reader: unknown strategy %d", s)
	}
	c.seek = s
	return nil
}

// NextGEQ moves to the first posting whose docID is at least target and returns
// that docID. It never moves backwards.
func (c *Cursor) NextGEQ(target uint32) uint32 {
	if doc := c.Doc(); target <= doc {
		return doc
	}
	if target > c.blockLast && !c.seekBlock(target) {
		return NoDoc
	}
	c.pos = c.find(target)
	c.inv = ^c.docs[c.pos]
	return ^c.inv
}

// seekBlock enters the block that holds the first docID at or above target, which
// is not in the current block. It reports whether there is such a block.
func (c *Cursor) seekBlock(target uint32) bool {
	if c.armed {
		return c.end(c.decodeBlockOf(target)) && c.inv != 0
	}
	return c.end(c.guard(func() error { return c.decodeBlockOf(target) })) && c.inv != 0
}

// decodeBlockOf decodes the block that holds target, or ends the walk if all
// docIDs are below target.
func (c *Cursor) decodeBlockOf(target uint32) error {
	b := max(c.block, 0)
	if target > c.last[b] {
		if b = c.findBlock(b+1, target); b == len(c.last) {
			if c.finish(); target <= c.last[b-1] {
				return c.list.Locate(format.Corrupt("the skip header does not ascend"), format.NoBlock)
			}
			return nil
		}
	}
	if err := c.decodeDocs(b); err != nil {
		return err
	}
	if c.blockLast < target { // the file has changed since findBlock
		return c.list.Locate(implausible(), b)
	}
	return nil
}

// Shallow moves the block pointer, not the cursor, to the block in which
// NextGEQ(target) would stop. It returns the last docID of that block, or NoDoc
// if there is none. It decodes nothing. The pointer only moves forward; when the
// cursor passes it, it follows.
func (c *Cursor) Shallow(target uint32) uint32 {
	switch {
	case target-1 < c.peekLast: // 0 < target <= c.peekLast
	case c.armed:
		c.peekBlock(target)
	case !c.end(c.guard(func() error { c.peekBlock(target); return nil })):
		c.peek, c.peekLast = len(c.last), NoDoc
	}
	return c.peekLast
}

// peekBlock moves the block pointer forward to the block of target. If the file
// changes meanwhile, so that this block ends below target, the walk ends.
func (c *Cursor) peekBlock(target uint32) {
	b, last := c.peek, uint32(NoDoc)
	if b < len(c.last) && target > c.last[b] {
		b = c.findBlock(b+1, target)
	}
	if b < len(c.last) {
		if last = c.last[b]; last < target {
			c.end(c.list.Locate(implausible(), b))
			b, last = len(c.last), NoDoc
		}
	}
	c.peek, c.peekLast = b, last
}

// BlockLast returns the last docID of the block at the block pointer, or NoDoc
// past the last block.
func (c *Cursor) BlockLast() uint32 {
	if c.peekLast == 0 {
		return c.Shallow(0)
	}
	return c.peekLast
}

// BlockMax returns a bound of the postings of the block at the block pointer.
// Past the last block it is 0, the bound of no postings. Of an extent in a field of
// impacts it is format.Maxima, and so is what ListMax returns: segment.List.Bound makes
// a quad of it.
func (c *Cursor) BlockMax() (bound format.Quad) {
	switch {
	case c.peek >= len(c.last):
		return 0
	case c.list.Quads == nil:
		return c.ListMax()
	case c.armed:
		return c.list.Quads[c.peek]
	}
	c.end(c.guard(func() error { bound = c.list.Quads[c.peek]; return nil }))
	return bound
}

// ListMax returns a bound of all postings of the list, wherever the cursor is.
// Lists too short for an extent store no bounds; theirs is made of their greatest
// frequency and the length of the segment's shortest document. Before Init and
// after Close it is 0, the bound of no postings.
func (c *Cursor) ListMax() format.Quad {
	if c.list.Quads != nil {
		return c.list.Quad
	}
	if c.bound == 0 && c.list.N > 0 {
		pair := uint64(format.EncodeTF(slices.Max(c.list.Small().Freqs))) | uint64(format.EncodeLen(c.seg.views.Meta().MinLen))<<8
		c.bound = format.Quad(pair * 0x0001000100010001)
	}
	return c.bound
}

// findBlock returns the first block from b on whose last docID is at least
// target, or the number of blocks. Block b-1 is known to end below target.
func (c *Cursor) findBlock(b int, target uint32) int {
	if target > c.last[len(c.last)-1] {
		return len(c.last)
	}
	// Shallow may be further ahead, and NextGEQ usually follows it.
	if c.peek > b && c.peek < len(c.last) && c.last[c.peek-1] < target {
		if b = c.peek; c.last[b] >= target {
			return b
		}
	}
	if c.seek == Gallop {
		return gallop(c.last, b, target)
	}
	var lo, hi int
	if c.seek == SafeRange {
		lo, hi = c.list.Range(target)
	} else {
		lo, hi = c.list.Bucket(target)
	}
	lo = max(lo/c.list.BlockLen, b)
	hi = min(hi/c.list.BlockLen, len(c.last)-1)
	// Metadata of a damaged list may point anywhere: check it against the skip header.
	if lo > hi || lo > b && c.last[lo-1] >= target || c.last[hi] < target {
		return gallop(c.last, b, target)
	}
	return bisect(c.last, lo, hi, target)
}

// gallop returns the index of the first element of v[lo:] that is at least
// target, or len(v) if there is none.
func gallop(v []uint32, lo int, target uint32) int {
	step, hi := 1, lo
	for hi < len(v) && v[hi] < target {
		lo = hi + 1
		hi += step
		step *= 2
	}
	return bisect(v, lo, min(hi, len(v)), target)
}

// bisect returns the index of the first element of v[lo:hi] that is at least
// target, or hi if there is none.
func bisect(v []uint32, lo, hi int, target uint32) int {
	for lo < hi {
		m := int(uint(lo+hi) / 2)
		if v[m] < target {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// chunk is how many docIDs find compares at once.
const chunk = 128

// find returns the index of the first docID of the current block that is at least
// target, which must exist after pos. The block is followed by NoDocs up to a
// multiple of chunk, so that all chunks are searched alike: find counts the
// docIDs below target, first among every sixteenth, then among those between.
// That needs no branches, and no comparison waits for another. Bisection takes
// twice as long.
func (c *Cursor) find(target uint32) int {
	if c.small {
		return bisect(c.docs, c.pos, len(c.docs)-1, target)
	}
	at := chunkOf(c.docs, c.pos, target)
	return at + countBelow((*[chunk]uint32)(c.buf.docs[at:]), target)
}

// ChunkOf returns the chunk that has the first docID at or above target, and the position of the chunk's first posting in the list. A chunk
// is 128 docIDs of a block, from a multiple of 128 of it on, filled up with NoDoc, and valid until the cursor leaves the block. The cursor
// moves to the first posting of the chunk, but never backwards: NextGEQ would look for the posting too.
//
// The chunk is nil if there is no such docID, and then the cursor is after the last posting. It is also nil for lists whose blocks
// are shorter than a chunk, and then the cursor does not move.
func (c *Cursor) ChunkOf(target uint32) (docs *[128]uint32, first int) {
	if c.small || c.inv == 0 || c.list.BlockLen < chunk || target > c.blockLast && !c.seekBlock(target) || c.block < 0 && !c.load(0) {
		return nil, 0
	}
	at := chunkOf(c.docs, c.pos, target)
	c.pos = max(c.pos, at)
	c.inv = ^c.docs[c.pos]
	return (*[chunk]uint32)(c.buf.docs[at:]), c.block*c.list.BlockLen + at
}

// chunkOf returns where in docs, a block, the chunk of the first docID at or above target begins, which is not before position pos.
func chunkOf(docs []uint32, pos int, target uint32) int {
	at := pos &^ (chunk - 1)
	for at+chunk < len(docs) && docs[at+chunk-1] < target {
		at += chunk
	}
	return at
}

// countBelow returns how many elements of v, which ascends, are below target, up
// to chunk-1.
func countBelow(v *[chunk]uint32, target uint32) int {
	t := uint64(target) // a difference of uint32s that is negative has the sign bit
	k := (uint64(v[15])-t)>>63 + (uint64(v[31])-t)>>63 + (uint64(v[47])-t)>>63 + (uint64(v[63])-t)>>63 +
		(uint64(v[79])-t)>>63 + (uint64(v[95])-t)>>63 + (uint64(v[111])-t)>>63
	w := (*[15]uint32)(v[k*16&(chunk-1):])
	return int(k*16 + (uint64(w[0])-t)>>63 + (uint64(w[1])-t)>>63 + (uint64(w[2])-t)>>63 + (uint64(w[3])-t)>>63 +
		(uint64(w[4])-t)>>63 + (uint64(w[5])-t)>>63 + (uint64(w[6])-t)>>63 + (uint64(w[7])-t)>>63 +
		(uint64(w[8])-t)>>63 + (uint64(w[9])-t)>>63 + (uint64(w[10])-t)>>63 + (uint64(w[11])-t)>>63 +
		(uint64(w[12])-t)>>63 + (uint64(w[13])-t)>>63 + (uint64(w[14])-t)>>63)
}
