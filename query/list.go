package query

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

var errShortFreqs = format.Corrupt("block has more docIDs than frequencies, or fewer")

// end is the docID of a list that is exhausted; it is above every docID.
const end = math.MaxUint32

// list is one term's posting list in one segment: a cursor over its postings and
// over its blocks' bounds. A list that is damaged, or whose query is cancelled,
// tells stop and reads as exhausted, so that loops over lists need no error paths.
//
// doc is the current posting's docID. Its block need not be decoded yet: at the
// start doc is the first docID, known from the extent's header.
type list struct {
	entry segment.Entry
	l     segment.List
	stop  *stop
	score *Scorer

	term   int     // index in the canonical order of terms
	weight float32 // as in Score
	bound  float32 // no posting of the list scores more; known after run.sumBounds
	seekBy Seek
	huge   bool // frequencies may reach 2^31

	doc uint32
	pos int // of doc in docs, meaningful while block is decoded

	last   []uint32 // skip header: last docID of every block
	block  int      // the block in docs, -1 for none
	peek   int      // the block whose bound was looked at last
	docs   []uint32
	freqs  []uint32
	freqB  int // the block in freqs, -1 for none
	scoreB int // the block in scores, -1 for none
	scores []float32

	docsBuf, freqsBuf []uint32
	smallLast         [1]uint32

	ListCounts
}

// open makes l a cursor over the list of its entry in s.
func (l *list) open(s *segment.Segment) error {
	if err := s.InitList(&l.l, l.entry); err != nil {
		return err
	}
	l.block, l.freqB, l.scoreB, l.pos, l.peek = -1, -1, -1, 0, 0
	l.docs, l.freqs = nil, nil
	l.ListCounts = ListCounts{}
	if docs, freqs := l.l.Small(); docs != nil {
		l.docs, l.freqs, l.block, l.freqB = docs, freqs, 0, 0
		l.smallLast[0] = docs[len(docs)-1]
		l.last, l.doc = l.smallLast[:], docs[0]
		l.huge = slices.Max(freqs) > math.MaxInt32
		return nil
	}
	n := l.l.BlockLen
	if cap(l.docsBuf) < n {
		l.docsBuf, l.freqsBuf = make([]uint32, n), make([]uint32, n)
	}
	l.last, l.doc = l.l.Docs.Last[:l.l.Blocks], l.l.First
	tf, _ := l.l.Quad.Pair(0)
	l.huge = tf > math.MaxInt32
	return nil
}

// load decodes the docIDs of block b. It reports failure by false.
func (l *list) load(b int) bool {
	if l.stop.stopped() {
		l.finish()
		return false
	}
	n, err := l.l.DecodeDocs(b, l.docsBuf[:cap(l.docsBuf)])
	if err == nil {
		err = l.checkBlock(b, n)
	}
	if err != nil {
		l.fail(err, b)
		return false
	}
	l.docs, l.block = l.docsBuf[:n], b
	l.DocBlocks++
	return true
}

// checkBlock makes sure of what loops over a block rely on beyond what decoders
// promise.
func (l *list) checkBlock(b, n int) error {
	if n == 0 || l.docsBuf[n-1] != l.last[b] || b > 0 && l.docsBuf[0] <= l.last[b-1] || b == 0 && l.docsBuf[0] != l.l.First {
		return format.Corrupt("block does not hold the docIDs of the skip header")
	}
	return nil
}

func (l *list) fail(err error, block int) {
	l.stop.fail(format.Locate(err, format.Place{Block: block}))
	l.finish()
}

func (l *list) finish() { l.doc = end }

// loadFreqs decodes the frequencies of the current block.
func (l *list) loadFreqs() bool {
	if l.freqB == l.block {
		return true
	}
	n, err := l.l.DecodeFreqs(l.block, l.freqsBuf[:cap(l.freqsBuf)])
	if err == nil && n != len(l.docs) {
		err = errShortFreqs
	}
	if err != nil {
		l.fail(err, l.block)
		return false
	}
	l.freqs, l.freqB = l.freqsBuf[:n], l.block
	l.FreqBlocks++
	return true
}

// freq returns the frequency of the current posting.
func (l *list) freq() uint32 {
	if l.block < 0 && !l.load(0) || !l.loadFreqs() {
		return 0
	}
	return l.freqs[l.pos]
}

// next moves to the next posting.
func (l *list) next() {
	if l.block < 0 && !l.load(0) {
		return
	}
	l.pos++
	if l.pos < len(l.docs) {
		l.doc = l.docs[l.pos]
		return
	}
	l.enter(l.block + 1)
}

// enter moves to the first posting of block b.
func (l *list) enter(b int) {
	if b >= len(l.last) {
		l.finish()
		return
	}
	if l.load(b) {
		l.pos, l.doc = 0, l.docs[0]
	}
}

// seek moves to the first posting whose docID is at least target, unless the
// current one already is.
func (l *list) seek(target uint32) {
	if target <= l.doc {
		return
	}
	b := max(l.block, 0)
	if target > l.last[b] {
		if b = l.findBlock(b+1, target); b >= len(l.last) {
			l.finish()
			return
		}
	}
	if b != l.block {
		if !l.load(b) {
			return
		}
		l.pos = 0
	}
	l.pos = l.find(target)
	l.doc = l.docs[l.pos]
}

// find returns the index of the first docID of the current block at or after pos
// that is at least target. There is one.
func (l *list) find(target uint32) int {
	lo, hi := l.pos, len(l.docs)-1
	if l.seekBy != SeekSkip {
		lo, hi = l.narrow(target, lo, hi)
	}
	return lowerBound(l.docs, lo, hi, target)
}

// lowerBound returns the first index from lo on whose element is at least target,
// hi if none before hi is.
func lowerBound(v []uint32, lo, hi int, target uint32) int {
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

// findBlock returns the first block from b on whose last docID is at least
// target, or the number of blocks.
func (l *list) findBlock(b int, target uint32) int {
	if l.seekBy != SeekSkip {
		return l.findBlockBy(b, target)
	}
	return gallop(l.last, b, target)
}

// gallop is lowerBound from lo on, fast where the result is near lo.
func gallop(v []uint32, lo int, target uint32) int {
	step, hi := 1, lo
	for hi < len(v) && v[hi] < target {
		lo = hi + 1
		hi += step
		step *= 2
	}
	return lowerBound(v, lo, min(hi, len(v)), target)
}

// blockBound returns a score that no posting of block b exceeds.
func (l *list) blockBound(b int) float32 {
	if l.l.Quads == nil {
		return l.bound
	}
	return l.score.Bound(l.weight, l.l.Quads[b])
}

// shallow returns the block that a seek to target would end in, without moving,
// or the number of blocks.
func (l *list) shallow(from int, target uint32) int {
	if from < len(l.last) && target <= l.last[from] {
		return from
	}
	return gallop(l.last, from, target)
}
