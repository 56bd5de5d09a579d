package gpuload

import (
	"context"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/kernels"
	"github.com/pinion-index/pinion/segment"
)

// resident is one list on the device.
type resident struct {
	key      Key
	slot     uint32 // in the table of descriptors
	at       kernels.Ptr
	size     int64
	blocks   uint32
	logBlock uint8
	codecs   kernels.CodecSet // of docIDs and frequencies
	elements bool             // docIDs can be found by single elements
	kth      [3]format.KthImpact
	quad     format.Quad
	n        uint32
	marks    kernels.Ptr // its presence words, or 0
	marked   int64       // bytes taken for them

	// Guarded by lists.mu.
	uses float64 // priority: the clock when it was loaded or last used, plus uses
	pin  uint64  // the last batch that needs it
	bare bool    // presence words are to be made when it is used again
	gone bool    // evicted
}

// lists keeps the table of descriptors and the extents on the device. When the
// arena is full it evicts the lists of least priority: a list's priority is the
// clock at its last use plus the number of its uses, and the clock is the highest
// priority evicted so far, so that frequency counts and old fame fades.
//
// It is safe for concurrent use.
type lists struct {
	mu    sync.RWMutex
	dev   cuda.Device
	arena *layout.Arena
	base  kernels.Ptr
	table kernels.Ptr // ListDesc[capacity]
	zone  uint32      // first slot that lists itself does not use
	free  []uint32
	next  uint32
	byKey map[Key]*resident
	clock float64
	epoch uint64
	stats Stats

	segments   []*segment.Segment
	registered [][]byte    // mapped files that copies may read, nil where not
	ring       []byte      // staging for the others
	scratch    kernels.Ptr // which[] and status[] of a validation
	pinned     []byte
	damaged    error // the first list that failed validation

	least uint32 // postings from which on a list gets presence words

	// isolate makes every list an allocation of its own, for tests under the
	// address sanitizer.
	isolate bool
}

const (
	ringSize  = 64 << 20
	firstRun  = 1 << 18  // of a copy from a mapping: while it runs the next lists are opened
	lastRun   = 32 << 20 // each run is four times as long as the one before, up to that
	checkSize = 4096     // lists validated in one launch
)

// newLists takes arenaBytes of device memory, and a table of slots descriptors of
// which the last reserved are the caller's.
func newLists(dev cuda.Device, segs []*segment.Segment, arenaBytes int64, slots, reserved uint32) (*lists, error) {
	l := &lists{dev: dev, zone: slots - reserved, byKey: map[Key]*resident{}, segments: segs, epoch: 1}
	if err := l.open(arenaBytes, slots); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lists) open(arenaBytes int64, slots uint32) (err error) {
	dev := l.dev
	desc := int64(layout.DescSize)
	// The slack behind the arena is what vector loads at its end read.
	if l.base, err = dev.Alloc(arenaBytes + 256); err != nil {
		return err
	}
	if l.table, err = dev.Alloc(desc * int64(slots)); err != nil {
		return err
	}
	if l.scratch, err = dev.Alloc(8 * checkSize); err != nil {
		return err
	}
	if l.pinned, err = dev.HostAlloc(8*checkSize + int(desc)*checkSize); err != nil {
		return err
	}
	l.arena = layout.NewArena(l.base, arenaBytes)
	l.registered = make([][]byte, len(l.segments))
	for i, s := range l.segments {
		if m, ok := s.Data().(interface{ Mapped() []byte }); ok {
			b := m.Mapped()
			if len(b) > 0 && dev.Register(b) == nil {
				l.registered[i] = b
			}
		}
	}
	return nil
}

func (l *lists) close() {
	if l.isolate {
		for _, r := range l.byKey {
			l.release(r.at, r.size)
			l.unmark(r)
		}
	}
	for _, b := range l.registered {
		if b != nil {
			_ = l.dev.Unregister(b) // nothing to be done about it
		}
	}
	for _, p := range []kernels.Ptr{l.base, l.table, l.scratch} {
		if p != 0 {
			_ = l.dev.Free(p)
		}
	}
	for _, b := range [][]byte{l.pinned, l.ring} {
		if b != nil {
			_ = l.dev.HostFree(b)
		}
	}
}

// firstDamage returns what the validation of lists found first, or nil.
func (l *lists) firstDamage() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.damaged
}

