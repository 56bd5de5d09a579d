package reader

import (
	"errors"
	"math"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/invariants"
	"github.com/pinion-index/pinion/segment"
)

// NoDoc is the docID of a Cursor after its last posting. It is above every valid
// docID.
const NoDoc = math.MaxUint32

// maxBlock is the longest block of any codec.
const maxBlock = 1024

// Cursor walks the postings of one term in one segment, in docID order. DocIDs
// are local to the segment. It decodes a block of docIDs when it enters the
// block, and the block's frequencies when the first of them is asked for. It
// allocates nothing after the first Init. On an error Doc returns NoDoc and Err
// returns the cause: damage, a fault of mapped memory, or that the cursor or its
// snapshot is closed.
//
// Until Close a Cursor keeps the files of the snapshot of its last Init in memory.
// After the snapshot is closed it still walks the block that it has decoded, and
// then fails with an error that matches ErrClosed.
//
// The zero Cursor is at NoDoc, and Init gives it a list. A Cursor must not be copied
// after Init, which go vet finds: a copy fails with an error at the next block, and its
// Close does nothing to the original. A Cursor must not be used by several goroutines
// at the same time.
type Cursor struct {
	_    noCopy
	self *Cursor // set by Init; differs in a copy

	list   segment.List
	seg    *Segment
	last   []uint32 // last docID of every block
	seek   Strategy
	small  bool // the list has no extent: docs and freqs lie in list
	armed  bool // see SetArmed
	closed bool

	inv       uint32   // the complement of the current docID: 0 is NoDoc, where a zero Cursor is
	blockLast uint32   // last docID of the block in docs, 0 before the first is decoded
	block     int      // the block in docs, -1 before the first is decoded
	peek      int      // the block that Shallow moved to
	peekLast  uint32   // its last docID; 0 if not looked up, NoDoc past the last block
	pos       int      // index of the current docID in docs and freqs
	docs      []uint32 // of the block; nil while nothing is decoded and after the end
	freqs     []uint32 // of the block; nil until they are asked for
	err       error

	decodedDocs, decodedFreqs uint32  // blocks, since Init
	record                    []uint8 // see Record

	places *segment.PositionReader // of the list, if placed; nil until positions are asked for
	placed bool

	bound format.Quad // of a list without bounds of its own
	one   [1]uint32   // last of such a list
	buf   *blockBuffers

	held  *life  // what the cursor has acquired
	watch *watch // set while held is
}

// blockBuffers hold a decoded block. A Cursor owns one from its first Init on a
// list with blocks until Close.
type blockBuffers struct{ docs, freqs [maxBlock]uint32 }

var buffers = sync.Pool{New: func() any {
	b := new(blockBuffers)
	b.poison()
	return b
}}

// poison marks b as released, in tests of invariants.
func (b *blockBuffers) poison() {
	invariants.Poison(b.docs[:])
	invariants.Poison(b.freqs[:])
}

// getBuffers returns buffers that nobody uses.
func getBuffers() *blockBuffers {
	b := buffers.Get().(*blockBuffers)
	invariants.Unpoison(b.docs[:])
	invariants.Unpoison(b.freqs[:])
	return b
}

// NewCursor returns a cursor at NoDoc. Init gives it a list; one cursor can walk
// any number of lists, one after the other.
func NewCursor() *Cursor { return &Cursor{block: -1, peekLast: NoDoc} }

// Cursor returns a cursor at the first posting of term, or at NoDoc if the
// segment does not hold term. The caller closes it.
func (s *Segment) Cursor(term []byte) (*Cursor, error) {
	return s.only().Cursor(term)
}

// Close releases the cursor's memory: slices that it returned must not be used
// afterwards. Doc then returns NoDoc, and Err and Init return ErrClosed. Further
// calls do nothing.
func (c *Cursor) Close() {
	if c.self == c { // what a copy has is the original's
		if c.buf != nil {
			c.buf.poison()
			buffers.Put(c.buf)
		}
		c.watch.stop()
		c.held.release()
	}
	*c = Cursor{block: -1, peekLast: NoDoc, closed: true, err: ErrClosed}
}

// SetArmed says whether the caller guards against faults (Guard) and holds the
// snapshot (Snapshot.Acquire) around all calls. The cursor then does neither, which
// saves about 20 ns a block. It is for engines that run a whole query under one
// guard.
func (c *Cursor) SetArmed(armed bool) { c.armed = armed }

