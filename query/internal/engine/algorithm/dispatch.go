package algorithm

// Dispatch runs the chosen algorithm over the current segment.
func (r *Run) Dispatch(conjunctive bool) {
	a := r.Choose(conjunctive)
	if a != BlockMaxAnd && !r.Open(len(r.Lists)) {
		return
	}
	if r.Static != nil {
		r.static.LeaveOutNone() // an earlier range of the segment may have left some out
		r.allStatic()
		if a == RangeMaxScore {
			r.tops()
		}
	}
	switch a {
	case Nodes:
		r.evaluateTree()
	case Exhaustive:
		r.exhaustive()
	case Scan:
		r.scan()
	case MaxScore:
		r.maxScore(false)
	case BlockMaxMaxScore:
		r.maxScore(true)
	case WAND:
		r.wand(false)
	case BlockMaxWAND:
		r.wand(true)
	case RangeMaxScore:
		r.rangeMaxScore()
	case FilterFirst:
		r.filterFirst(conjunctive)
	case SmallAdaptive:
		r.smallAdaptive()
	case BlockMaxAnd:
		r.blockMaxAnd()
	default:
		r.leapfrog()
	}
	r.Settle()
	r.Record(a)
}

// Choose returns the algorithm for the current segment. On the query logs measured
// (docs/benchmarks.md) RangeMaxScore is the fastest for Or, by a factor of two or more for every k,
// and BlockMaxAnd for And. So Auto means these, unless the filter is small compared with the lists.
// For Or of one list BlockMaxAnd takes a third of the time, since it decodes only blocks that can have hits.
func (r *Run) Choose(conjunctive bool) Name {
	a := r.algorithm
	switch {
	case r.Tree != nil:
		return Nodes
	case a == FilterFirst && r.filtered(), a == Auto && r.smallFilter(conjunctive):
		return FilterFirst
	case a != Auto && a != FilterFirst && a.Conjunctive() == conjunctive:
		return a
	case conjunctive, len(r.Lists) == 1 && !r.filtered() && r.Static == nil:
		return BlockMaxAnd
	}
	return RangeMaxScore
}
