package hybrid

import (
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
)

// StepOptions returns options by which a gpu.Stepper over s decides on conjunctions by its rule, and on disjunctions
// by the predicted time of a core: lengths alone say little of them, since a core skips most of their postings by bounds.
func StepOptions(s *search.Searcher) gpu.StepOptions {
	return newCost().steps(s)
}

// steps returns StepOptions that decide by c.
func (c *cost) steps(s *search.Searcher) gpu.StepOptions {
	return gpu.StepOptions{Sooner: func(q *search.Query) bool {
		var room [16]uint64
		lengths, mode, _, err := s.AppendWordLengths(room[:0], q)
		if err != nil {
			return false // the CPU will find the same error
		}
		f := featuresOf(q, mode, lengths)
		return time.Duration(c.small.Load()) < c.core(&f)
	}}
}
