package gpubench

import (
	"fmt"
	"io"
	"slices"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu"
)

// Bench runs benchmarks on one device.
type Bench struct {
	Device *gpu.Device
	Log    io.Writer
	// Small makes everything small enough for the emulator and the sanitizer.
	Small bool
	// Models are the collections to measure, of Collections; nil: all.
	Models []string
	// Strategies are those that part strategies measures, by name; nil: all.
	Strategies []string
	// Profile, unless nil, receives a profile of the host's part of ranked queries.
	Profile io.Writer
	// Times, unless nil, receives a line for each query and way of part steps: collection,
	// way, number of the query, lengths of its two shortest lists, nanoseconds.
	Times io.Writer
	// Seed of the queries, and of all lists but those of Collections.
	Seed uint64

	asStored bool // executors keep lists in their codecs

	raw  cuda.Device
	rows []Row
	copy float64 // measured, bytes/s, read plus write
	in   float64 // measured, GB/s from pinned memory to the device
}

// direct gives b access to the underlying device, to measure memory and decoding.
func (b *Bench) direct() { b.raw = b.Device.Driver() }

// Rows returns the figures so far.
func (b *Bench) Rows() []Row { return b.rows }

func (b *Bench) add(r Row) {
	b.rows = append(b.rows, r)
	fmt.Fprintf(b.Log, "  %s: %s %s %s\n", r.Name, number(r.Value), r.Unit, r.Note)
}

// repeat runs the batch built by enqueue reps times after two warm-ups, and returns the
// median time of a run in seconds, measured with events.
func (b *Bench) repeat(reps int, enqueue func(*cuda.Batch)) (float64, error) {
	if b.Small {
		reps = 1
	}
	reps = min(reps, cuda.Events/2-2*cuda.Streams)
	var g cuda.Batch
	for i := range reps + 2 {
		if i >= 2 {
			g.Record(2 * (i - 2))
		}
		enqueue(&g)
		if i >= 2 {
			g.Record(2*(i-2) + 1)
		}
	}
	if err := b.raw.Submit(&g); err != nil {
		return 0, err
	}
	if err := b.raw.Wait(0); err != nil {
		return 0, err
	}
	times := make([]float64, reps)
	for i := range times {
		ms, err := b.raw.Elapsed(2*i, 2*i+1)
		if err != nil {
			return 0, err
		}
		times[i] = max(float64(ms)/1e3, 1e-9)
	}
	slices.Sort(times)
	return times[reps/2], nil
}
