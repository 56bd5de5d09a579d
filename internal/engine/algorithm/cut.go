package algorithm

import "github.com/pinion-index/pinion/internal/engine/posting"

// Cutter decides how a pass is cut into ranges.
type Cutter interface {
	// Size returns the minimum number of postings of the next range, given that left of total postings are not in a
	// range yet.
	Size(left, total int) int
	// Range receives the range of documents from lo up to, but not including, hi.
	Range(lo, hi uint32)
}

// cutBlocks cuts a conjunction into ranges of consecutive blocks of the shortest list (Tatikonda
// 2011, algorithm 4). The other lists need no cutting: a task finds its start in them through their
// skip headers.
func cutBlocks(shortest *posting.List, c Cutter) {
	last, size := shortest.List().Docs.Last, shortest.List().BlockLen
	lo := uint32(0)
	for b := 0; ; {
		b += max(1, c.Size((len(last)-b)*size, len(last)*size)/size)
		if b >= len(last) {
			break
		}
		hi := last[b-1] + 1
		if hi <= lo {
			break // damage, which the last task will report
		}
		c.Range(lo, hi)
		lo = hi
	}
	c.Range(lo, posting.End)
}

// Cut cuts a pass over the current segment into ranges.
func (r *Run) Cut(p Plan, c Cutter) error {
	n := p.first
	if p.byBlocks {
		n = 1
	}
	if !r.Open(n) {
		return r.Err
	}
	if p.byBlocks {
		cutBlocks(r.Lists[0], c)
	} else {
		cutDocs(r, c, uint64(p.multiple))
	}
	return nil
}

// cutDocs cuts a disjunction or tree into ranges of docIDs by the number of postings of the essential
// lists, as if these were evenly distributed.
func cutDocs(r *Run, c Cutter, multiple uint64) {
	postings := 0
	if r.Tree != nil {
		postings = int(r.tree.root.cost)
	} else {
		r.SumBounds()
		thresholds{r}.raise()
		for _, l := range r.Lists[:r.essential(len(r.Lists))] {
			postings += l.List().N
		}
	}
	docs := uint64(r.Part.Seg.Docs())
	lo := uint64(0)
	for at := 0; at < postings; {
		at += c.Size(postings-at, postings)
		hi := docs * uint64(at) / uint64(postings)
		hi -= hi % multiple
		if hi >= docs {
			break
		}
		if lo < hi {
			c.Range(uint32(lo), uint32(hi))
			lo = hi
		}
	}
	c.Range(uint32(lo), uint32(docs))
}
