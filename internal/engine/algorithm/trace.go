package algorithm

import (
	"time"

	"github.com/pinion-index/pinion/internal/engine/posting"
)

// Trace is search.Trace, which has the same parts.
type Trace struct {
	Algorithm       Name
	Plan            string // what is done, as it is known before postings are read
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
	Algorithm Name
	Lists     []ListTrace
	Counts
}

// Counts is query.Counts.
type Counts struct{ Candidates, Scored, Pivots uint64 }

// ListTrace is query.ListTrace.
type ListTrace struct {
	Field, Term   string
	DF            uint32
	Weight, Bound float32
	Blocks        int
	posting.ListCounts
	Fates []uint8
}

// Now returns the time, if a query is traced.
func (t *Trace) Now() (start time.Time) {
	if t != nil {
		start = time.Now()
	}
	return start
}

// ForgetThresholds drops the thresholds of a pass that has to be repeated.
func (t *Trace) ForgetThresholds() {
	if t != nil {
		t.Thresholds = t.Thresholds[:0]
	}
}

// threshold records a rise to theta, if it is one.
func (t *Trace) threshold(doc uint32, theta float32) {
	n := len(t.Thresholds)
	if n < maxThresholds && (n == 0 || theta > t.Thresholds[n-1].Score) {
		t.Thresholds = append(t.Thresholds, Threshold{Doc: doc, Score: theta})
	}
}
