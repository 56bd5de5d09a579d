package engine

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// end is the docID of an exhausted list; it is above every docID.
const end = reader.NoDoc

// list is the posting list of a term in a segment. A damaged list reads as exhausted, so that loops
// over lists need no error paths; run.settle looks for errors afterwards.
type list struct {
	reader.Cursor
	entry  segment.Entry
	reach  reader.Reach
	term   int     // index in the canonical order of terms
	weight float32 // as in Score
	bound  float32 // no posting of the list scores more; set by run.sumBounds
	small  bool    // the list has no extent
	huge   bool    // frequencies may reach 2^31
	from   uint32  // documents before it are done, even if the cursor is still at one
	row    int     // the block of from at the last call of run.row

	scores []float32 // of a small list, after run.sumBounds

	dense *denseList // the cached form of the list, nil if there is none
	asked bool       // whether dense has been looked up for this query

	fates []uint8 // of the blocks if they are traced; see ListTrace

	ListCounts
}

// List returns the list that l walks.
func (l *list) List() *segment.List { return l.Cursor.List(trusted.Caller{}) }

// open moves l to the first posting of its entry in s.
func (l *list) open(s *reader.Segment, by reader.Strategy) error {
	l.SetArmed(trusted.Caller{}, true) // a query arms faults and holds the snapshot
	if err := l.Init(s, l.entry); err != nil {
		return err
	}
	if err := l.SetStrategy(by); err != nil {
		return err
	}
	l.from, l.row, l.fates = 0, 0, nil
	docs, freqs := l.List().Small()
	if l.small = docs != nil; l.small {
		l.huge = slices.Max(freqs) > math.MaxInt32
		return nil
	}
	tf, _ := l.List().Quad.Pair(0)
	l.huge = tf > math.MaxInt32
	return nil
}

// traceBlocks makes l note what happens to its blocks.
func (l *list) traceBlocks() {
	l.fates = make([]uint8, l.blocks())
	l.Record(l.fates)
}

// skipped counts the block whose last docID is last as skipped because of its bound.
func (l *list) skipped(last uint32) {
	l.ByBound++
	if l.fates != nil {
		l.fates[lowerBound(l.List().Docs.Last[:l.blocks()], last)] |= belowBound
	}
}

// decoded adds blocks that were decoded without the cursor to the counts.
func (l *list) decoded(block, n int) {
	l.DocBlocks += uint64(n)
	l.FreqBlocks += uint64(n)
	if l.fates != nil {
		for i := range l.fates[block : block+n] {
			l.fates[block+i] |= docsDecoded | freqsDecoded
		}
	}
}

// blocks returns the number of blocks.
func (l *list) blocks() int { return l.List().Blocks }

// blockBound returns a bound of the scores of the block at the block pointer.
func (l *list) blockBound(s *Scorer) float32 {
	if l.small {
		return l.bound
	}
	return s.Bound(l.weight, l.BlockMax())
}

// count adds the number of blocks that the cursor decoded to the counts.
func (l *list) count() {
	d, f := l.Decoded()
	l.DocBlocks += uint64(d)
	l.FreqBlocks += uint64(f)
}

// lowerBound returns the index of the first element of v, which ascends, that is at least target,
// or len(v).
func lowerBound(v []uint32, target uint32) int {
	lo, hi := 0, len(v)
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

// settle finishes the current lists and reports the first damage found in them.
func (r *run) settle() {
	for _, l := range r.lists[:r.opened] {
		l.count()
		if err := l.Err(); err != nil {
			r.fail(format.Locate(err, r.place(l)))
		}
	}
}

// place returns the location of l for errors.
func (r *run) place(l *list) format.Place {
	return format.Place{List: string(r.terms[l.term].bytes), Block: format.NoBlock}
}
