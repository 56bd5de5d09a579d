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
	l := &Lists{dev: dev, fields: fields, Zone: slots - reserved, ByKey: map[ListKey]*List{}, segments: segs, views: views, joiners: Joiners{Views: views}, epoch: 1,
		lengths: make([]lengths, len(segs)*fields), Proven: newProven(segs, fields), Refused: map[ListKey]error{},
		Coming: map[ListKey]chan struct{}{}, Loaders: make(chan *loader, Loaders)}
	if err := l.open(arenaBytes, slots); err != nil {
		l.Close()
		return nil, err
	}
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
	l.registered = make([][]byte, len(l.segments))
	for i, s := range l.segments {
		if len(l.views) < len(l.segments) {
			break // the processor reads what is joined
		}
		if m, ok := s.Seg.Data().(interface{ Mapped() []byte }); ok {
			b := m.Mapped()
			if len(b) > 0 && dev.Register(b) == nil {
				l.registered[i] = b
			}
		}
	}
	return nil
}

func (l *Lists) Close() {
	if l.Isolate {
		for _, r := range l.ByKey {
			l.Release(r.At, r.Size)
			l.unmark(r)
		}
	}
	for _, b := range l.registered {
		if b != nil {
			_ = l.dev.Unregister(b)
		}
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
