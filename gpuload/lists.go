package gpuload

import (
	"context"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/kernels"
	"github.com/pinion-index/pinion/segment"
)

// Key names a list of a snapshot: its segment's index and the offset of its entry.
type Key struct {
	Segment int
	Offset  int64
}

// resident is one list on the device.
type resident struct {
	key      Key
	slot     uint32 // in the table of descriptors
	at       Ptr
	size     int64
	blocks   uint32
	logBlock uint8
	family   family
	elements bool // docIDs in a linear-regression codec
	kth      [3]format.KthImpact
	quad     format.Quad
	n        uint32
	marks    Ptr   // its presence words, or 0
	marked   int64 // bytes taken for them

	// Guarded by Lists.
	uses float64 // priority: the clock when it was loaded or last used, plus uses
	pin  uint64  // the last batch that needs it
	bare bool    // presence words are to be made when it is used again
}

// Stats counts what residency did.
type Stats struct {
	Lists, Bytes    int64 // resident now
	Hits, Misses    int64 // lists asked for
	HitBytes        int64
	Loaded, Evicted int64 // lists
	BytesLoaded     int64
	Refused         int64 // lists that failed validation or did not fit
	Marked          int64 // bytes of presence words, beside Bytes
}

// Lists keeps the table of descriptors and the extents on the device. When the
// arena is full it evicts the lists of least priority: a list's priority is the
// clock at its last use plus the number of its uses, and the clock is the highest
// priority evicted so far, so that frequency counts and old fame fades.
//
// It is safe for concurrent use.
type Lists struct {
	mu    sync.Mutex
	dev   Device
	arena *Arena
	base  Ptr
	table Ptr    // ListDesc[capacity]
	zone  uint32 // first slot that Lists itself does not use
	free  []uint32
	next  uint32
	lists map[Key]*resident
	clock float64
	epoch uint64
	stats Stats

	segments   []*segment.Segment
	registered [][]byte // mapped files that copies may read, nil where not
	ring       []byte   // staging for the others
	scratch    Ptr      // which[] and status[] of a validation
	pinned     []byte
	damaged    error // the first list that failed validation

	least uint32 // postings from which on a list gets presence words

	// isolate makes every list an allocation of its own, for tests under the
	// address sanitizer.
	isolate bool
}

const (
	ringSize  = 64 << 20
	runSize   = 4 << 20 // of a copy from a mapping: while it runs the next lists are opened
	checkSize = 4096    // lists validated in one launch
)

