package reader

import (
	"math"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// NoDoc is what a Cursor stands on after its last posting; it is above every
// docID.
const NoDoc = math.MaxUint32

// maxBlock is the longest block of any codec.
const maxBlock = 1024

// Cursor walks the postings of one term in one segment, in docID order. DocIDs are
// local to the segment. It decodes a block of docIDs when it enters it, and the
// block's frequencies when the first of them is asked for; nothing is allocated
// after NewCursor. On an error it stands on NoDoc, and Err says what happened.
//
// A Cursor is used by one goroutine at a time. It refers to its segment's memory:
// it must not be moved after the snapshot is closed.
type Cursor struct {
	list  segment.List
	seg   *Segment
	last  []uint32 // last docID of every block
	seek  Strategy
	small bool // the list has no extent: docs and freqs lie in list

	doc   uint32
	block int      // the block in docs, -1 before the first is decoded
	peek  int      // the block that Shallow moved to
	pos   int      // of doc in docs and freqs
	docs  []uint32 // of the block; nil while nothing is decoded and after the end
	freqs []uint32 // of the block; nil until they are asked for
	err   error

	decodedDocs, decodedFreqs uint32 // blocks, since Init

	bound             format.Quad // of a list without bounds of its own
	one               [1]uint32   // last of such a list
	docsBuf, freqsBuf [maxBlock]uint32
}

var cursors = sync.Pool{New: func() any { return &Cursor{doc: NoDoc, block: -1} }}

// NewCursor returns a cursor that must be initialized before use. Close gives it
// back for another NewCursor to use.
func NewCursor() *Cursor { return cursors.Get().(*Cursor) }

// Close ends the use of a cursor.
func (c *Cursor) Close() {
	c.list = segment.List{}
	c.seg, c.last, c.docs, c.freqs, c.err = nil, nil, nil, nil, nil
	c.doc = NoDoc
	cursors.Put(c)
}

// Init moves c to the first posting of the term whose entry in s is e. It may be
// called again, for any list.
func (c *Cursor) Init(s *Segment, e segment.Entry) error {
	c.seg, c.seek = s, Default
	c.doc, c.pos, c.block, c.peek = NoDoc, 0, -1, 0
	c.docs, c.freqs, c.last, c.bound = nil, nil, nil, 0
	c.decodedDocs, c.decodedFreqs = 0, 0
	if c.err = s.InitList(&c.list, e); c.err != nil {
		return c.err
	}
	if docs, freqs := c.list.Small(); docs != nil {
		c.docs, c.freqs, c.block, c.small = docs, freqs, 0, true
		c.one[0] = docs[len(docs)-1]
		c.last, c.doc = c.one[:], docs[0]
		return nil
	}
	c.last, c.doc, c.small = c.list.Docs.Last[:c.list.Blocks], c.list.First, false
	return nil
}

// Segment returns the segment that c was initialized with.
func (c *Cursor) Segment() *Segment { return c.seg }

// List returns the list that c walks: its blocks, bounds and payloads as they lie
// in the segment. It must not be modified.
func (c *Cursor) List() *segment.List { return &c.list }

// Len returns the number of postings of the list.
func (c *Cursor) Len() int { return c.list.N }

// Doc returns the present docID, NoDoc after the last.
func (c *Cursor) Doc() uint32 { return c.doc }

// Decoded returns how many blocks of docIDs and of frequencies were decoded since
// Init, each as often as it was.
func (c *Cursor) Decoded() (docs, freqs int) { return int(c.decodedDocs), int(c.decodedFreqs) }

// Err returns the error that ended the walk, or nil.
func (c *Cursor) Err() error { return c.err }

// Pos returns the number of postings before the present one; Len after the last.
func (c *Cursor) Pos() int {
	switch {
	case c.doc == NoDoc:
		return c.list.N
	case c.block < 0:
		return 0
	}
	return c.block*c.list.BlockLen + c.pos
}

// Next moves to the next posting and returns its docID.
func (c *Cursor) Next() uint32 {
	if c.pos++; c.pos < len(c.docs) {
		c.doc = c.docs[c.pos]
	} else {
		c.leaveBlock()
	}
	return c.doc
}

// leaveBlock is Next where the block ends or is not decoded.
func (c *Cursor) leaveBlock() {
	c.pos = 0
	switch {
	case c.doc == NoDoc:
	case c.block >= 0:
		c.enter(c.block + 1)
	case !c.load(0):
	case len(c.docs) > 1:
		c.pos, c.doc = 1, c.docs[1]
	default:
		c.enter(1)
	}
}

// NextBlock moves to the first posting of the next block and reports whether
// there is one.
func (c *Cursor) NextBlock() bool {
	if c.doc == NoDoc {
		return false
	}
	c.enter(max(c.block, 0) + 1)
	return c.doc != NoDoc
}

// enter moves to the first posting of block b.
func (c *Cursor) enter(b int) {
	if b >= len(c.last) {
		c.finish()
		return
	}
	if c.load(b) {
		c.pos, c.doc = 0, c.docs[0]
	}
}

func (c *Cursor) finish() { c.doc, c.docs, c.freqs = NoDoc, nil, nil }

// load decodes the docIDs of block b and reports success.
func (c *Cursor) load(b int) bool {
	n, err := c.list.DecodeDocs(c.docsBuf[:], b, 1)
	if err == nil && !c.plausible(b, n) {
		err = format.Corrupt("block does not hold the docIDs of the skip header")
	}
	if err != nil {
		c.fail(err, b)
		return false
	}
	for i := n; i%chunk != 0; i++ {
		c.docsBuf[i] = NoDoc
	}
	c.docs, c.freqs, c.block, c.pos, c.peek = c.docsBuf[:n], nil, b, 0, max(c.peek, b)
	c.decodedDocs++
	return true
}

// plausible checks what moving over blocks relies on beyond what codecs promise.
func (c *Cursor) plausible(b, n int) bool {
	if n == 0 || c.docsBuf[n-1] != c.last[b] || c.last[b] >= c.seg.Info.Docs {
		return false
	}
	if b == 0 {
		return c.docsBuf[0] == c.list.First
	}
	return c.docsBuf[0] > c.last[b-1]
}

// Freq returns the frequency of the present posting, 0 after the last.
func (c *Cursor) Freq() uint32 {
	if c.pos < len(c.freqs) || c.loadFreqs() {
		return c.freqs[c.pos]
	}
	return 0
}

// loadFreqs decodes the frequencies of the present block, if they are not yet,
// and reports success.
func (c *Cursor) loadFreqs() bool {
	switch {
	case c.freqs != nil:
		return true
	case c.doc == NoDoc || c.block < 0 && !c.load(0):
		return false
	}
	n, err := c.list.DecodeFreqs(c.freqsBuf[:], c.block, 1)
	if err == nil && n != len(c.docs) {
		err = format.Corrupt("block has %d docIDs and %d frequencies", len(c.docs), n)
	}
	if err != nil {
		c.fail(err, c.block)
		return false
	}
	c.freqs = c.freqsBuf[:n]
	c.decodedFreqs++
	return true
}

func (c *Cursor) fail(err error, block int) {
	c.err = format.Locate(err, format.Place{File: c.seg.Name(), Section: format.SectionPostings.String(), Block: block})
	c.finish()
}

// Docs returns the docIDs of the present block from the present posting on. They
// are valid until the cursor leaves the block.
func (c *Cursor) Docs() []uint32 {
	if c.doc == NoDoc || c.block < 0 && !c.load(0) {
		return nil
	}
	return c.docs[c.pos:]
}

// Freqs returns the frequencies that belong to Docs.
func (c *Cursor) Freqs() []uint32 {
	if !c.loadFreqs() {
		return nil
	}
	return c.freqs[c.pos:]
}
