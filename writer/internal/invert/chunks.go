package invert

// chunkLen is the number of elements in each part of chunks.
const chunkLen = 1 << 14

// shortest is the number of elements that the first part of chunks begins with, and that
// of 64-byte units in the first page of a keyArena: a commit of a few documents is cheap.
// They double until they are of full size.
const shortest = 1 << 6

// chunks is a growing array that moves only while it is short, so that growing it creates
// little garbage and its size is known to the byte. reset keeps the memory.
type chunks[T any] struct {
	parts [][]T
	n     int
}

func (c *chunks[T]) append(v T) {
	switch {
	case c.n == 0 && len(c.parts) == 0:
		c.parts = append(c.parts, make([]T, shortest))
	case c.n < chunkLen && c.n == len(c.parts[0]):
		longer := make([]T, 2*c.n)
		copy(longer, c.parts[0])
		c.parts[0] = longer
	case c.n == len(c.parts)*chunkLen:
		c.parts = append(c.parts, make([]T, chunkLen))
	}
	c.parts[c.n/chunkLen][c.n%chunkLen] = v
	c.n++
}

// at returns element i, which append may move.
func (c *chunks[T]) at(i int) *T { return &c.parts[i/chunkLen][i%chunkLen] }

func (c *chunks[T]) reset() { c.n = 0 }

// keyPageBytes is the size of one page of a keyArena.
const (
	keyPageBytes = 1 << 18
	keyPageShift = 16
	keyPageMask  = 1<<keyPageShift - 1
)

// keyArena holds byte strings of at most 65535 bytes, each preceded by a fixed
// number of bytes for the user of the arena. References count 4-byte units and are
// never 0.
type keyArena struct {
	pages [][]byte
	page  int // page in use
	used  int // bytes of it
}

// alloc returns the reference and the memory of n new bytes, whose content is
// arbitrary. The next alloc may move them.
func (a *keyArena) alloc(n int) (uint32, []byte) {
	switch {
	case len(a.pages) == 0:
		a.pages, a.used = append(a.pages, make([]byte, max(64*shortest, n+4))), 4
	case a.used+n > keyPageBytes:
		if a.page++; a.page == len(a.pages) {
			a.pages = append(a.pages, make([]byte, keyPageBytes))
		}
		a.used = 4
	case a.used+n > len(a.pages[a.page]): // the first one
		longer := make([]byte, min(max(2*len(a.pages[0]), a.used+n), keyPageBytes))
		copy(longer, a.pages[0])
		a.pages[0] = longer
	}
	ref := uint32(a.page)<<keyPageShift | uint32(a.used/4)
	b := a.pages[a.page][a.used : a.used+n : a.used+n]
	a.used = (a.used + n + 3) &^ 3
	return ref, b
}

// at returns the bytes from ref to the end of its page.
func (a *keyArena) at(ref uint32) []byte {
	return a.pages[ref>>keyPageShift][(ref&keyPageMask)*4:]
}

func (a *keyArena) reset() { a.page, a.used = 0, 4 }

// bytes returns the memory in use, in whole pages: a first page that is still growing
// counts as what it becomes.
func (a *keyArena) bytes() int {
	if len(a.pages) == 0 {
		return 0
	}
	return (a.page + 1) * keyPageBytes
}
