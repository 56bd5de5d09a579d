package gpuload

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/kernels"
)

// scarcity is what an Executor knows of the two ways to answer queries whose lists are not there
// when memory is full: to load the lists in place of others, or to leave the queries to the CPU.
type scarcity struct {
	asked  atomic.Uint64 // how often
	load   average       // time for a list
	answer average       // time of the CPU for a query

	sooner func(lists, queries int) bool // set by tests: whether loading is
}

// tryEach is how often the way that seems slower is taken, to measure it: one batch in so many.
const tryEach = 16

// loads reports whether to load lists rather than to leave queries to the CPU: if that takes less
// time, by what the last ones took.
func (s *scarcity) loads(lists, queries int) bool {
	sooner := s.load.of(lists) <= s.answer.of(queries)
	if s.sooner != nil {
		sooner = s.sooner(lists, queries)
	}
	return sooner != (s.asked.Add(1)%tryEach == 0)
}

// average is a moving average of the time that each of many things takes.
type average struct{ ns atomic.Int64 }

// add records that n things took a time.
func (a *average) add(n int, took time.Duration) {
	if n > 0 {
		each, old := int64(took)/int64(n), a.ns.Load()
		if old == 0 {
			old = each
		}
		a.ns.Store(max(old+(each-old)/8, 1))
	}
}

// of returns the time of n things, 0 if none has been recorded.
func (a *average) of(n int) time.Duration { return time.Duration(a.ns.Load() * int64(n)) }

// load loads the lists of plans that are not there. Once memory has been too small, it leaves the plans to the CPU, if there
// is one and it is sooner.
func (x *Executor) load(ctx context.Context, missing []*want, plans []*plan, epoch uint64) error {
	if len(missing) == 0 {
		return nil
	}
	if x.options.CPU != nil && x.lists.full() {
		queries := 0
		for _, p := range plans {
			if !x.usable(p) {
				queries++
			}
		}
		missing = distinct(missing)
		if !x.scarcity.loads(len(missing), queries) {
			return nil
		}
	}
	begun := time.Now()
	err := x.lists.load(ctx, missing, x.oldest(epoch), epoch)
	x.scarcity.load.add(len(missing), time.Since(begun))
	return err
}

// full reports whether memory has been too small for the lists that were wanted.
func (l *lists) full() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.stats.Evicted > 0
}

// room allocates a range. If necessary it evicts lists, lowest priority first, that no
// batch of epoch oldest or later uses, and that do not get presence words.
func (l *lists) room(size int64, oldest uint64) (kernels.Ptr, bool) {
	if size == 0 || size > l.arena.Size() {
		return 0, false
	}
	if l.isolate {
		p, err := l.dev.Alloc(size + format.ReadablePadding)
		return p, err == nil
	}
	if p, ok := l.arena.Alloc(size); ok {
		return p, true
	}
	goal := max(size, l.arena.Size()/16)
	for _, r := range l.victims(oldest) {
		l.evict(r)
		if goal -= r.size; goal > 0 {
			continue
		}
		if p, ok := l.arena.Alloc(size); ok {
			return p, true
		}
	}
	return l.arena.Alloc(size)
}

// victims returns the lists that room may evict, in that order.
func (l *lists) victims(oldest uint64) (all []*resident) {
	for _, r := range l.byKey {
		if r.pin.Load() < oldest && !r.marking {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *resident) int {
		return cmp.Or(cmp.Compare(a.uses.Load(), b.uses.Load()), cmp.Compare(a.at, b.at))
	})
	return all
}

// slots makes n slots of the table free, or more, so that it does not begin anew with each
// list. It reports false if there are fewer although it has evicted all lists that room may.
func (l *lists) slots(n int, oldest uint64) bool {
	free := func() int { return len(l.free) + int(l.zone) - int(l.next) }
	if free() >= n {
		return true
	}
	goal := max(n, int(l.zone)/16)
	for _, r := range l.victims(oldest) {
		if free() >= goal {
			break
		}
		l.evict(r)
	}
	return free() >= n
}

// release frees a range that room returned.
func (l *lists) release(at kernels.Ptr, size int64) {
	if l.isolate {
		_ = l.dev.Free(at)
		return
	}
	l.arena.Release(at, size)
}

// releaseAll frees ranges that room or spare returned, or parts of these. It joins adjacent
// ones first: a load leaves thousands, in a few runs.
func (l *lists) releaseAll(spans []span) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.at, b.at) })
	for i := 0; i < len(spans); {
		all := spans[i]
		for i++; i < len(spans) && !l.isolate && spans[i].at == all.at+kernels.Ptr(all.size); i++ {
			all.size += spans[i].size
		}
		l.release(all.at, all.size)
	}
}

func (l *lists) evict(r *resident) {
	delete(l.byKey, r.key)
	r.gone.Store(true)
	l.release(r.at, r.size)
	l.unmark(r)
	l.free = append(l.free, r.slot)
	l.clock = max(l.clock, r.uses.Load())
	l.stats.Evicted++
	l.stats.Bytes -= r.size
	l.stats.Stored -= r.stored
}

// forget evicts all lists.
func (l *lists) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.byKey {
		l.evict(r)
	}
}
