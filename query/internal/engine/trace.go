package engine

import (
	"time"

	"github.com/pinion-index/pinion/reader"
)

// Trace is query.Trace, which has the same parts.
type Trace struct {
	Algorithm       Algorithm
	Segments        []SegmentTrace
	Resolve, Search time.Duration
	Thresholds      []Threshold
}

// maxThresholds bounds Trace.Thresholds; later rises are dropped.
const maxThresholds = 4096

// Threshold is query.Threshold.
type Threshold struct {
	Doc   uint32
	Score float32
}

// SegmentTrace is query.SegmentTrace.
type SegmentTrace struct {
	Segment   int
	Algorithm Algorithm
	Lists     []ListTrace
	Counts
}

// Counts is query.Counts.
type Counts struct{ Candidates, Scored, Pivots uint64 }

// ListTrace is query.ListTrace.
type ListTrace struct {
	Term          string
	DF            uint32
	Weight, Bound float32
	Blocks        int
	ListCounts
	Fates []uint8
}

// What can happen to a block, as in package query.
const (
	docsDecoded  = reader.RecordDocs
	freqsDecoded = reader.RecordFreqs
	belowBound   = 1 << 2
)

// ListCounts is query.ListCounts.
type ListCounts struct{ DocBlocks, FreqBlocks, ByBound, Probes, Found uint64 }

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
