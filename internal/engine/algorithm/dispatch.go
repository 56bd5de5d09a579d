package algorithm

import "github.com/pinion-index/pinion/internal/engine/sums"

// Plan is how a pass runs over the current segment.
type Plan struct {
	Algorithm   Name
	Conjunctive bool
	first       int    // so many lists are opened at first, the others when there is something to look up in them
	tops        bool   // documents with great static scores are considered before the others
	byBlocks    bool   // tasks are ranges of blocks of the shortest list, not of documents
	multiple    uint32 // ranges of documents begin at multiples of it
}

// Plan decides how a pass runs over the current segment.
func (r *Run) Plan(conjunctive bool) Plan {
	p := Plan{Algorithm: r.choose(conjunctive), Conjunctive: conjunctive, first: len(r.Lists), byBlocks: conjunctive, multiple: 1}
	if p.Algorithm == BlockMaxAnd {
		p.first = min(1, p.first)
	}
	p.tops = p.Algorithm == RangeMaxScore && r.Static != nil
	if r.Tree != nil && r.tree.dotsUsed > 0 {
		p.multiple = sums.Window
	}
	return p
}

// Execute runs a plan over the documents to consider of the current segment.
func (r *Run) Execute(p Plan) {
	if !r.Open(p.first) {
		return
	}
	if r.Static != nil {
		r.static.LeaveOutNone() // an earlier range of the segment may have left some out
		statics{r}.most()
	}
	if p.tops {
		disjunction{r}.tops()
	}
	switch p.Algorithm {
	case Nodes:
		r.evaluateTree()
	case Exhaustive, Scan, RangeMaxScore:
		if !r.bounded {
			disjunction{r}.enter(p.Algorithm)
		}
		r.evaluateTree()
	case MaxScore:
		stepwise{r}.maxScore(false)
	case BlockMaxMaxScore:
		stepwise{r}.maxScore(true)
	case WAND:
		stepwise{r}.wand(false)
	case BlockMaxWAND:
		stepwise{r}.wand(true)
	case FilterFirst:
		lookups{r}.filterFirst(p.Conjunctive)
	case SmallAdaptive:
		stepwise{r}.smallAdaptive()
	case BlockMaxAnd:
		conjunction{r}.blockMaxAnd()
	default:
		stepwise{r}.leapfrog()
	}
	r.Settle()
	r.Record(p.Algorithm)
}

// choose returns the algorithm for the current segment. On the query logs measured
// (docs/benchmarks.md) RangeMaxScore is the fastest for Or, by a factor of two or more for every k,
// and BlockMaxAnd for And. So Auto means these, unless the filter is small compared with the lists.
// For Or of one list BlockMaxAnd takes a third of the time, since it decodes only blocks that can have hits.
func (r *Run) choose(conjunctive bool) Name {
	a := r.algorithm
	switch {
	case r.Tree != nil:
		return Nodes
	case a == FilterFirst && r.filter.some(), a == Auto && lookups{r}.smallFilter(conjunctive):
		return FilterFirst
	case a != Auto && a != FilterFirst && a.Conjunctive() == conjunctive:
		return a
	case conjunctive, len(r.Lists) == 1 && !r.filter.some() && r.Static == nil:
		return BlockMaxAnd
	}
	return RangeMaxScore
}
