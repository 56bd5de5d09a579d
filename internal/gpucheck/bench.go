package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/listset"
	"github.com/pinion-index/pinion/internal/search"
)

// bench compares a device with the CPU.
type bench struct {
	device *gpu.Device
	log    io.Writer
	small  bool // enough for the emulator and the sanitizer
	seed   uint64
	rows   []row
}

// row is a figure of the table.
type row struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Note  string  `json:"note,omitempty"`
}

func (b *bench) add(r row) {
	b.rows = append(b.rows, r)
	fmt.Fprintf(b.log, "  %s: %.3g %s %s\n", r.Name, r.Value, r.Unit, r.Note)
}

// show writes rows as a table.
func show(w io.Writer, rows []row) {
	fmt.Fprintf(w, "%-44s %12s %-8s  %s\n", "figure", "value", "unit", "note")
	for _, r := range rows {
		fmt.Fprintf(w, "%-44s %12.6g %-8s  %s\n", r.Name, r.Value, r.Unit, r.Note)
	}
}

// write writes sets, a segment each.
func (b *bench) write(ctx context.Context, dir string, c codec.Codec, sets ...*listset.Set) (*listset.Index, error) {
	start := time.Now()
	x, err := listset.Write(ctx, dir, c, sets...)
	if err == nil {
		s := x.Snapshot.Stats()
		fmt.Fprintf(b.log, "  wrote %s in %.1f s: %d documents, %d postings\n", x.Set.Name, time.Since(start).Seconds(), s.Docs, s.Postings)
	}
	return x, err
}

// engine is an index with its executors.
type engine struct {
	*listset.Index
	gpu *gpu.Executor
	cpu *search.Searcher
}

// options are those of an engine's executor.
func (b *bench) options() (o gpu.Options) {
	if b.small {
		o.Memory = 64 << 20
	}
	return o
}

// open creates executors for an index, which the engine closes.
func (b *bench) open(x *listset.Index) (e *engine, err error) {
	e = &engine{Index: x}
	if e.cpu, err = search.NewSearcher(x.Snapshot, search.Options{}); err == nil {
		e.gpu, err = gpu.New(b.device, x.Snapshot, b.options())
	}
	if err != nil {
		if e.cpu != nil {
			err = errors.Join(err, e.cpu.Close())
		}
		return nil, errors.Join(err, x.Close())
	}
	return e, nil
}

func (e *engine) close() error { return errors.Join(e.gpu.Close(), e.cpu.Close(), e.Index.Close()) }

// onAll executes queries on all processors.
func onAll(ctx context.Context, x search.Executor, qs []search.Query) ([]search.Result, error) {
	out := make([]search.Result, len(qs))
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for i := range errs {
		wg.Go(func() {
			for errs[i] == nil {
				lo := int(next.Add(16)) - 16
				if lo >= len(qs) {
					return
				}
				var r []search.Result
				if r, errs[i] = x.Execute(ctx, qs[lo:min(lo+16, len(qs))]); errs[i] == nil {
					copy(out[lo:], r)
				}
			}
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}