// newLists takes arenaBytes of device memory, and a table of slots descriptors of
// which the last reserved are the caller's.
func newLists(dev Device, segs []*segment.Segment, arenaBytes int64, slots, reserved uint32) (*Lists, error) {
	l := &Lists{dev: dev, zone: slots - reserved, lists: map[Key]*resident{}, segments: segs, epoch: 1}
	if err := l.open(arenaBytes, slots); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *Lists) open(arenaBytes int64, slots uint32) (err error) {
	dev := l.dev
	desc := int64(len(kernels.Bytes(&kernels.ListDesc{})))
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
	l.arena = NewArena(l.base, arenaBytes)
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

func (l *Lists) close() {
	if l.isolate {
		for _, r := range l.lists {
			l.release(r.at, r.size)
			l.unmark(r)
		}
	}
	for _, b := range l.registered {
		if b != nil {
			_ = l.dev.Unregister(b) // nothing to be done about it
		}
	}
	for _, p := range []Ptr{l.base, l.table, l.scratch} {
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

// Damaged returns what the validation of lists found first, or nil.
func (l *Lists) Damaged() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.damaged
}

// Stats returns the counters.
func (l *Lists) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Lists = int64(len(l.lists))
	return s
}

// want is a list that a batch needs; list is where to find it, or nil.
type want struct {
	key   Key
	entry segment.Entry
	list  *resident
}

// find looks wants up and marks what it finds as used by batch epoch. bare are those
// of the lists found whose presence words the caller is to make.
func (l *Lists) find(wants []*want, epoch uint64) (missing []*want, bare []*resident) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range wants {
		if w.list = l.lists[w.key]; w.list == nil {
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
func (l *Lists) load(ctx context.Context, wants []*want, oldest, epoch uint64) error {
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
		w.list = l.lists[w.key]
	}
	return nil
}

// loadSome loads at most checkSize lists: one copy per run of neighbouring extents,
// one launch that validates them.
func (l *Lists) loadSome(wants []*want, oldest, epoch uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	wants = slices.DeleteFunc(slices.Clone(wants), func(w *want) bool { // another batch may have loaded it by now
		r := l.lists[w.key]
		if r != nil {
			r.pin = max(r.pin, epoch)
		}
		return r != nil
	})
	desc := len(kernels.Bytes(&kernels.ListDesc{}))
	b := &Batch{Stream: Streams - 1}
	var loaded []*resident
	staged := 0
	for i := 0; i < len(wants); {
		run, size := l.runOf(wants[i:])
		at, ok := l.room(size, oldest)
		if !ok && len(run) > 1 { // no range for the whole run: one by one
			run = run[:1]
			size = int64(len(run[0].Extent()))
			at, ok = l.room(size, oldest)
		}
		i += len(run)
		if !ok || int(l.next) >= int(l.zone)-len(run) && len(l.free) < len(run) {
			if ok {
				l.release(at, size)
			}
			l.stats.Refused += int64(len(run))
			continue
		}
		w := wants[i-len(run):]
		if err := l.copyRun(b, w[0].key.Segment, run, at, &staged); err != nil {
			return err
		}
		for j, v := range run {
			n := int64(len(v.Extent()))
			r := &resident{key: w[j].key, slot: l.slot(), at: at, size: n, blocks: uint32(v.Blocks), kth: v.Kth, quad: v.Quad,
				n: uint32(v.N), uses: l.clock + 1, pin: epoch}
			r.bare = r.n >= l.least
			d := describe(v, at, l.segments[r.key.Segment].Meta().Docs)
			r.logBlock, r.family = d.LogBlock, max(familyOf(d.DocsCodec), familyOf(d.FreqsCodec))
			r.elements = linear(d.DocsCodec)
			copy(l.pinned[8*checkSize+desc*len(loaded):], kernels.Bytes(&d))
			loaded = append(loaded, r)
			at += Ptr(n)
		}
	}
	return l.validate(b, loaded)
}

// runOf opens the lists of the longest prefix of wants that are neighbours in one
// file, at most runSize bytes together. Lists that cannot be opened, or that no kernel
// decodes, end the run; alone, they are reported as an empty run by an empty list.
func (l *Lists) runOf(wants []*want) (run []*segment.List, size int64) {
	for _, w := range wants {
		if w.key.Segment != wants[0].key.Segment || w.key.Offset != wants[0].key.Offset+size {
			break
		}
		v, err := l.segments[w.key.Segment].List(w.entry)
		if err != nil || len(v.Extent()) == 0 || !supported(uint8(v.DocsCodec.ID())) || !supported(uint8(v.FreqsCodec.ID())) {
			v = new(segment.List)
		}
		n := int64(len(v.Extent()))
		if len(run) > 0 && (n == 0 || size+n > runSize || l.isolate) {
			break
		}
		run = append(run, v)
		size += n
		if n == 0 {
			break
		}
	}
	return run, size
}

// copyRun enqueues the copy of neighbouring extents.
func (l *Lists) copyRun(b *Batch, seg int, run []*segment.List, at Ptr, staged *int) error {
	first := run[0].Extent()
	size := 0
	for _, v := range run {
		size += len(v.Extent())
	}
	l.stats.BytesLoaded += int64(size)
	if l.registered[seg] != nil {
		b.CopyIn(at, first[:size:size])
		err := l.dev.Submit(b) // copying begins while further lists are looked up
		b.Reset()
		return err
	}
	if l.ring == nil {
		var err error
		if l.ring, err = l.dev.HostAlloc(ringSize); err != nil {
			return err
		}
	}
	for _, v := range run {
		for e := v.Extent(); len(e) > 0; {
			if *staged == len(l.ring) { // full: let it drain
				if err := l.flush(b); err != nil {
					return err
				}
				*staged = 0
			}
			n := copy(l.ring[*staged:], e)
			b.CopyIn(at, l.ring[*staged:*staged+n])
			e = e[n:]
			*staged += n
			at += Ptr(n)
		}
	}
	return nil
}

func (l *Lists) flush(b *Batch) error {
	if err := l.dev.Submit(b); err != nil {
		return err
	}
	b.Reset()
	return l.dev.Wait(b.Stream)
}

// validate runs the copies, checks the lists where they lie and admits the sound.
func (l *Lists) validate(b *Batch, loaded []*resident) error {
	if len(loaded) == 0 {
		return nil
	}
	which, status := format.Uint32s(l.pinned[:4*checkSize]), format.Uint32s(l.pinned[4*checkSize:8*checkSize])
	for i, r := range loaded {
		which[i] = r.slot
	}
	p := kernels.CheckParams{Lists: l.table, Which: l.scratch, Status: l.scratch + 4*checkSize, Count: uint32(len(loaded))}
	desc := len(kernels.Bytes(&kernels.ListDesc{}))
	for i := 0; i < len(loaded); { // one copy for each run of slots
		j := i + 1
		for j < len(loaded) && loaded[j].slot == loaded[j-1].slot+1 {
			j++
		}
		b.CopyIn(l.table+Ptr(desc*int(loaded[i].slot)), l.pinned[8*checkSize+desc*i:8*checkSize+desc*j])
		i = j
	}
	b.CopyIn(p.Which, l.pinned[:4*len(loaded)])
	b.Launch(kernels.CheckLists, len(loaded), 0, kernels.Bytes(&p))
	b.CopyOut(l.pinned[4*checkSize:][:4*len(loaded)], p.Status)
	if err := l.flush(b); err != nil {
		return err
	}
	for i, r := range loaded {
		if status[i] != 0 { // whoever asks gets the CPU's answer, or its error
			l.stats.Refused++
			l.release(r.at, r.size)
			l.free = append(l.free, r.slot)
			if l.damaged == nil {
				l.damaged = format.Locate(format.Corrupt("list at offset %d of the postings: %s", r.key.Offset, damage(status[i])),
					format.Place{File: l.segments[r.key.Segment].Name(), Block: format.NoBlock})
			}
			continue
		}
		l.lists[r.key] = r
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
func (l *Lists) slot() uint32 {
	if n := len(l.free); n > 0 {
		s := l.free[n-1]
		l.free = l.free[:n-1]
		return s
	}
	l.next++
	return l.next - 1
}

// room allocates, evicting lists of least priority that no batch from oldest on uses.
func (l *Lists) room(size int64, oldest uint64) (Ptr, bool) {
	if size == 0 || size > l.arena.size {
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
	for _, r := range l.lists {
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
	goal := max(size, l.arena.size/16)
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
func (l *Lists) release(at Ptr, size int64) {
	if l.isolate {
		_ = l.dev.Free(at)
		return
	}
	l.arena.Release(at, size)
}

func (l *Lists) evict(r *resident) {
	delete(l.lists, r.key)
	l.release(r.at, r.size)
	l.unmark(r)
	l.free = append(l.free, r.slot)
	l.clock = max(l.clock, r.uses)
	l.stats.Evicted++
	l.stats.Bytes -= r.size
}