// counters returns Stats but for Busy.
func (l *lists) counters() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Lists = int64(len(l.byKey))
	return s
}

// want is a list that a batch needs; list is where it was found last, or nil.
type want struct {
	key   Key
	entry segment.Entry
	list  *resident
}

// look finds the lists of postings before a batch does, where that need not wait: find
// has them at hand then, and is short. Several may look at the same time.
func (l *lists) look(postings []posting) {
	if !l.mu.TryRLock() {
		return
	}
	defer l.mu.RUnlock()
	for i := range postings {
		if p := &postings[i]; p.n > 0 && p.small == nil {
			p.want.list = l.byKey[p.want.key]
		}
	}
}

// find looks wants up and marks what it finds as used by batch epoch. bare are those
// of the lists found whose presence words the caller is to make.
func (l *lists) find(wants []*want, epoch uint64) (missing []*want, bare []*resident) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range wants {
		if w.list == nil || w.list.gone {
			w.list = l.byKey[w.key]
		}
		if w.list == nil {
			missing = append(missing, w)
			l.stats.Misses++
			continue
		}
		w.list.pin = max(w.list.pin, epoch)
		w.list.uses = max(w.list.uses, l.clock) + 1
		if w.list.bare {
			w.list.bare = false
			bare = append(bare, w.list)
		}
		l.stats.Hits++
		l.stats.HitBytes += w.list.size
	}
	return missing, bare
}

// load makes lists resident, or as many as fit. Lists that batches from epoch
// oldest on use are not evicted for them. When it returns, lists are on the device
// and have been validated, but those that did not fit or are damaged stay nil.
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

// loadSome loads at most checkSize lists: one copy per run of neighbouring extents,
// one launch that validates them.
func (l *lists) loadSome(wants []*want, oldest, epoch uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	wants = slices.DeleteFunc(slices.Clone(wants), func(w *want) bool { // another batch may have loaded it by now
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
		if !ok && n > 1 { // no range for the whole run
			limit = size / 2
			continue
		}
		i += n
		if !ok {
			l.stats.Refused++
			continue
		}
		if err := l.copyRun(b, wants[i-n].key.Segment, o.lists[i-n:i], at, size, &staged); err != nil {
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

// validate runs the copies, checks the lists where they lie and admits the sound.
func (l *lists) validate(b *cuda.Batch, loaded []*resident) error {
	if len(loaded) == 0 {
		return nil
	}
	which, status := format.Uint32s(l.pinned[:4*checkSize]), format.Uint32s(l.pinned[4*checkSize:8*checkSize])
	for i, r := range loaded {
		which[i] = r.slot
		l.byKey[r.key] = r // while the copies run; nobody else sees it before it is sound
	}
	p := kernels.CheckParams{Lists: l.table, Which: l.scratch, Status: l.scratch + 4*checkSize, Count: uint32(len(loaded))}
	desc := layout.DescSize
	for i := 0; i < len(loaded); { // one copy for each run of slots
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
		if status[i] != 0 { // whoever asks gets the CPU's answer, or its error
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

// slot returns a free slot of the table.
func (l *lists) slot() uint32 {
	if n := len(l.free); n > 0 {
		s := l.free[n-1]
		l.free = l.free[:n-1]
		return s
	}
	l.next++
	return l.next - 1
}

// room allocates, evicting lists of least priority that no batch from oldest on uses.
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
	var victims []*resident
	for _, r := range l.byKey {
		if r.pin < oldest {
			victims = append(victims, r)
		}
	}
	slices.SortFunc(victims, func(a, b *resident) int {
		switch {
		case a.uses < b.uses:
			return -1
		case a.uses > b.uses:
			return 1
		}
		return int(min(max(int64(a.at)-int64(b.at), -1), 1))
	})
	goal := max(size, l.arena.Size()/16)
	for _, r := range victims {
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

// release frees what room returned.
func (l *lists) release(at kernels.Ptr, size int64) {
	if l.isolate {
		_ = l.dev.Free(at)
		return
	}
	l.arena.Release(at, size)
}

func (l *lists) evict(r *resident) {
	delete(l.byKey, r.key)
	r.gone = true
	l.release(r.at, r.size)
	l.unmark(r)
	l.free = append(l.free, r.slot)
	l.clock = max(l.clock, r.uses)
	l.stats.Evicted++
	l.stats.Bytes -= r.size
}
