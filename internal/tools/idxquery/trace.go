package idxquery

import (
	"math"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/search"
)

// Trace is search.Trace as --json prints it.
type Trace struct {
	Algorithm  string         `json:"algorithm,omitempty"`       // of the CPU
	Plan       string         `json:"plan,omitempty"`            // of the CPU, before it read postings: lines
	Resolve    float64        `json:"resolve_seconds,omitempty"` // by the CPU
	Search     float64        `json:"search_seconds,omitempty"`
	Segments   []SegmentTrace `json:"segments"`
	Thresholds []Threshold    `json:"thresholds"`
	Device     string         `json:"device_plan,omitempty"` // who answers and how, before lists were loaded: lines
	Terms      []StepTerm     `json:"terms,omitempty"`       // of Steps
	Steps      []Step         `json:"steps,omitempty"`       // on two processors
	Failed     string         `json:"failed,omitempty"`      // why the GPU did not answer
	Reads      *cli.Reads     `json:"reads,omitempty"`       // of an index behind a URL
	onGPU      bool           // the CPU did nothing
}

// SegmentTrace is one pass over one segment.
type SegmentTrace struct {
	Segment    int         `json:"segment"`
	Algorithm  string      `json:"algorithm"`
	Lists      []ListTrace `json:"lists"`
	Candidates uint64      `json:"candidates"`
	Scored     uint64      `json:"scored"`
	Pivots     uint64      `json:"pivots"`
}

// ListTrace is one list of a pass.
type ListTrace struct {
	Field      string   `json:"field,omitempty"`
	Term       cli.Text `json:"term"`
	DF         uint32   `json:"df"`
	Weight     *float32 `json:"weight"`
	Bound      *float32 `json:"bound"` // null where it is infinite
	Blocks     int      `json:"blocks"`
	DocBlocks  uint64   `json:"doc_blocks"`
	FreqBlocks uint64   `json:"freq_blocks"`
	ByBound    uint64   `json:"skipped_by_bound"`
	ByHeader   uint64   `json:"skipped_by_header"`
	Probes     uint64   `json:"probes"`
	Found      uint64   `json:"found"`
}

// Threshold is a rise of the score that a hit must reach.
type Threshold struct {
	Doc   uint32   `json:"doc"`
	Score *float32 `json:"score"`
}

// number returns f for JSON, which has no infinities.
func number(f float32) *float32 {
	if v := float64(f); math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &f
}

func newTrace(t *search.Trace) *Trace {
	out := &Trace{
		Algorithm: t.Algorithm.String(), Plan: t.Plan, Resolve: t.Resolve.Seconds(), Search: t.Search.Seconds(),
		Segments: []SegmentTrace{}, Thresholds: []Threshold{},
	}
	for i := range t.Segments {
		s := &t.Segments[i]
		p := SegmentTrace{Segment: s.Segment, Algorithm: s.Algorithm.String(), Lists: []ListTrace{},
			Candidates: s.Candidates, Scored: s.Scored, Pivots: s.Pivots}
		for j := range s.Lists {
			l := &s.Lists[j]
			p.Lists = append(p.Lists, ListTrace{
				Field: l.Field, Term: cli.Text(l.Term), DF: l.DF, Weight: number(l.Weight), Bound: number(l.Bound), Blocks: l.Blocks,
				DocBlocks: l.DocBlocks, FreqBlocks: l.FreqBlocks, ByBound: l.ByBound, ByHeader: l.ByHeader(),
				Probes: l.Probes, Found: l.Found,
			})
		}
		out.Segments = append(out.Segments, p)
	}
	for _, th := range t.Thresholds {
		out.Thresholds = append(out.Thresholds, Threshold{th.Doc, number(th.Score)})
	}
	return out
}
