package hybrid

import "time"

const (
	// depth is how much work the CPU takes ahead, so that its workers need not wait for the
	// scheduler; ahead is the maximum number of queries for each worker. Of queries that bypass the queues it
	// takes more: cores that can answer what arrives soon catch up after a stop of the host or a burst, and
	// small batches would only hold them up.
	depth       = 200 * time.Microsecond
	depthFreely = 1500 * time.Microsecond
	ahead       = 32
	aheadFreely = 192
	// On fewer than manyCores cores queries do not bypass the queues: they would wait for each other, and
	// the GPU's work for them, without being weighed.
	manyCores = 8
	// servesShare is the share of the cores that work for the GPU from which the CPU takes nothing ahead.
	servesShare = 4
	// worthQueries is how many queries must wait before another batch joins those that the
	// GPU works on, unless they take it as long as starting a batch.
	worthQueries = 128
	// A batch may always take the time shortest, whatever the deadlines, and never much
	// more than longest: what is in a batch cannot be stolen.
	shortest = time.Millisecond
	longest  = 8 * time.Millisecond
	// looked is how many urgent queries a processor looks at.
	looked = 8
)

// serves reports whether much of the cores works for the GPU.
func (p *policy) serves() bool { return p.demand.cores >= max(p.workers/servesShare, 1) }

// cpuRoom reports whether the CPU may take another query, and whether a worker is idle.
func (p *policy) cpuRoom() (room, idle bool) {
	n := float64(p.cpu.queries)
	cores := p.cores()
	idle = n < cores
	if p.mode == Serial {
		return p.cpu.queries == 0 && p.gpu.batches == 0, idle
	}
	if p.serves() { // what is ahead would take the other cores, too
		return idle, idle
	}
	return idle || n < ahead*cores && float64(p.cpu.pace.of(p.cpu.work)) < float64(depth)*cores, idle
}

// cpuDone predicts how long the CPU would take until it has answered e, and extra work
// before it.
func (p *policy) cpuDone(e *entry, extra time.Duration) time.Duration {
	queued := p.cpu.queries + p.queues[pinnedGroup].n + p.queues[cpuGroup].n
	if extra == 0 && float64(queued) < p.workers {
		return doubted(e.cost.CPU) // the pace is that of cores that are all busy
	}
	return doubted(p.cpuTime(e)) + p.cpuWork() + time.Duration(float64(p.cpu.pace.of(extra))/p.workers)
}

// busy predicts how long the GPU works on what it has begun.
func (p *policy) busy(now time.Duration) time.Duration { return max(p.ready, p.stocked, now) - now }

// occupied tells the policy of batches that are not its own: when the oldest began, and when they should
// be done; 0 if there are none. Those that are overdue may take as long again. What takes less than
// shortest does not count: queries that went to cores for that would cost them more than the GPU.
func (p *policy) occupied(begun, done, now time.Duration) {
	if done > 0 && done < now {
		done = 2*now - begun
	}
	if p.stocked = 0; done-now >= shortest {
		p.stocked = done
	}
}

// gpuDone predicts how long the GPU would take until it has answered e in a batch with
// work for the time before.
func (p *policy) gpuDone(e *entry, now, before time.Duration) time.Duration {
	return p.busy(now) + p.gpu.pace.of(max(p.base, e.cost.Alone)) + before + p.gpuTime(e)
}

// takeCPU appends to dst the queries that the CPU begins now.
func (p *policy) takeCPU(now time.Duration, dst []*entry) []*entry {
	for {
		room, idle := p.cpuRoom()
		if !room {
			return dst
		}
		e := p.forCPU(now, idle)
		if e == nil || p.delays(e, now) {
			return dst
		}
		if p.cpu.queries++; float64(p.cpu.queries) >= p.cores() {
			p.cpu.pace.start(now)
		}
		p.cpu.work += e.cost.CPU
		p.note(&p.stats.CPU, e, cpuGroup, gpuGroup)
		p.remove(e)
		dst = append(dst, e)
	}
}

// delays reports whether e would take the last core from the work for the GPU, and that work
// wait for one, beyond what the GPU has begun, for longer than the GPU needs for e: it would lose
// more than it is spared, and seem slow, so that the cores were given even more.
func (p *policy) delays(e *entry, now time.Duration) bool {
	works := p.gpu.batches > 0 || p.queues[gpuGroup].n > 0 // or will at once
	if e.pinned || e.cost.Host <= 0 || p.mode != Parallel || p.retired || !works || float64(p.cpu.queries+1) < p.workers {
		return false
	}
	wait := time.Duration(float64(doubted(p.cpuTime(e))) / p.workers) // until one of the cores is free
	return wait > p.busy(now)+p.gpu.pace.of(max(p.base+e.cost.GPU, e.cost.Alone))
}

