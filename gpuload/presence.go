package gpuload

import (
	"unsafe"

	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/kernels"
)

// Presence words (kernels/presence.h) are made on the device, for lists that a batch
// finds resident, that is, for lists used more than once. They take free memory of the
// arena; no list is evicted for them.
const (
	markSize  = 2048 // lists per launch: as many jobs as scratch holds
	markParts = 16   // thread blocks per list
)

// mark makes the presence words of lists, which must be pinned by the caller's batch.
func (l *lists) mark(lists []*resident) error {
	if len(lists) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(lists) > 0 {
		n := min(len(lists), markSize)
		if err := l.markSome(lists[:n]); err != nil {
			return err
		}
		lists = lists[n:]
	}
	return nil
}

func (l *lists) markSome(lists []*resident) error {
	b := &cuda.Batch{Stream: copyStream}
	var job kernels.PresenceJob
	jobs := unsafe.Slice((*kernels.PresenceJob)(unsafe.Pointer(unsafe.SliceData(l.pinned))), markSize)
	n := 0
	for _, r := range lists {
		size := layout.PresenceBytes(r.n, l.segments[r.key.Segment].Meta().Docs)
		at, ok := l.spare(size)
		if !ok {
			continue // no presence words until it is loaded again
		}
		r.marks, r.marked = at, size
		l.stats.Marked += size
		b.Fill(at, size)
		jobs[n] = kernels.PresenceJob{Words: at + layout.PresenceLead, List: r.slot}
		n++
	}
	if n == 0 {
		return nil
	}
	b.CopyIn(l.scratch, l.pinned[:n*int(unsafe.Sizeof(job))])
	p := kernels.PresenceParams{Lists: l.table, Jobs: l.scratch, NJobs: uint32(n), Parts: markParts}
	b.Launch(kernels.MarkDocs, n*markParts, 0, kernels.Bytes(&p))
	b.Launch(kernels.PublishPresence, (n+255)/256, 0, kernels.Bytes(&p))
	return l.flush(b)
}

// spare allocates a range without evicting.
func (l *lists) spare(size int64) (kernels.Ptr, bool) {
	if l.isolate {
		p, err := l.dev.Alloc(size)
		return p, err == nil
	}
	return l.arena.Alloc(size)
}

// unmark frees the presence words of a list.
func (l *lists) unmark(r *resident) {
	if r.marked > 0 {
		l.release(r.marks, r.marked)
		l.stats.Marked -= r.marked
		r.marks, r.marked = 0, 0
	}
}
