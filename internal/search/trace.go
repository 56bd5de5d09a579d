package search

import (
	"time"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/reader"
)

// Trace records what executing a query did, for explanations. It does not change the result and
// costs little.
type Trace struct {
	Algorithm Algorithm // the one that ran last; never Auto
	Plan      string    // what was to be done, as it was known before postings were read: lines
	Segments  []SegmentTrace
	Resolve   time.Duration // time for looking up the terms
	Search    time.Duration // time for everything after that

	Thresholds []Threshold // how the threshold rose, at most 4096 of them
}

// Threshold is a rise of the score that a hit must reach.
type Threshold struct {
	Doc   uint32 // global docID at which the rise was seen, at the granularity of batches
	Score float32
}

// SegmentTrace is the part of a Trace that concerns one pass over one segment.
type SegmentTrace struct {
	Segment   int // index in the snapshot
	Algorithm Algorithm
	Lists     []ListTrace // in the order in which scores are summed
	Counts
}

// Counts are what a pass over a segment did across lists.
type Counts struct {
	Candidates uint64 // documents considered after the first lists
	Scored     uint64 // documents whose full score was computed
	Pivots     uint64 // pivots of WAND and BlockMaxWAND; windows of Scan, RangeMaxScore and sorted queries
}

// ListTrace is the part of a SegmentTrace that concerns one list.
type ListTrace struct {
	Field  string // "" in the implicit schema
	Term   string
	DF     uint32  // in this segment
	Weight float32 // as in Score
	Bound  float32 // no posting of the list in this segment scores more; 0 if it was not needed
	Blocks int     // 0 if the list was not opened
	ListCounts

	// Fates say of each block what happened to it: any of DocsDecoded,
	// FreqsDecoded and BelowBound, or 0 if the block was passed over by the skip header. They
	// are nil for lists that were not opened or have no extent.
	Fates []uint8
}

// What can happen to a block.
const (
	DocsDecoded  = reader.RecordDocs  // its docIDs were decoded
	FreqsDecoded = reader.RecordFreqs // its frequencies were decoded
	BelowBound   = 1 << 2             // it was skipped because of its bound
)

// ListCounts are what happened to the blocks of a list. A block counts each time it is decoded.
type ListCounts struct {
	DocBlocks  uint64 // blocks whose docIDs were decoded
	FreqBlocks uint64 // blocks whose frequencies were decoded
	ByBound    uint64 // blocks skipped because of their block-max bound
	Probes     uint64 // documents looked up
	Found      uint64 // documents found
}

// ByHeader returns how many blocks were skipped through the skip header alone.
func (l *ListTrace) ByHeader() uint64 {
	seen := l.DocBlocks + l.ByBound
	if seen >= uint64(l.Blocks) {
		return 0
	}
	return uint64(l.Blocks) - seen
}

// traceOf returns what the engine recorded, or nil if it did not.
func traceOf(t *algorithm.Trace) *Trace {
	if t == nil {
		return nil
	}
	x := &Trace{Algorithm: Algorithm(t.Algorithm), Plan: t.Plan, Resolve: t.Resolve, Search: t.Search}
	for _, s := range t.Segments {
		st := SegmentTrace{Segment: s.Segment, Algorithm: Algorithm(s.Algorithm), Counts: Counts(s.Counts)}
		for _, l := range s.Lists {
			st.Lists = append(st.Lists, ListTrace{Field: l.Field, Term: l.Term, DF: l.DF, Weight: l.Weight, Bound: l.Bound, Blocks: l.Blocks,
				ListCounts: ListCounts(l.ListCounts), Fates: l.Fates})
		}
		x.Segments = append(x.Segments, st)
	}
	for _, h := range t.Thresholds {
		x.Thresholds = append(x.Thresholds, Threshold(h))
	}
	return x
}
