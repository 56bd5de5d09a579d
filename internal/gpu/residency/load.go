package residency

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
)

// Load makes as many of the lists resident as fit. It does not evict lists used by
// batches of epoch oldest or later. When it returns, each want's list is on the device
// and has passed all checks, or is nil because it did not fit or did not pass.
//
// Other batches find lists while some are loaded. A list that another load has begun to
// copy is waited for.
func (l *Lists) Load(ctx context.Context, wants []*Want, oldest, epoch uint64) error {
	all := wants
	wants = Distinct(wants)
	for len(wants) > 0 {
		n := l.together(wants)
		if err := l.loadSome(ctx, wants[:n], oldest, epoch); err != nil {
			return err
		}
		wants = wants[n:]
	}
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for _, w := range all {
		if w.List == nil || w.List.Gone.Load() {
			w.List = l.ByKey[w.Key]
		}
		if w.List != nil {
			w.List.hold(epoch)
		}
	}
	return nil
}

// Distinct returns a want of each list in the order of their places in the files. A batch
// wants most lists many times, so it drops these before it sorts.
func Distinct(wants []*Want) []*Want {
	seen := make(map[ListKey]struct{}, len(wants)/2)
	kept := make([]*Want, 0, len(wants)/2)
	for _, w := range wants {
		if _, ok := seen[w.Key]; !ok {
			seen[w.Key] = struct{}{}
			kept = append(kept, w)
		}
	}
	slices.SortFunc(kept, func(a, b *Want) int {
		return cmp.Or(cmp.Compare(a.Key.Segment, b.Key.Segment), cmp.Compare(a.Key.Offset, b.Key.Offset))
	})
	return kept
}

