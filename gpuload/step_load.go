package gpuload

import (
	"context"
	"time"
)

// What lists have cost is forgotten when maxMissed of them are known. Copies that evict other
// lists take at most 1/stepPause of the time: they slow the CPU down, and what they bring may be
// evicted unused.
const (
	maxMissed = 1 << 16
	stepPause = 16
)

// miss notes what the lists that keep a step from the GPU cost, if the rule would run it there,
// and begins to load those of the query once they have cost as much as copying them does. So
// copies never take more time than what queries have lost for want of them.
func (s *Stepper) miss(p *plan, state StepState) {
	missing := state.Rest
	state.Missing, state.Rest = 0, 0
	if s.o.Load || s.o.Choose(state) == StepCPU {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.missed) > maxMissed {
		clear(s.missed)
	}
	share := float64(max(s.o.Rule.gain(state), 0)) / float64(missing)
	cost := 0.0
	for o := range absent(p.lists) {
		s.missed[o.want.key.Key] += share * float64(o.n)
		cost += s.missed[o.want.key.Key]
	}
	if s.closed || s.loading || cost < float64(s.o.Rule.copying(missing)) || time.Now().Before(s.rest) {
		return
	}
	var wants []*want
	for o := range absent(p.lists) {
		delete(s.missed, o.want.key.Key)
		wants = append(wants, &want{key: o.want.key, entry: o.want.entry, joined: o.want.joined})
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
