package gpubench

import (
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
)

// Memory measures copies within device memory, fills, and copies from the host.
func (b *Bench) Memory() error {
	b.direct()
	n := int64(4 << 30)
	if b.Small {
		n = 1 << 20
	}
	p, err := b.raw.Alloc(2 * n)
	if err != nil {
		return err
	}
	defer b.raw.Free(p)
	s, err := b.repeat(7, func(g *cuda.Batch) { g.Move(p+kernels.Ptr(n), p, n) })
	if err != nil {
		return err
	}
	b.copy = 2 * float64(n) / s
	b.add(Row{Name: "device copy, read and write", Value: b.copy / 1e9, Unit: "GB/s"})
	if s, err = b.repeat(7, func(g *cuda.Batch) { g.Fill(p, 2*n) }); err != nil {
		return err
	}
	b.add(Row{Name: "device fill", Value: 2 * float64(n) / s / 1e9, Unit: "GB/s"})
	h, err := b.raw.HostAlloc(int(n / 8))
	if err != nil {
		return err
	}
	defer b.raw.HostFree(h)
	if s, err = b.repeat(5, func(g *cuda.Batch) { g.CopyIn(p, h) }); err != nil {
		return err
	}
	b.in = float64(n/8) / s / 1e9
	b.add(Row{Name: "host to device, pinned", Value: float64(n/8) / s / 1e9, Unit: "GB/s", Bound: 55.5})
	return nil
}
