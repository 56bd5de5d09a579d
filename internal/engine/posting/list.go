// Package posting has the posting lists that algorithms move over, with their bounds, and long lists cached as
// bitmaps.
package posting

import (
	"math"

	"github.com/pinion-index/pinion/internal/bitpack"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// List is the posting list of a term in a segment. A damaged list reads as exhausted, so that loops
// over lists need no error paths; Run.Settle looks for errors afterwards.
type List struct {
	reader.Cursor
	Entry  segment.Entry
	In     *Field // whose list it is
	Reach  reader.Reach
	Live   uint32  // postings of documents that are not deleted; set for Run.Count only
	Term   int     // index in the canonical order of terms
	Weight float32 // as in Score
	Bound  float32 // no posting of the list scores more; set by Run.SumBounds
	Small  bool    // the list has no extent
	Huge   bool    // frequencies may reach 2^31
	From   uint32  // documents before it are done, even if the cursor is still at one
	Row    int     // the block of From when last it was looked for

	Scores []float32 // of a small list, after Run.SumBounds

	Dense *Dense // the cached form of the list, nil if there is none
	Asked bool   // whether dense has been looked up for this query

	Fates []uint8 // of the blocks if they are traced; see ListTrace

	ListCounts
}

// List returns the list that l walks.
func (l *List) List() *segment.List { return l.Cursor.List() }

// ChunkOf returns the ChunkLen docIDs of a block that the first one at or above doc is among, and the position of the first.
// After the last docID of the block they are End. It returns nil at the end and for lists that have no chunks.
func (l *List) ChunkOf(doc uint32) (docs *[ChunkLen]uint32, first int) { return l.Cursor.ChunkOf(doc) }

// Open moves l to the first posting of its entry in s.
func (l *List) Open(s *reader.Segment, by reader.Strategy) error {
	l.SetArmed(true) // a query arms faults and holds the snapshot
	if err := l.Init(s, l.Entry); err != nil {
		return err
	}
	if err := l.SetStrategy(by); err != nil {
		return err
	}
	l.From, l.Row, l.Fates = 0, 0, nil
	p := l.List().Small()
	if l.Small = p.Len() > 0; l.Small {
		l.Huge = bitpack.Bits(p.Freqs) > 31
		return nil
	}
	tf, _ := l.List().Quad.Pair(0)
	l.Huge = tf > math.MaxInt32
	return nil
}

// TraceBlocks makes l note what happens to its blocks.
func (l *List) TraceBlocks() {
	l.Fates = make([]uint8, l.Blocks())
	l.Record(l.Fates)
}

// Skipped counts the block whose last docID is last as skipped because of its bound.
func (l *List) Skipped(last uint32) {
	l.ByBound++
	if l.Fates != nil {
		l.Fates[LowerBound(l.List().Docs.Last[:l.Blocks()], last)] |= belowBound
	}
}

// DecodedRow adds blocks that were decoded without the cursor, with their frequencies or without, to the counts.
func (l *List) DecodedRow(block, n int, freqs bool) {
	fate := uint8(docsDecoded)
	if l.DocBlocks += uint64(n); freqs {
		l.FreqBlocks += uint64(n)
		fate |= FreqsDecoded
	}
	if l.Fates != nil {
		for i := range l.Fates[block : block+n] {
			l.Fates[block+i] |= fate
		}
	}
}

// DecodedFreqs adds a block whose frequencies were decoded without the cursor to the counts.
func (l *List) DecodedFreqs(block int) {
	l.FreqBlocks++
	if l.Fates != nil {
		l.Fates[block] |= FreqsDecoded
	}
}

// Blocks returns the number of blocks.
func (l *List) Blocks() int { return l.List().Blocks }

// BlockBound returns a bound of the scores of the block at the block pointer.
func (l *List) BlockBound() float32 {
	if l.Small {
		return l.Bound
	}
	return l.In.Scorer.Bound(l.Weight, l.BlockMax())
}

// ScoreNorms replaces the norms in v of documents that the list holds by the scores of their postings, which
// have frequencies freqs.
func (l *List) ScoreNorms(v []float32, freqs []uint32) {
	l.In.Scorer.ScoreNorms(v, freqs, l.Weight, l.Huge)
}

// Count adds the number of blocks that the cursor decoded to the counts.
func (l *List) Count() {
	d, f := l.Decoded()
	l.DocBlocks += uint64(d)
	l.FreqBlocks += uint64(f)
}

// What can happen to a block, as in package query.
const (
	docsDecoded  = reader.RecordDocs
	FreqsDecoded = reader.RecordFreqs
	belowBound   = 1 << 2
)

// ListCounts is query.ListCounts.
type ListCounts struct{ DocBlocks, FreqBlocks, ByBound, Probes, Found uint64 }
