// Package gpubench times a device: memory, decoding, loading, intersection and
// ranked queries. Every figure comes with the bound that it is held against, and
// every result is compared with the CPU's. The commands gpucheck and idxbench print
// what it returns.
package gpubench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/kernels"
)

// Row is one figure.
type Row struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Bound float64 `json:"bound,omitempty"` // the ceiling in the same unit, 0 if none
	Goal  float64 `json:"goal,omitempty"`
	Note  string  `json:"note,omitempty"`
}

// Print writes rows as a table.
func Print(w io.Writer, rows []Row) {
	fmt.Fprintf(w, "%-44s %12s %-12s %9s %7s %9s  %s\n", "figure", "value", "unit", "bound", "of it", "goal", "note")
	for _, r := range rows {
		bound, of, goal := "", "", ""
		if r.Bound > 0 {
			bound, of = number(r.Bound), fmt.Sprintf("%.0f%%", 100*r.Value/r.Bound)
		}
		if r.Goal > 0 {
			goal = number(r.Goal)
		}
		fmt.Fprintf(w, "%-44s %12s %-12s %9s %7s %9s  %s\n", r.Name, number(r.Value), r.Unit, bound, of, goal, r.Note)
	}
}

func number(v float64) string {
	if v >= 1000 || v == float64(int64(v)) {
		return fmt.Sprintf("%.0f", v)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.3g", v), ".0")
}

// Bench measures on one device.
type Bench struct {
	Device gpuload.Device
	Log    io.Writer
	// Small makes everything small enough for the emulator and the sanitizer.
	Small bool
	// Models are the collections to measure, by short name; nil: all.
	Models []string
	// Strategies are those that part strategies measures, by name; nil: all.
	Strategies []string
	// Accumulations are the ways to answer disjunctions that part collections measures,
	// nil: all.
	Accumulations []gpuload.Accumulation
	// Profile, unless nil, receives a profile of the host's part of ranked queries.
	Profile io.Writer
	// Seed of all random data.
	Seed uint64

	rows []Row
	copy float64 // measured, bytes/s, read plus write
	in   float64 // measured, GB/s from pinned memory to the device
}

// Rows returns the figures so far.
func (b *Bench) Rows() []Row { return b.rows }

func (b *Bench) add(r Row) {
	b.rows = append(b.rows, r)
	fmt.Fprintf(b.Log, "  %s: %s %s %s\n", r.Name, number(r.Value), r.Unit, r.Note)
}

// repeat runs what enqueue puts into a batch reps times after two warm-ups, and
// returns the median seconds of one, by events.
func (b *Bench) repeat(reps int, enqueue func(*gpuload.Batch)) (float64, error) {
	if b.Small {
		reps = 1
	}
	reps = min(reps, gpuload.Events/2-2*gpuload.Streams)
	var g gpuload.Batch
	for i := range reps + 2 {
		if i >= 2 {
			g.Record(2 * (i - 2))
		}
		enqueue(&g)
		if i >= 2 {
			g.Record(2*(i-2) + 1)
		}
	}
	if err := b.Device.Submit(&g); err != nil {
		return 0, err
	}
	if err := b.Device.Wait(0); err != nil {
		return 0, err
	}
	times := make([]float64, reps)
	for i := range times {
		ms, err := b.Device.Elapsed(2*i, 2*i+1)
		if err != nil {
			return 0, err
		}
		times[i] = max(float64(ms)/1e3, 1e-9)
	}
	slices.Sort(times)
	return times[reps/2], nil
}

// Memory measures copies within device memory, fills, and copies from the host.
func (b *Bench) Memory() error {
	n := int64(4 << 30)
	if b.Small {
		n = 1 << 20
	}
	p, err := b.Device.Alloc(2 * n)
	if err != nil {
		return err
	}
	defer b.Device.Free(p)
	s, err := b.repeat(7, func(g *gpuload.Batch) { g.Move(p+kernels.Ptr(n), p, n) })
	if err != nil {
		return err
	}
	b.copy = 2 * float64(n) / s
	b.add(Row{Name: "device copy, read and write", Value: b.copy / 1e9, Unit: "GB/s"})
	if s, err = b.repeat(7, func(g *gpuload.Batch) { g.Fill(p, 2*n) }); err != nil {
		return err
	}
	b.add(Row{Name: "device fill", Value: 2 * float64(n) / s / 1e9, Unit: "GB/s"})
	h, err := b.Device.HostAlloc(int(n / 8))
	if err != nil {
		return err
	}
	defer b.Device.HostFree(h)
	if s, err = b.repeat(5, func(g *gpuload.Batch) { g.CopyIn(p, h) }); err != nil {
		return err
	}
	b.in = float64(n/8) / s / 1e9
	b.add(Row{Name: "host to device, pinned", Value: float64(n/8) / s / 1e9, Unit: "GB/s", Bound: 55.5})
	return nil
}
