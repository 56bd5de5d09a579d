package residency

import (
	"unsafe"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// Presence words (kernels/presence.h) are made on the device, for lists that a batch
// finds resident, that is, for lists used more than once. They take free memory of the
// arena; no list is evicted for them. Once lists have been evicted, a list must be used more
// often first: making its words takes a single query as long as copying its lists, and most
// lists are evicted again soon.

// bareFor returns how many uses of a list that is loaded now get it presence words. l.mu must be
// held.
func (l *Lists) bareFor() int32 {
	if l.stats.Evicted > 0 {
		return MarkUsesScarce
	}
	return MarkUses
}

// Mark makes the presence words of lists, which are not evicted meanwhile, whatever their epochs.
func (l *Lists) Mark(lists []*List) error {
	if len(lists) == 0 {
		return nil
	}
	l.marker.mu.Lock()
	defer l.marker.mu.Unlock()
	for len(lists) > 0 {
		n := min(len(lists), markSize)
		if err := l.markSome(lists[:n]); err != nil {
			return err
		}
		lists = lists[n:]
	}
	return nil
}

func (l *Lists) markSome(lists []*List) error {
	b := &cuda.Batch{Stream: MarkStream}
	n, codecs := l.markJobs(b, lists)
	if n == 0 {
		return nil
	}
	defer l.marked(lists)
	m := l.marker
	b.CopyIn(m.scratch, m.pinned[:n*int(unsafe.Sizeof(kernels.PresenceJob{}))])
	parts := min(max(markBlocks/n, markParts), mostParts)
	p := kernels.PresenceParams{Lists: l.Table, Jobs: m.scratch, NJobs: uint32(n), Parts: uint32(parts)}
	b.Launch(kernels.For(kernels.MarkPostings, codecs), n*parts, 0, kernels.Bytes(&p))
	b.Launch(kernels.PublishPresence, (n+255)/256, 0, kernels.Bytes(&p))
	return Flush(l.dev, b)
}

// markJobs makes the jobs of lists for which there is memory, which b clears. It returns
// their number and the lists' codecs.
func (l *Lists) markJobs(b *cuda.Batch, lists []*List) (n int, codecs kernels.CodecSet) {
	jobs := unsafe.Slice((*kernels.PresenceJob)(unsafe.Pointer(unsafe.SliceData(l.marker.pinned))), markSize)
	l.Mu.Lock()
	defer l.Mu.Unlock()
	var clear span // adjacent words: a fill of its own for each list takes longer than its kernels
	for _, r := range lists {
		if r.Gone.Load() { // its slot may be another list's
			continue
		}
		size := layout.PresenceBytes(r.N, r.docs)
		at, ok := l.spare(size)
		if !ok {
			continue // no presence words until it is loaded again
		}
		r.Marks, r.Marked, r.Marking = at, size, true
		l.stats.Marked += size
		if l.Isolate || at != clear.at+kernels.Ptr(clear.size) {
			b.Fill(clear.at, clear.size)
			clear = span{at: at}
		}
		clear.size += size
		jobs[n] = kernels.PresenceJob{Words: at + layout.PresenceLead, List: r.Slot}
		n++
		codecs |= r.Codecs
	}
	b.Fill(clear.at, clear.size)
	return n, codecs
}

// marked lets lists be evicted again.
func (l *Lists) marked(lists []*List) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for _, r := range lists {
		r.Marking = false
	}
}
