package gpu

import (
	"context"
	"math"

	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/search"
)

// What lists have cost is forgotten when maxMissed of them are known.
const maxMissed = 1 << 16

// miss notes what the lists that keep a step from the GPU cost, if the rule would run it there,
// and begins to load those of the query once they have cost as much as copying them does. So
// copies never take more time than what queries have lost for want of them. Lists that do not fit
// in free memory, or fail a check, are tried once.
//
// It ends once lists have been evicted: copies that evict others slow down what the CPU answers,
// and what they bring is often evicted before it is used.
func (s *Stepper) miss(p *plan, q *search.Query, state StepState) {
	missing := state.Rest
	state.Missing, state.Rest = 0, 0
	if s.o.Load || s.full.Load() {
		return
	}
	if choice, _ := s.chooseFor(q, state); choice == StepCPU {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.full.Load() {
		return
	}
	if len(s.missed) > maxMissed {
		clear(s.missed)
	}
	share := float64(max(s.o.Rule.gain(state), 0)) / float64(missing)
	cost := 0.0
	for o := range absent(p.lists) {
		s.missed[o.want.Key.Key] += share * float64(o.n)
		cost += s.missed[o.want.Key.Key]
	}
	if s.loading || cost < float64(s.o.Rule.copying(missing)) {
		return
	}
	var wants []*residency.Want
	for o := range absent(p.lists) {
		delete(s.missed, o.want.Key.Key)
		wants = append(wants, &residency.Want{Key: o.want.Key, Entry: o.want.Entry, Joined: o.want.Joined})
	}
	s.loading = true
	s.behind.Go(func() {
		full, err := s.bring(wants)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.loading = false; full {
			s.full.Store(true)
			s.missed = nil
		}
		for _, w := range wants {
			if !full && err == nil && w.List == nil {
				s.missed[w.Key.Key] = math.Inf(-1)
			}
		}
	})
}

// bring loads lists, and evicts none. It does nothing and reports true if lists have been evicted:
// memory is full. Lists that cannot be loaded remain the CPU's; queries that need them report what
// is wrong. After an error it is not known which these are.
func (s *Stepper) bring(wants []*residency.Want) (full bool, err error) {
	x := s.x
	if err := x.enter(); err != nil {
		return false, err
	}
	defer x.leave()
	if x.lists.Counters().Evicted > 0 {
		return true, nil
	}
	epoch := x.stages.Next()
	missing, bare := x.lists.Find(wants, epoch)
	if err := x.lists.Mark(bare); err != nil || len(missing) == 0 {
		return false, err
	}
	return false, x.lists.Load(context.Background(), missing, 0, epoch) // no list is as old as epoch 0
}
