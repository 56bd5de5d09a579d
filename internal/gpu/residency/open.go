package residency

import (
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// New allocates arenaBytes of device memory and a table of slots descriptors, the
// last reserved of which belong to the caller.
func New(dev cuda.Device, segs []Segment, views []View, arenaBytes int64, slots, reserved uint32) (*Lists, error) {
	fields := FieldsOf(segs)
	l := &Lists{dev: dev, fields: fields, Zone: slots - reserved, ByKey: map[ListKey]*List{}, epoch: 1, Refused: map[ListKey]error{},
		Coming: map[ListKey]chan struct{}{}, Loaders: make(chan *loader, Loaders)}
	if err := l.open(arenaBytes, slots); err != nil {
		l.Close()
		return nil, err
	}
	l.Follow(segs, views)
	return l, nil
}

func (l *Lists) open(arenaBytes int64, slots uint32) (err error) {
	dev := l.dev
	desc := int64(layout.DescSize)
	// Vector loads at the end of the arena may read past it.
	if l.base, err = dev.Alloc(arenaBytes + 256); err != nil {
		return err
	}
	if l.Table, err = dev.Alloc(desc * int64(slots)); err != nil {
		return err
	}
	for i := range Loaders {
		d, err := newLoader(dev, i)
		l.Loaders <- d
		if err != nil {
			return err
		}
	}
	if l.marker, err = newMarker(dev); err != nil {
		return err
	}
	l.Arena = layout.NewArena(l.base, arenaBytes)
	return nil
}

// Follow makes segments and views, which have their numbers, those of the snapshot. Lists of views that it does not have, and fields in tiles of
// such segments, are evicted. No load may be under way but of tiles.
func (l *Lists) Follow(segs []Segment, views []View) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.joiners = Joiners{Views: views}
	there, old := map[int]bool{}, l.segments
	l.segments = make(map[int]*held, len(segs))
	for i := range views {
		v := &views[i]
		there[v.Number] = true
		for _, s := range v.Parts {
			h := old[s.Number]
			if h == nil {
				h = newHeld(s.Seg, l.fields)
			}
			h.Segment = s
			l.register(h, len(v.Parts) == 1)
			l.segments[s.Number] = h
		}
	}
	for n, h := range old {
		if l.segments[n] == nil {
			l.register(h, false)
		}
	}
	for _, r := range l.ByKey {
		if n := r.Key.Segment; n >= 0 && !there[r.view] || n < 0 && l.segments[wholeSegment-n] == nil {
			l.remove(r)
		}
	}
	for k := range l.Refused {
		if l.segments[k.Segment] == nil {
			delete(l.Refused, k)
		}
	}
}

// register lets the device copy from the file of a segment, or ends that. The processor reads what is joined.
func (l *Lists) register(h *held, copied bool) {
	var b []byte
	if copied {
		if m, ok := h.Seg.Data().(interface{ Mapped() []byte }); ok {
			b = m.Mapped()
		}
	}
	if copied && len(b) == len(h.registered) {
		return
	}
	if h.registered != nil {
		_ = l.dev.Unregister(h.registered)
	}
	if h.registered = nil; len(b) > 0 && l.dev.Register(b) == nil {
		h.registered = b
	}
}

func (l *Lists) Close() {
	if l.Isolate {
		for _, r := range l.ByKey {
			l.Release(r.At, r.Size)
			l.unmark(r)
		}
	}
	for _, h := range l.segments {
		l.register(h, false)
	}
	for len(l.Loaders) > 0 {
		(<-l.Loaders).close()
	}
	l.marker.close()
	for _, p := range []kernels.Ptr{l.base, l.Table} {
		if p != 0 {
			_ = l.dev.Free(p)
		}
	}
}
