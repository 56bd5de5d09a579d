//go:build emu && cgo

package hybrid

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// stalling is a device whose work does not end while it hangs.
type stalling struct {
	cuda.Device
	hangs atomic.Bool
	waits chan struct{} // receives a value from each Wait that hangs
	free  chan struct{} // closed when those end
}

func (d *stalling) Wait(stream int) error {
	if d.hangs.Load() {
		d.waits <- struct{}{}
		<-d.free
	}
	return d.Device.Wait(stream)
}

// aloneOnGPU is an Executor that answers queries that are alone on an emulated GPU.
type aloneOnGPU struct {
	*Executor
	device *stalling
	dev    *gpu.Device
	q      search.Query
	want   []search.Hit
}

func newAlone(t *testing.T, o Options) *aloneOnGPU {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s, snapshot := newSnapshot(t)
	a := &aloneOnGPU{device: &stalling{waits: make(chan struct{}, 100), free: make(chan struct{})},
		q: search.Query{RawTerms: [][]byte{[]byte("w1"), []byte("w2")}, K: 10, Mode: query.ModeAnd}}
	r, err := s.Search(t.Context(), a.q)
	check(err)
	a.want = r.Hits
	a.dev, err = gpu.OpenDevice()
	check(err)
	a.dev.Wrap(func(d cuda.Device) cuda.Device { a.device.Device = d; return a.device })
	cpu, err := pool.New(s, pool.Options{Workers: 2})
	check(err)
	g, err := gpu.NewGroup([]*gpu.Device{a.dev}, snapshot, gpu.Options{CPU: cpu, Scorer: s.Scorer()})
	check(err)
	a.Executor, err = start(cpu, o, func(context.Context) (*device, error) {
		d := newDevice(g)
		var err error
		d.stepper, err = gpu.NewStepper(g.Executors()[0], s, gpu.StepOptions{Load: true,
			Choose: func(gpu.StepState) gpu.StepChoice { return gpu.StepRest }})
		d.close = func() error { return errors.Join(g.Close(), d.stepper.Close()) } // g waits for a step that hung
		return d, err
	}, func() error { return nil })
	check(err)
	check(a.Ready(t.Context()))
	return a
}

// ask asks the query and checks its answer.
func (a *aloneOnGPU) ask(t *testing.T, q search.Query) {
	t.Helper()
	soon(t, "an answer", func() {
		if r, err := a.Search(t.Context(), q); err != nil || !slices.Equal(r.Hits, a.want) {
			t.Errorf("%v, %v, want %v", r.Hits, err, a.want)
		}
	})
}

// soon fails if f does not return.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("waits for ever for %s", what)
	}
}

// TestAloneContext ends the context of a query that is alone on a GPU that does not answer in time.
func TestAloneContext(t *testing.T) {
	a := newAlone(t, Options{Hang: time.Hour})
	a.ask(t, a.q)
	a.device.hangs.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-a.device.waits; cancel() }()
	q := a.q
	q.RawTerms = cloneTerms(q.RawTerms)
	soon(t, "the context", func() {
		if _, err := a.Search(ctx, q); !errors.Is(err, context.Canceled) {
			t.Errorf("after its context: %v", err)
		}
	})
	clear(q.RawTerms[0]) // its caller may use them again
	a.device.hangs.Store(false)
	a.ask(t, a.q) // not alone while the GPU works on the other
	close(a.device.free)
	soon(t, "Close", func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	if st := a.Stats(); st.Alone != 2 || st.Retired != nil {
		t.Errorf("%+v", st)
	}
	closeAlone(t, a)
}

// TestAloneHangs gives up a GPU that does not answer a query that is alone: the CPU answers that and
// those that follow, and Close returns.
func TestAloneHangs(t *testing.T) {
	a := newAlone(t, Options{Hang: 20 * time.Millisecond})
	a.device.hangs.Store(true)
	a.ask(t, a.q)
	a.ask(t, a.q)
	if st := a.Stats(); !errors.Is(st.Retired, ErrHung) || st.Alone != 1 {
		t.Errorf("%+v", st)
	}
	soon(t, "Close", func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	close(a.device.free) // what Close has left
	if err := a.free(); err != nil {
		t.Error(err)
	}
	closeAlone(t, a)
}

// TestAloneStats counts queries that are alone and late, on either processor, and says that the GPU
// is not used once it has failed under one.
func TestAloneStats(t *testing.T) {
	a := newAlone(t, Options{Deadline: 1})
	filtered := a.q
	filtered.Filter = docset.NewGlobal(docset.Range(0, 3000))
	for _, q := range []search.Query{a.q, filtered} {
		a.ask(t, q)
	}
	if st := a.Stats(); st.Alone != 2 || st.CPU.Missed != 1 || st.GPU.Missed != 1 || st.Missed != 2 {
		t.Errorf("%+v", st)
	}
	breakDevice(t, a.dev)
	a.ask(t, a.q)
	if st := a.Stats(); !errors.Is(st.Retired, gpu.ErrDevice) {
		t.Errorf("the GPU has failed: %+v", st)
	}
	if err := a.Close(); err != nil && !errors.Is(err, gpu.ErrDevice) {
		t.Error(err)
	}
	closeAlone(t, a)
}

func closeAlone(t *testing.T, a *aloneOnGPU) {
	if err := a.dev.Close(); err != nil && !errors.Is(err, gpu.ErrDevice) {
		t.Error(err)
	}
}
