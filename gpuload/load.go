package gpuload

import (
	"context"
	"errors"
	"slices"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/kernels"
)

// load makes as many of the lists resident as fit. It does not evict lists used by
// batches of epoch oldest or later. When it returns, each want's list is on the device
// and has passed all checks, or is nil because it did not fit or did not pass.
func (l *lists) load(ctx context.Context, wants []*want, oldest, epoch uint64) error {
	wants = slices.Clone(wants)
	slices.SortFunc(wants, func(a, b *want) int {
		if a.key.Segment != b.key.Segment {
			return a.key.Segment - b.key.Segment
		}
		return int(min(max(a.key.Offset-b.key.Offset, -1), 1))
	})
	all := wants
	wants = slices.CompactFunc(slices.Clone(wants), func(a, b *want) bool { return a.key == b.key })
	for len(wants) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(wants), checkSize)
		if err := l.loadSome(wants[:n], oldest, epoch); err != nil {
			return err
		}
		wants = wants[n:]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range all {
		if w.list == nil || w.list.gone {
			w.list = l.byKey[w.key]
		}
	}
	return nil
}

// loading is the state of one call of loadSome. Lists are copied on one stream and checked
// on another, so that the check of some overlaps with the copies of the next.
type loading struct {
	l              *lists
	copies, checks cuda.Batch
	sums           sums
	jobs           []kernels.CheckJob    // in pinned memory
	status         []kernels.CheckStatus // in pinned memory
	lists          []loaded
	launched       int   // of lists: their checks are submitted
	waiting        int64 // bytes of the others
	staged         int   // bytes of the ring in use
}

// loaded is a list that has been or is being copied.
type loaded struct {
	*resident
	sum *error // of its checksum; nil if the list has passed all checks before
}

const (
	copyStream  = cuda.Streams - 1
	checkStream = cuda.Streams - 2
	copiedEvent = timers - 1
	checkBytes  = 16 << 20 // lists are checked together until they have this size
)

// loadSome loads at most checkSize lists, with one copy per run of adjacent extents.
func (l *lists) loadSome(wants []*want, oldest, epoch uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	wants = slices.DeleteFunc(slices.Clone(wants), func(w *want) bool {
		r := l.byKey[w.key]
		if r != nil { // another batch has loaded it
			r.pin = max(r.pin, epoch)
		}
		return r != nil || l.refused[w.key] != nil
	})
	ld := &loading{l: l, sums: sums{work: make(chan []sum, len(wants)+1)}, copies: cuda.Batch{Stream: copyStream}, checks: cuda.Batch{Stream: checkStream},
		jobs:   unsafe.Slice((*kernels.CheckJob)(unsafe.Pointer(unsafe.SliceData(l.pinned))), checkSize),
		status: unsafe.Slice((*kernels.CheckStatus)(unsafe.Pointer(unsafe.SliceData(l.pinned[statusAt:]))), checkSize)}
	o := l.openAll(wants, ld.sums.help)
	err := ld.copyAll(o, oldest, epoch)
	if err == nil {
		err = ld.launch()
	}
	ld.sums.wait()
	o.wg.Wait()
	return ld.settle(err)
}

// copyAll enqueues the copies of all lists that fit and begins to check them.
func (ld *loading) copyAll(o *opening, oldest, epoch uint64) error {
	l, limit := ld.l, int64(firstRun)
	for i := 0; i < len(o.wants); {
		n, size := l.runOf(o.wants, o, i, limit)
		at, ok := l.rangeFor(n, size, oldest)
		if !ok && n > 1 { // no room for the whole run
			limit = size / 2
			continue
		}
		i += n
		if !ok {
			l.stats.Refused++
			if err := o.lists[i-n].err; err != nil {
				l.refused[o.wants[i-n].key] = err
			}
			continue
		}
		for j := i - n; j < i; j++ {
			ld.admit(o.wants[j], &o.lists[j], at, epoch)
			at += kernels.Ptr(len(o.lists[j].extent))
		}
		if err := ld.copyRun(o.wants[i-n].key.Segment, o.lists[i-n:i], at-kernels.Ptr(size), size); errors.Is(err, format.ErrCorrupt) {
			for k := len(ld.lists) - n; k < len(ld.lists); k++ {
				ld.lists[k].sum = &err
			}
		} else if err != nil {
			return err
		}
		limit = min(4*limit, max(l.arena.Size()/64, firstRun), lastRun)
		if ld.waiting += size; ld.waiting < checkBytes {
			continue
		}
		if err := ld.launch(); err != nil {
			return err
		}
	}
	return nil
}

// settle waits for copies and checks on the device and makes the lists that passed
// resident.
func (ld *loading) settle(err error) error {
	l := ld.l
	if len(ld.lists) == 0 {
		return err
	}
	if err == nil {
		ld.checks.CopyOut(l.pinned[statusAt:][:statusSize*len(ld.lists)], l.scratch+kernels.Ptr(statusAt))
		err = l.dev.Submit(&ld.checks)
	}
	err = errors.Join(err, l.dev.Wait(copyStream), l.dev.Wait(checkStream))
	for i, r := range ld.lists {
		bad := err
		if bad == nil {
			bad = ld.verdict(i)
			if bad != nil {
				l.refused[r.key] = bad
			}
		}
		if bad != nil { // queries that need it are answered by the CPU or fail
			l.stats.Refused++
			r.gone = true
			l.release(r.at, r.size)
			l.free = append(l.free, r.slot)
			continue
		}
		l.proven.add(r.key)
		l.byKey[r.key] = r.resident
		l.stats.Loaded++
		l.stats.Bytes += r.size
	}
	return err
}