// Init moves c to the first posting of the term whose entry in s is e. It may be
// called again, for any list.
func (c *Cursor) Init(s *Segment, e segment.Entry) error {
	switch {
	case c.closed:
		return ErrClosed
	case s == nil:
		return errNoInit
	case c.self == nil:
		c.self = c
	case c.self != c:
		return errCopied
	}
	c.seg, c.seek, c.err = s, Default, nil
	c.inv, c.pos, c.block, c.blockLast, c.peek, c.peekLast = 0, 0, -1, 0, 0, NoDoc
	c.docs, c.freqs, c.last, c.bound = nil, nil, nil, 0
	c.decodedDocs, c.decodedFreqs, c.record, c.placed = 0, 0, nil, false
	if c.armed {
		c.end(c.start(e))
	} else {
		c.end(c.guard(func() error { return c.start(e) }))
	}
	if c.err != nil {
		c.list = segment.List{}
	}
	return c.err
}

// start reads the list of e.
func (c *Cursor) start(e segment.Entry) error {
	if err := c.seg.views.Lists().Init(&c.list, e); err != nil {
		return err
	}
	if p := c.list.Small(); p.Len() > 0 {
		c.docs, c.freqs, c.block, c.small = p.Docs, p.Freqs, 0, true
		c.one[0] = p.Docs[p.Len()-1]
		c.last, c.inv, c.blockLast, c.peekLast = c.one[:], ^p.Docs[0], c.one[0], c.one[0]
		return nil
	}
	c.last, c.inv, c.small = c.list.Docs.Last[:c.list.Blocks], ^c.list.First, false
	c.peekLast = 0 // the skip header may never be needed
	if c.buf == nil {
		c.buf = getBuffers()
	}
	return nil
}

// end ends the walk if err is an error and reports whether it is none.
func (c *Cursor) end(err error) bool {
	if err != nil {
		if c.err = err; c.seg != nil { // a fault says no more than the file
			c.err = format.Locate(err, format.Place{File: c.seg.Name(), Section: format.SectionPostings.String(), Block: format.NoBlock})
		}
		c.finish()
	}
	return err == nil
}

// guard calls f, which reads the segment's memory, and turns a fault into an
// error. It fails if the snapshot is closed.
func (c *Cursor) guard(f func() error) (err error) {
	if c.seg == nil {
		return errNoInit
	}
	if err := c.hold(); err != nil {
		return err
	}
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return f()
}

// hold acquires the snapshot of c.seg, unless c has it already, or fails if the
// snapshot is closed.
func (c *Cursor) hold() error {
	l := c.seg.life
	if c.held == l {
		return l.err()
	}
	if err := l.acquire(); err != nil {
		return err
	}
	c.held.release()
	c.watch.stop()
	if c.held, c.watch = l, nil; l != nil {
		c.watch = l.view.index.opts.watch("cursor")
	}
	return nil
}

var (
	errNoInit = errors.New("reader: a Cursor was used before Init, or Init has no segment")
	errCopied = errors.New("reader: a Cursor was copied after Init")
)

// noCopy makes go vet find copies of what has one.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Segment returns the segment that c was initialized with, nil before Init and
// after Close.
func (c *Cursor) Segment() *Segment { return c.seg }

// List returns the list that c walks: its blocks, bounds and payloads as the segment stores them. It must not be
// modified. Its slices may be mapped memory: callers read them within Guard, and hold the snapshot (Snapshot.Acquire).
func (c *Cursor) List() *segment.List { return &c.list }

// Len returns the number of postings of the list.
func (c *Cursor) Len() int { return c.list.N }

// Doc returns the current docID, or NoDoc after the last posting.
func (c *Cursor) Doc() uint32 { return ^c.inv }

// Decoded returns how many blocks of docIDs and of frequencies have been decoded
// since Init. A block counts each time it is decoded.
func (c *Cursor) Decoded() (docs, freqs int) { return int(c.decodedDocs), int(c.decodedFreqs) }

// What Record notes of a block.
const (
	RecordDocs  = 1 << iota // its docIDs were decoded
	RecordFreqs             // its frequencies were decoded
)

// Record makes c note in blocks, which has an element for each block of the list, what it
// decodes. The next Init ends that. Lists without an extent have no blocks to decode.
func (c *Cursor) Record(blocks []uint8) { c.record = blocks }

// Err returns the error that ended the walk, or nil.
func (c *Cursor) Err() error { return c.err }

// Pos returns the number of postings before the current one, or Len after the
// last.
func (c *Cursor) Pos() int {
	switch {
	case c.inv == 0:
		return c.list.N
	case c.block < 0:
		return 0
	}
	return c.block*c.list.BlockLen + c.pos
}

// Next moves to the next posting and returns its docID.
func (c *Cursor) Next() uint32 {
	if c.pos++; c.pos < len(c.docs) {
		c.inv = ^c.docs[c.pos]
	} else {
		c.leaveBlock()
	}
	return ^c.inv
}

