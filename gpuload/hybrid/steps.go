package hybrid

import (
	"sync"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
)

// StepOptions returns options by which a gpuload.Stepper over s decides as the Model says: on conjunctions by
// Steps, on disjunctions by the times predicted of a core and of a GPU that does nothing else. Lengths alone say
// little of disjunctions, since a core skips most of their postings by bounds.
func (m *Model) StepOptions(s *query.Searcher) gpuload.StepOptions {
	memory := sync.Pool{New: func() any { return new([]*query.TermInfo) }}
	return gpuload.StepOptions{Rule: m.Steps, Sooner: func(q *query.Query) bool {
		infos := memory.Get().(*[]*query.TermInfo)
		defer memory.Put(infos)
		all, err := s.AppendTermInfo((*infos)[:0], q.RawTerms)
		if *infos = all; err != nil {
			return false // the CPU will find the same error
		}
		f := FeaturesOf(q, all)
		c := m.Predict(&f)
		return c.Alone < c.CPU
	}}
}
