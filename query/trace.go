package query

import (
	"time"

	"github.com/pinion-index/pinion/reader"
)

// Trace records what executing a query did, for explanations. It does not change the result and
// costs little.
type Trace struct {
	Algorithm Algorithm // the one that ran last; never Auto
	Segments  []SegmentTrace
	Resolve   time.Duration // time for looking up the terms
	Search    time.Duration // time for everything after that

	Thresholds []Threshold // how the threshold rose, at most 4096 of them
}

// maxThresholds bounds Trace.Thresholds; later rises are dropped.
const maxThresholds = 4096

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
	Pivots     uint64 // pivots of WAND and BlockMaxWAND; windows of Scan and RangeMaxScore
}

// ListTrace is the part of a SegmentTrace that concerns one list.
type ListTrace struct {
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

// now returns the time, if a query is traced.
func (t *Trace) now() (start time.Time) {
	if t != nil {
		start = time.Now()
	}
	return start
}

// forgetThresholds drops the thresholds of a pass that has to be repeated.
func (t *Trace) forgetThresholds() {
	if t != nil {
		t.Thresholds = t.Thresholds[:0]
	}
}

// add records the pass of a over the current segment.
func (t *Trace) add(r *run, a Algorithm) {
	t.Algorithm = a
	st := SegmentTrace{Algorithm: a, Counts: r.Counts}
	for i := range r.s.parts {
		if &r.s.parts[i] == r.part {
			st.Segment = i
		}
	}
	for i, l := range r.lists {
		lt := ListTrace{Term: string(r.terms[l.term].bytes), DF: l.entry.DF, Weight: l.weight, Bound: max(l.bound, 0)}
		if i < r.opened {
			lt.Blocks, lt.ListCounts, lt.Fates = l.blocks(), l.ListCounts, l.fates
		}
		st.Lists = append(st.Lists, lt)
	}
	t.Segments = append(t.Segments, st)
}

// threshold records a rise of r's threshold, if there was one, at document doc.
func (t *Trace) threshold(r *run, doc uint32) {
	if t == nil {
		return
	}
	n := len(t.Thresholds)
	if n < maxThresholds && r.top.theta >= 0 && (n == 0 || r.top.theta > t.Thresholds[n-1].Score) {
		t.Thresholds = append(t.Thresholds, Threshold{Doc: r.part.seg.Base() + doc, Score: r.top.theta})
	}
}
