package gpuload

import (
	"context"
	"time"
)

// A list is copied behind a query once it has kept stepMisses queries from the GPU. The
// counts are forgotten when there are maxMissed. Copies that evict other lists take at most
// 1/stepPause of the time: they slow the CPU down, and what they bring may be evicted unused.
const (
	stepMisses = 2
	maxMissed  = 1 << 16
	stepPause  = 16
)

// miss notes which lists keep a step from the GPU, if the rule would run it there, and
// begins to load those that have done so before.
func (s *Stepper) miss(p *plan, state StepState) {
	state.Missing, state.Rest = 0, 0
	if s.o.Load || s.o.Choose(state) == StepCPU {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.missed) > maxMissed {
		clear(s.missed)
	}
	idle := !s.loading && !time.Now().Before(s.rest)
	var wants []*want
	for i := range p.lists {
		o := &p.lists[i]
		if o.n == 0 || o.small != nil || o.want.list != nil {
			continue
		}
		if s.missed[o.want.key]++; s.missed[o.want.key] >= stepMisses && idle {
			wants = append(wants, &want{key: o.want.key, entry: o.want.entry, joined: o.want.joined})
			delete(s.missed, o.want.key)
		}
	}
	if len(wants) == 0 || s.closed {
		return
	}
	s.loading = true
	s.behind.Go(func() {
		start, evicted := time.Now(), s.x.Stats().Evicted
		s.bring(wants)
		evicted = s.x.Stats().Evicted - evicted
		s.mu.Lock()
		if s.loading = false; evicted > 0 {
			s.rest = time.Now().Add((stepPause - 1) * time.Since(start))
		}
		s.mu.Unlock()
	})
}

// bring loads lists. Those that cannot be loaded remain the CPU's; queries that need them
// report what is wrong.
func (s *Stepper) bring(wants []*want) {
	x := s.x
	if x.enter() != nil {
		return
	}
	defer x.leave()
	epoch := x.nextEpoch()
	if missing, bare := x.lists.find(wants, epoch); x.lists.mark(bare) == nil && len(missing) > 0 {
		_ = x.lists.load(context.Background(), missing, x.oldest(epoch), epoch)
	}
}
