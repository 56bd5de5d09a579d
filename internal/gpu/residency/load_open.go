package residency

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/segment"
)

// opening opens lists in several goroutines, in order: for short lists, reading the
// headers takes one processor longer than copying the lists.
type opening struct {
	l     *Lists
	wants []*Want
	lists []Opened
	size  int             // lists in a group
	next  atomic.Int64    // the next group to open
	done  []chan struct{} // closed when the group is open
	wg    sync.WaitGroup
}

// openAll starts opening lists. Its goroutines call then at the end. The caller must wait
// for wg.
func (l *Lists) openAll(wants []*Want, then func()) *opening {
	size, helpers := openGroup, openers
	if slices.ContainsFunc(wants, func(w *Want) bool { return w.Joined != nil }) {
		size, helpers = 1, runtime.GOMAXPROCS(0)
	}
	groups := (len(wants) + size - 1) / size
	o := &opening{l: l, wants: wants, size: size, lists: make([]Opened, len(wants)), done: make([]chan struct{}, groups)}
	for i := range o.done {
		o.done[i] = make(chan struct{})
	}
	for range min(groups-1, helpers, runtime.GOMAXPROCS(0)-1) {
		o.wg.Go(func() {
			var v segment.List
			for o.group(&v) {
			}
			then()
		})
	}
	return o
}

// group opens the lists of the next group, if there is one.
func (o *opening) group(v *segment.List) bool {
	g := int(o.next.Add(1)) - 1
	if g >= len(o.done) {
		return false
	}
	for i := g * o.size; i < min((g+1)*o.size, len(o.wants)); i++ {
		o.l.openOne(&o.lists[i], v, o.wants[i])
	}
	close(o.done[g])
	return true
}

// get returns list i. While another goroutine opens it, the caller opens others.
func (o *opening) get(i int) *Opened {
	for v := (*segment.List)(nil); ; {
		select {
		case <-o.done[i/o.size]:
			return &o.lists[i]
		default:
		}
		if v == nil {
			v = new(segment.List)
		}
		if !o.group(v) {
			runtime.Gosched() // opening takes microseconds
		}
	}
}

// openOne opens w into o. v is scratch. A list that faults is one that cannot be opened. No kernel takes weights for
// frequencies.
func (l *Lists) openOne(o *Opened, v *segment.List, w *Want) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &o.err)
	if w.Joined != nil {
		if ahead := w.Joined.Ahead.Load(); ahead != nil {
			*o = *ahead
			return
		}
		o.err = l.joiners.Join(o, w.Joined)
		return
	}
	s := l.segments[w.Key.Segment].Seg
	if o.err = s.Lists().Init(v, w.Entry); o.err != nil || v.HasImpacts || !kernels.Decodable(v.DocsCodec) || !kernels.Decodable(v.FreqsCodec) {
		return
	}
	o.set(v, s.Meta().Docs, int64(len(v.Extent())))
}

// drop forgets the bytes of lists from i up to n, which have been copied, if they were
// joined for that.
func (o *opening) drop(i, n int) {
	for ; i < n; i++ {
		o.lists[i].extent = nil
	}
}

// admit gives a list an address and a slot and sets its descriptor and job. It is resident
// once settle has made it so.
func (ld *loading) admit(w *Want, o *Opened, at kernels.Ptr, epoch uint64) {
	l, d, number := ld.l, &o.desc, len(ld.lists)
	layout.Place(d, at)
	copy(ld.pinned[descsAt+layout.DescSize*number:], kernels.Bytes(d))
	r := &List{Key: w.Key, view: w.View, Slot: l.slot(), At: at, Size: int64(len(o.extent)), Stored: o.stored, N: d.N, docs: d.MaxDoc, Blocks: d.Blocks, Kth: o.kth, Quad: o.quad,
		LogBlock: d.LogBlock, Codecs: kernels.CodecsOf(d.DocsCodec, d.FreqsCodec),
		Elements: kernels.HasElements(d.DocsCodec)}
	r.Uses.Store(l.clock + 1)
	r.Pin.Store(epoch)
	if d.N >= l.Least {
		r.Bare.Store(l.bareFor())
	}
	known := w.Joined != nil || l.isProven(&w.Key) // what is joined has been checked before
	ld.jobs[number] = l.job(r, o, known, number > ld.launched, ld.jobs[max(number-1, 0)].Tiles)
	ld.bytes += r.Size
	next := loaded{List: r, recodes: !l.AsStored && Recodes(d), head: uint32(d.Docs - at)}
	if !known {
		next.sum = ld.sums.verify(l.segments[w.Key.Segment].Seg, w.Entry, r.Size)
	}
	ld.lists = append(ld.lists, next)
}

// runOf returns the length of the run of extents that starts at list i, and its size with
// the gaps between them: at most limit bytes, or a single list. A list that cannot be
// opened is a run of size 0.
func (l *Lists) runOf(wants []*Want, o *opening, i int, limit int64) (n int, size int64) {
	first := wants[i].Key
	most := int64(mostGap)
	if l.segments[first.Segment].registered == nil {
		most = 0
	}
	for _, w := range wants[i:] {
		gap := w.Key.Offset - first.Offset - size
		if w.Key.Segment != first.Segment || gap < 0 || gap > most {
			break
		}
		length := int64(len(o.get(i + n).extent))
		if n > 0 && (length == 0 || size+gap+length > limit || l.Isolate) {
			break
		}
		n++
		size += gap + length
		if length == 0 {
			break
		}
	}
	return n, size
}

// copyRun enqueues the copy of a run. The error is of kind format.ErrCorrupt if
// the file cannot be read.
func (ld *loading) copyRun(wants []*Want, run []Opened, at kernels.Ptr, size int64) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	l, b := ld.l, &ld.copies
	if mapped := l.segments[wants[0].Key.Segment].registered; mapped != nil {
		from := uintptr(unsafe.Pointer(unsafe.SliceData(run[0].extent))) - uintptr(unsafe.Pointer(unsafe.SliceData(mapped)))
		b.CopyIn(at, mapped[from:from+uintptr(size)])
		defer b.Reset()
		return l.dev.Submit(b) // copying starts while the next lists are opened
	}
	for i := range run {
		for e := run[i].extent; len(e) > 0; {
			if ld.staged == len(ld.Ring) {
				if err := ld.turn(); err != nil {
					return err
				}
			}
			n := copy(ld.Ring[ld.staged:], e)
			b.CopyIn(at, ld.Ring[ld.staged:ld.staged+n])
			e = e[n:]
			ld.staged += n
			at += kernels.Ptr(n)
		}
	}
	return nil
}

// turn makes room in the ring, which is full: it waits for its copies and, unless it is as long
// as may be, replaces it by a longer one. Most loads are short, and pinned memory takes long
// to allocate.
func (ld *loading) turn() (err error) {
	n := len(ld.Ring)
	if n > 0 {
		if err := Flush(ld.dev, &ld.copies); err != nil {
			return err
		}
	}
	ld.staged = 0
	if n == ringSize {
		return nil
	}
	if n > 0 {
		err = ld.dev.HostFree(ld.Ring)
	}
	ld.Ring = nil
	if err == nil {
		ld.Ring, err = ld.dev.HostAlloc(min(max(4*n, FirstRing), ringSize))
	}
	return err
}
