package gpu

import (
	"cmp"
	"context"
	"slices"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// nearest is a resolved Nearest that is alone. The device finds the K nearest: only then is it known which of these are the hits, as
// what is as near or nearer may score the same.
type nearest struct {
	*search.Near
	field *vectorSet
	k     int  // documents that the device finds; with codes alone plan.k is how many may be left of which the host finds these
	limit int  // of hits
	tied  bool // docIDs do not order hits whose scores are equal
}

// Without floats on the device, about as many vectors may be among the k nearest: those whose bounds overlap.
const leftOfK, leastLeft = 16, 256

// vectorWork is what a core takes to compare a vector, in postings.
const vectorWork = 16

// nearest makes the plan of q if that is one Nearest; ok is false otherwise.
func (r *resolver) nearest(p *plan, q *search.Query) (ok bool, err error) {
	x := r.x
	if !search.NearestAlone(q.Node) {
		return false, nil
	}
	if x.part {
		p.why = reasonNearest
		return true, nil
	}
	n, err := x.parser.NearestOf(q)
	if err != nil || n == nil {
		p.why = reasonNearest
		return true, err
	}
	limit := int(min(uint64(cmp.Or(q.K, query.DefaultK)), x.docs.N))
	p.mode, p.wanted, p.k = query.ModeOr, 0, int(min(uint64(n.K), x.docs.N))
	if n.Docs != nil || n.Columns != nil {
		p.ask = &ask{docs: n.Docs, columns: n.Columns}
	}
	switch {
	case q.Mode != query.ModeOr:
		p.why = reasonNearest
	case n.Codes():
		p.why = reasonVectors
	case p.k > x.maxK():
		p.why = reasonHits
	case q.Trace:
		p.why = reasonTrace
	case q.Static != nil:
		p.why = reasonStatic
	}
	if p.why != OnDevice || p.k == 0 {
		p.done = p.why == OnDevice
		return true, nil
	}
	v, err := x.vectorsOf(context.Background(), n.Field())
	if err != nil {
		return true, err
	}
	if v == nil {
		p.why = reasonVectors
		return true, nil
	}
	p.near = &nearest{Near: n, field: v, k: p.k, limit: limit, tied: x.tied}
	if v.coded {
		p.k = min(leftOfK*p.k+leastLeft, x.maxK())
	}
	p.weight.all = vectorWork * v.n
	p.weight.first = p.weight.all
	p.done = len(v.parts) == 0
	return true, nil
}

// hits sets the hits of a plan to the best of what the device has found, of which hits have how near they are as scores.
func (n *nearest) hits(all []search.Hit) []search.Hit {
	for i := range all {
		all[i].Score = n.Score(all[i].Score)
	}
	slices.SortFunc(all, func(a, b search.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc)) })
	if n.tied { // order cuts them
		return all
	}
	return all[:min(len(all), n.limit)]
}

// order puts hits with equal scores in the order that the index keeps.
func (n *nearest) order(hits []search.Hit, of *reader.Snapshot) ([]search.Hit, error) {
	if !n.tied {
		return hits, nil
	}
	err := search.OrderOf(of).SortTies(hits)
	return hits[:min(len(hits), n.limit)], err
}