// leaveBlock is Next at the end of a block, or if no block is decoded.
func (c *Cursor) leaveBlock() {
	c.pos = 0
	switch {
	case c.inv == 0:
	case c.block >= 0:
		c.enter(c.block + 1)
	case !c.load(0):
	case len(c.docs) > 1:
		c.pos, c.inv = 1, ^c.docs[1]
	default:
		c.enter(1)
	}
}

// NextBlock moves to the first posting of the next block and reports whether
// there is one.
func (c *Cursor) NextBlock() bool {
	if c.inv == 0 {
		return false
	}
	c.enter(max(c.block, 0) + 1)
	return c.inv != 0
}

// enter moves to the first posting of block b.
func (c *Cursor) enter(b int) {
	if b >= len(c.last) {
		c.finish()
		return
	}
	if c.load(b) {
		c.pos, c.inv = 0, ^c.docs[0]
	}
}

func (c *Cursor) finish() { c.inv, c.docs, c.freqs = 0, nil, nil }

// load decodes the docIDs of block b and reports success.
func (c *Cursor) load(b int) bool {
	if c.armed {
		return c.end(c.decodeDocs(b))
	}
	return c.end(c.guard(func() error { return c.decodeDocs(b) }))
}

func (c *Cursor) decodeDocs(b int) error {
	if c.self != c {
		return errCopied
	}
	docs := c.buf.docs[:]
	n, err := c.list.DecodeDocs(docs, b, 1)
	// The last docID of the block before is compared as it was decoded: the file may
	// have changed.
	if err == nil && (!plausible(&c.list, docs[:n], b, c.seg.info.Docs) || c.block >= 0 && docs[0] <= c.blockLast) {
		err = implausible()
	}
	if err != nil {
		return c.list.Locate(err, b)
	}
	for i := n; i%chunk != 0; i++ {
		docs[i] = NoDoc
	}
	c.docs, c.freqs, c.block, c.pos, c.blockLast = docs[:n], nil, b, 0, docs[n-1]
	if b >= c.peek {
		c.peek, c.peekLast = b, c.blockLast
	}
	c.decodedDocs++
	if c.record != nil {
		c.record[b] |= RecordDocs
	}
	return nil
}

// plausible checks what walking the blocks of l relies on and codecs do not
// promise. docs are the docIDs of block b, limit is the number of documents.
func plausible(l *segment.List, docs []uint32, b int, limit uint32) bool {
	if len(docs) == 0 {
		return false
	}
	last := l.Docs.Last
	if end := docs[len(docs)-1]; end != last[b] || end >= limit {
		return false
	}
	if b == 0 {
		return docs[0] == l.First
	}
	return docs[0] > last[b-1]
}

func implausible() error { return format.Corrupt("block does not hold the docIDs of the skip header") }

// Freq returns the frequency of the current posting, or 0 after the last.
func (c *Cursor) Freq() uint32 {
	if c.pos < len(c.freqs) || c.loadFreqs() {
		return c.freqs[c.pos]
	}
	return 0
}

// loadFreqs decodes the frequencies of the current block unless they are decoded
// already, and reports success.
func (c *Cursor) loadFreqs() bool {
	switch {
	case c.freqs != nil:
		return true
	case c.inv == 0 || c.block < 0 && !c.load(0):
		return false
	}
	if c.armed {
		return c.end(c.decodeFreqs())
	}
	return c.end(c.guard(c.decodeFreqs))
}

func (c *Cursor) decodeFreqs() error {
	if c.self != c {
		return errCopied
	}
	freqs := c.buf.freqs[:]
	n, err := c.list.DecodeFreqs(freqs, c.block, 1)
	if err == nil && n != len(c.docs) {
		err = format.Corrupt("block has %d docIDs and %d frequencies", len(c.docs), n)
	}
	if err != nil {
		return c.list.Locate(err, c.block)
	}
	c.freqs = freqs[:n]
	c.decodedFreqs++
	if c.record != nil {
		c.record[c.block] |= RecordFreqs
	}
	return nil
}

// Docs returns the docIDs of the current block, starting at the current posting.
// They are valid until the cursor leaves the block.
func (c *Cursor) Docs() []uint32 {
	if c.inv == 0 || c.block < 0 && !c.load(0) {
		return nil
	}
	return c.docs[c.pos:]
}

// Freqs returns the frequencies of the postings in Docs.
func (c *Cursor) Freqs() []uint32 {
	if !c.loadFreqs() {
		return nil
	}
	return c.freqs[c.pos:]
}
