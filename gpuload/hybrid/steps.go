package hybrid

import (
	"sync"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
)

// StepOptions returns options by which a gpuload.Stepper over s decides on conjunctions by its rule, and on disjunctions
// by the predicted time of a core: lengths alone say little of them, since a core skips most of their postings by bounds.
func StepOptions(s *query.Searcher) gpuload.StepOptions {
	c := new(cost)
	c.init()
	return c.steps(s)
}

// steps returns StepOptions that decide by c.
func (c *cost) steps(s *query.Searcher) gpuload.StepOptions {
	memory := sync.Pool{New: func() any { return new([]uint64) }}
	return gpuload.StepOptions{Sooner: func(q *query.Query) bool {
		lengths := memory.Get().(*[]uint64)
		defer memory.Put(lengths)
		all, err := s.AppendLengths((*lengths)[:0], q.RawTerms)
		if *lengths = all; err != nil {
			return false // the CPU will find the same error
		}
		f := featuresOf(q, all)
		return time.Duration(c.small.Load()) < c.core(&f)
	}}
}
