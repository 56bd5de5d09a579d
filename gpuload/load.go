package gpuload

import (
	"context"
	"errors"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/kernels"
)

// load makes as many of the lists resident as fit. It does not evict lists used by
// batches of epoch oldest or later. When it returns, each want's list is on the device
// and validated, or nil if it did not fit or is damaged.
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

// loadSome loads at most checkSize lists with one copy per run of adjacent extents and
// one launch that validates them all.
func (l *lists) loadSome(wants []*want, oldest, epoch uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	wants = slices.DeleteFunc(slices.Clone(wants), func(w *want) bool { // another batch may have loaded it
		r := l.byKey[w.key]
		if r != nil {
			r.pin = max(r.pin, epoch)
		}
		return r != nil
	})
	b := &cuda.Batch{Stream: cuda.Streams - 1}
	o := l.openAll(wants)
	defer o.wg.Wait()
	var loaded []*resident
	staged, limit := 0, int64(firstRun)
	for i := 0; i < len(wants); {
		n, size := l.runOf(wants, o, i, limit)
		at, ok := l.rangeFor(n, size, oldest)
		if !ok && n > 1 { // no room for the whole run
			limit = size / 2
			continue
		}
		i += n
		if !ok {
			l.stats.Refused++
			continue
		}
		if err := l.copyRun(b, wants[i-n].key.Segment, o.lists[i-n:i], at, size, &staged); errors.Is(err, format.ErrCorrupt) {
			l.stats.Refused += int64(n)
			l.release(at, size)
			continue
		} else if err != nil {
			return err
		}
		limit = min(4*limit, max(l.arena.Size()/64, firstRun), lastRun)
		for j := i - n; j < i; j++ {
			wants[j].list = l.admit(wants[j].key, &o.lists[j], at, len(loaded), epoch)
			loaded = append(loaded, wants[j].list)
			at += kernels.Ptr(len(o.lists[j].extent))
		}
	}
	return l.validate(b, loaded)
}

func (l *lists) flush(b *cuda.Batch) error {
	if err := l.dev.Submit(b); err != nil {
		return err
	}
	b.Reset()
	return l.dev.Wait(b.Stream)
}

// validate runs the copies, checks the lists in device memory and drops the damaged ones.
func (l *lists) validate(b *cuda.Batch, loaded []*resident) error {
	if len(loaded) == 0 {
		return nil
	}
	which, status := format.Uint32s(l.pinned[:4*checkSize]), format.Uint32s(l.pinned[4*checkSize:8*checkSize])
	for i, r := range loaded {
		which[i] = r.slot
		l.byKey[r.key] = r // l.mu is held, so no other goroutine sees it before it is valid
	}
	p := kernels.CheckParams{Lists: l.table, Which: l.scratch, Status: l.scratch + 4*checkSize, Count: uint32(len(loaded))}
	desc := layout.DescSize
	for i := 0; i < len(loaded); { // one copy per run of slots
		j := i + 1
		for j < len(loaded) && loaded[j].slot == loaded[j-1].slot+1 {
			j++
		}
		b.CopyIn(l.table+kernels.Ptr(desc*int(loaded[i].slot)), l.pinned[8*checkSize+desc*i:8*checkSize+desc*j])
		i = j
	}
	b.CopyIn(p.Which, l.pinned[:4*len(loaded)])
	b.Launch(kernels.CheckLists, len(loaded), 0, kernels.Bytes(&p))
	b.CopyOut(l.pinned[4*checkSize:][:4*len(loaded)], p.Status)
	if err := l.flush(b); err != nil {
		for _, r := range loaded {
			delete(l.byKey, r.key)
			r.gone = true
		}
		return err
	}
	for i, r := range loaded {
		if status[i] != 0 { // queries that need it are answered by the CPU or fail
			l.stats.Refused++
			delete(l.byKey, r.key)
			r.gone = true
			l.release(r.at, r.size)
			l.free = append(l.free, r.slot)
			if l.damaged == nil {
				l.damaged = format.Locate(format.Corrupt("list at offset %d of the postings: %s", r.key.Offset, damage(status[i])),
					format.Place{File: l.segments[r.key.Segment].Name(), Block: format.NoBlock})
			}
			continue
		}
		l.stats.Loaded++
		l.stats.Bytes += r.size
	}
	return nil
}

func damage(status uint32) string {
	switch {
	case status&kernels.BadDocEnds != 0:
		return "docID block endpoints do not ascend within the payload"
	case status&kernels.BadFreqEnds != 0:
		return "frequency block endpoints do not ascend within the payload"
	case status&kernels.BadLast != 0:
		return "last docIDs of blocks do not ascend within the segment"
	}
	return "hash bucket offsets do not ascend"
}
