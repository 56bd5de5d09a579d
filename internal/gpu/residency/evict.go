package residency

import (
	"cmp"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/kernels"
)

// Room allocates a range. If necessary it evicts lists, lowest priority first, that no
// batch of epoch oldest or later uses, and that do not get presence words.
func (l *Lists) Room(size int64, oldest uint64) (kernels.Ptr, bool) {
	if size == 0 || size > l.Arena.Size() {
		return 0, false
	}
	if l.Isolate {
		p, err := l.dev.Alloc(size + format.ReadablePadding)
		return p, err == nil
	}
	if p, ok := l.Arena.Alloc(size); ok {
		return p, true
	}
	goal := max(size, l.Arena.Size()/16)
	for _, r := range l.victims(oldest) {
		l.Evict(r)
		if goal -= r.Size; goal > 0 {
			continue
		}
		if p, ok := l.Arena.Alloc(size); ok {
			return p, true
		}
	}
	return l.Arena.Alloc(size)
}

// victims returns the lists that room may evict, in that order.
func (l *Lists) victims(oldest uint64) (all []*List) {
	for _, r := range l.ByKey {
		if r.Pin.Load() < oldest && !r.Marking {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *List) int {
		return cmp.Or(cmp.Compare(a.Uses.Load(), b.Uses.Load()), cmp.Compare(a.At, b.At))
	})
	return all
}

// slots makes n slots of the table free, or more, so that it does not begin anew with each
// list. It reports false if there are fewer although it has evicted all lists that room may.
func (l *Lists) slots(n int, oldest uint64) bool {
	free := func() int { return len(l.free) + int(l.Zone) - int(l.next) }
	if free() >= n {
		return true
	}
	goal := max(n, int(l.Zone)/16)
	for _, r := range l.victims(oldest) {
		if free() >= goal {
			break
		}
		l.Evict(r)
	}
	return free() >= n
}

// Release frees a range that room returned.
func (l *Lists) Release(at kernels.Ptr, size int64) {
	if l.Isolate {
		_ = l.dev.Free(at)
		return
	}
	l.Arena.Release(at, size)
}

// releaseAll frees ranges that room or spare returned, or parts of these. It joins adjacent
// ones first: a load leaves thousands, in a few runs.
func (l *Lists) releaseAll(spans []span) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.at, b.at) })
	for i := 0; i < len(spans); {
		all := spans[i]
		for i++; i < len(spans) && !l.Isolate && spans[i].at == all.at+kernels.Ptr(all.size); i++ {
			all.size += spans[i].size
		}
		l.Release(all.at, all.size)
	}
}

// Evict removes a list for want of room.
func (l *Lists) Evict(r *List) {
	l.remove(r)
	l.clock = max(l.clock, r.Uses.Load())
	l.stats.Evicted++
}

// remove frees what a list has.
func (l *Lists) remove(r *List) {
	delete(l.ByKey, r.Key)
	r.Gone.Store(true)
	l.Release(r.At, r.Size)
	l.unmark(r)
	l.free = append(l.free, r.Slot)
	l.stats.Bytes -= r.Size
	l.stats.Stored -= r.Stored
}

// Forget evicts all lists.
func (l *Lists) Forget() {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for _, r := range l.ByKey {
		l.Evict(r)
	}
}

// spare allocates a range without evicting.
func (l *Lists) spare(size int64) (kernels.Ptr, bool) {
	if l.Isolate {
		p, err := l.dev.Alloc(size)
		return p, err == nil
	}
	return l.Arena.Alloc(size)
}

// unmark frees the presence words of a list.
func (l *Lists) unmark(r *List) {
	if r.Marked > 0 {
		l.Release(r.Marks, r.Marked)
		l.stats.Marked -= r.Marked
		r.Marks, r.Marked = 0, 0
	}
}

// rangeFor allocates a range for n lists, for which it evicts others if necessary. It reports
// false if there is no room or the table has too few slots.
func (l *Lists) rangeFor(n int, size int64, oldest uint64) (kernels.Ptr, bool) {
	at, ok := l.Room(size, oldest)
	if ok && !l.slots(n, oldest) {
		l.Release(at, size)
		return 0, false
	}
	return at, ok
}