// forCPU chooses the next query of the CPU. idle means that a worker has nothing to do.
func (p *policy) forCPU(now time.Duration, idle bool) *entry {
	queued := p.gpu.pace.of(p.queues[gpuGroup].cost.GPU)
	if e := p.urgent(now, func(e *entry) bool {
		return e.group <= cpuGroup || p.mode == Parallel && p.cpuDone(e, 0) <= p.gpuDone(e, now, 0)
	}); e != nil {
		return e
	}
	best, ratio := p.queues[pinnedGroup].next(now)
	if e, r := p.queues[cpuGroup].next(now); e != nil && (best == nil || r > ratio) {
		best = e
	}
	if best != nil {
		return best
	}
	if e := p.queues[eitherGroup].oldest(); e != nil && p.cpuDone(e, 0) <= p.gpuDone(e, now, queued) {
		return e
	}
	if !idle || p.mode == OnlyGPU {
		return nil
	}
	if e := p.queues[gpuGroup].cheapest(); e != nil && doubted(e.cost.CPU) <= p.gpuDone(e, now, queued) {
		return e
	}
	return nil
}

// urgent returns the most urgent of the queries whose time is near and that suits, or nil.
func (p *policy) urgent(now time.Duration, suits func(*entry) bool) *entry {
	if p.mode == Serial {
		return nil
	}
	if len(p.urgency.heap) > 0 {
		if e := p.urgency.heap[0]; e.urgent <= now && suits(e) {
			return e
		}
	}
	e := p.urgency.first
	for range looked {
		if e == nil || e.urgent > now {
			return nil
		}
		if suits(e) {
			return e
		}
		e = e.later
	}
	return nil
}

// takeGPU appends to dst the queries of the next batch for the GPU, if it should begin one
// now, and returns what the batch is predicted to take.
func (p *policy) takeGPU(now time.Duration, dst []*entry) (batch []*entry, work time.Duration) {
	if p.retired || p.gpu.batches >= p.lanes || p.gpu.batches > 0 && (p.trusted < min(provenBatch, p.batch) || !p.worth(now)) {
		return dst, work
	}
	if p.mode == Serial && p.cpu.queries > 0 {
		return dst, work
	}
	var sum, host, alone time.Duration // predicted, of the batch's queries
	limit := longest
	for n := 0; n < p.trusted && (n == 0 || p.gpu.pace.of(sum) < limit && float64(host) < float64(limit)*p.workers); n++ {
		e := p.forGPU(now, p.gpu.pace.of(sum))
		if e == nil {
			break
		}
		sum += e.cost.GPU
		alone = max(alone, e.cost.Alone)
		host += e.cost.Host
		if e.due != never {
			limit = min(limit, max((e.due-now-p.busy(now))/2, shortest))
		}
		p.note(&p.stats.GPU, e, gpuGroup, cpuGroup)
		p.remove(e)
		dst = append(dst, e)
		if p.mode == Serial {
			break
		}
	}
	n := len(dst)
	if n == 0 {
		return dst, work
	}
	work = max(p.base, alone) + sum
	p.gpu.pace.start(now)
	p.use.set(true, now)
	p.gpu.queries += n
	p.gpu.batches++
	p.gpu.work += work
	p.stats.Batches++
	p.ready = now + p.busy(now) + p.gpu.pace.of(work)
	return dst, work
}

// worth reports whether enough queries wait to start a batch beside others.
func (p *policy) worth(now time.Duration) bool {
	if p.mode == Serial {
		return false
	}
	own, either := &p.queues[gpuGroup], &p.queues[eitherGroup]
	return own.n+either.n >= worthQueries || own.cost.GPU+either.cost.GPU >= p.base || own.n > 0 && own.oldest().urgent <= now
}

// forGPU chooses the next query of a batch whose queries so far take the time before.
func (p *policy) forGPU(now, before time.Duration) *entry {
	if e := p.urgent(now, func(e *entry) bool {
		return e.group == gpuGroup || e.group != pinnedGroup && p.gpuDone(e, now, before) < p.cpuDone(e, 0)
	}); e != nil {
		return e
	}
	if e := p.queues[gpuGroup].oldest(); e != nil {
		return e
	}
	either := &p.queues[eitherGroup]
	if e := either.oldest(); e != nil && p.gpuDone(e, now, before) < p.cpuDone(e, either.cost.CPU-e.cost.CPU) {
		return e
	}
	if e := p.queues[cpuGroup].dearest(); e != nil && p.mode == Parallel && p.cpu.pace.of(e.cost.Host) < p.cpuTime(e) &&
		p.gpuDone(e, now, before) < p.cpuDone(e, either.cost.CPU)-doubted(p.cpuTime(e)) {
		return e
	}
	return nil
}

// note counts a query that a processor takes.
func (p *policy) note(s *Share, e *entry, own, other group) {
	s.Queries++
	switch e.group {
	case eitherGroup:
		s.Either++
	case other:
		s.Stolen++
	}
}