// loadSome loads at most checkSize lists, and waits for those of them that another load
// has begun to copy.
func (l *Lists) loadSome(ctx context.Context, wants []*Want, oldest, epoch uint64) error {
	var ld *loader
	select {
	case ld = <-l.Loaders:
	case <-ctx.Done():
		return ctx.Err()
	}
	own, others, done := l.claim(wants, epoch)
	var err error
	if len(own) > 0 {
		err = ld.load(l, own, oldest, epoch)
	}
	l.Loaders <- ld
	l.Mu.Lock()
	for _, w := range own {
		delete(l.Coming, w.Key)
	}
	l.Mu.Unlock()
	close(done)
	for _, other := range others {
		select {
		case <-other:
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
	return err
}

// claim divides wants into those that the caller loads and those that others are loading,
// and pins those that are resident by now. It returns what the others close when they are
// done, and what the caller has to close.
func (l *Lists) claim(wants []*Want, epoch uint64) (own []*Want, others []chan struct{}, done chan struct{}) {
	done = make(chan struct{})
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for _, w := range wants {
		if r := l.ByKey[w.Key]; r != nil {
			r.hold(epoch)
		} else if other := l.Coming[w.Key]; other != nil {
			if !slices.Contains(others, other) {
				others = append(others, other)
			}
		} else if l.Refused[w.Key] == nil {
			l.Coming[w.Key] = done
			own = append(own, w)
		}
	}
	return own, others, done
}

// load loads lists, with one copy per run of extents that are close together.
func (d *loader) load(l *Lists, wants []*Want, oldest, epoch uint64) error {
	ld := &loading{loader: d, l: l, sums: sums{work: make(chan []sum, len(wants)+1)}, copies: cuda.Batch{Stream: d.copyStream},
		checks: cuda.Batch{Stream: d.checkStream}, jobs: d.jobs(), status: d.status(), recoding: d.recoding()}
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
		at, ok := ld.admitRun(o, i, n, size, oldest, epoch)
		if !ok && n > 1 { // no room for the whole run
			limit = size / 2
			continue
		}
		i += n
		if !ok {
			continue
		}
		if err := ld.copyRun(o.wants[i-n:i], o.lists[i-n:i], at, size); errors.Is(err, format.ErrCorrupt) {
			for k := len(ld.lists) - n; k < len(ld.lists); k++ {
				ld.lists[k].sum = &err
			}
		} else if err != nil {
			return err
		}
		o.drop(i-n, i)
		limit = min(4*limit, max(l.Arena.Size()/64, firstRun), lastRun)
		if ld.waiting += size; ld.waiting < checkBytes {
			continue
		}
		if err := ld.launch(); err != nil {
			return err
		}
	}
	return nil
}

// admitRun finds room for a run of n lists from list i on and admits them. It reports
// false if there is none. A single list is then refused.
func (ld *loading) admitRun(o *opening, i, n int, size int64, oldest, epoch uint64) (kernels.Ptr, bool) {
	l := ld.l
	l.Mu.Lock()
	defer l.Mu.Unlock()
	at, ok := l.rangeFor(n, size, oldest)
	if !ok {
		if n == 1 {
			l.stats.Refused++
			if err := o.lists[i].err; err != nil {
				l.Refused[o.wants[i].Key] = err
			}
		}
		return 0, false
	}
	first, end := o.wants[i].Key.Offset, int64(0)
	for j := i; j < i+n; j++ {
		from := o.wants[j].Key.Offset - first
		if from > end {
			ld.unused = append(ld.unused, span{at + kernels.Ptr(end), from - end})
		}
		ld.admit(o.wants[j], &o.lists[j], at+kernels.Ptr(from), epoch)
		end = from + int64(len(o.lists[j].extent))
	}
	return at, true
}

// settle waits for copies and checks on the device and makes the lists that passed
// resident.
func (ld *loading) settle(err error) error {
	l := ld.l
	if len(ld.lists) == 0 {
		return err
	}
	if err == nil {
		ld.checks.CopyOut(ld.pinned[statusAt:][:statusSize*len(ld.lists)], ld.scratch+kernels.Ptr(statusAt))
		ld.checks.CopyOut(ld.pinned[sizesAt:][:sizeSize*ld.recoding.n], ld.scratch+kernels.Ptr(sizesAt))
		err = l.dev.Submit(&ld.checks)
		ld.checks.Reset()
	}
	err = errors.Join(err, l.dev.Wait(ld.copyStream), l.dev.Wait(ld.checkStream))
	bad := make([]error, len(ld.lists))
	if err == nil {
		for i := range bad {
			bad[i] = ld.verdict(i)
		}
		err = ld.recode(bad)
	}
	ld.publish(bad, err)
	return err
}

// publish makes the lists resident that are not bad, unless the load failed with err.
func (ld *loading) publish(bad []error, err error) {
	l := ld.l
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.stats.BytesLoaded += ld.bytes
	l.releaseAll(append(ld.unused, ld.recoding.ends...))
	for i, r := range ld.lists {
		if bad[i] != nil {
			l.Refused[r.Key] = bad[i]
		}
		if bad[i] != nil || err != nil { // queries that need it are answered by the CPU or fail
			l.stats.Refused++
			r.Gone.Store(true)
			l.Release(r.At, r.Size)
			l.free = append(l.free, r.Slot)
			continue
		}
		l.prove(&r.Key)
		l.ByKey[r.Key] = r.List
		l.stats.Loaded++
		l.stats.Bytes += r.Size
		l.stats.Stored += r.Stored
	}
}

// together returns how many of wants are loaded together.
func (l *Lists) together(wants []*Want) int {
	postings := int64(0)
	for i, w := range wants[:min(len(wants), CheckSize)] {
		if w.Joined == nil {
			continue
		}
		for _, p := range w.Joined.parts {
			postings += int64(p.Entry.DF)
		}
		if i > 0 && postings > JoinedAtOnce {
			return i
		}
	}
	return min(len(wants), CheckSize)
}

// JoinedAtOnce is the number of postings that are joined before they are copied.
const JoinedAtOnce = 1 << 26
