package gpuload

import (
	"cmp"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/kernels"
)

// evictsOnce is how many batches that find fewer than half of their lists there are for each of
// them that evicts others.
const evictsOnce = 16

// eviction returns the lowest epoch whose batches keep their lists while a batch of epoch loads
// those of its lists that are missing, and reports whether it should load them. A batch that
// finds fewer than half of its lists evicts none, if there is a CPU: such batches evict each
// other's lists, and the CPU answers before these are loaded. One in evictsOnce evicts all the
// same, so that the lists follow the queries.
func (x *Executor) eviction(lists, missing int, epoch uint64) (oldest uint64, load bool) {
	if 2*missing > lists && x.options.CPU != nil && x.poor.Add(1)%evictsOnce != 1 {
		return 0, x.lists.arena.Free() >= x.lists.arena.Size()/16 // no list is as old as epoch 0
	}
	return x.oldest(epoch), missing > 0
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

// victims returns the lists that room may evict, in that order: none if oldest is 0.
func (l *lists) victims(oldest uint64) (all []*resident) {
	if oldest == 0 {
		return nil
	}
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
