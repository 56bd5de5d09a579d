package hybrid

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
)

// opener opens a GPU in place of the driver, when gate is closed.
type opener struct {
	gpu      *stub
	gate     chan struct{}
	err      error
	ignores  bool          // the end of the context
	released chan struct{} // closed when it is done
	closed   atomic.Int64  // devices
}

// start opens an Executor on s whose GPU o opens.
func (o *opener) start(t *testing.T, s *search.Searcher, options Options) *Executor {
	t.Helper()
	o.gpu, o.gate, o.released = &stub{Executor: s}, make(chan struct{}), make(chan struct{})
	p, err := pool.New(s, pool.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	x, err := start(p, options, o.open, func() error { close(o.released); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (o *opener) open(ctx context.Context) (*device, error) {
	if o.ignores {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-o.gate:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if o.err != nil {
		return nil, o.err
	}
	d := newDevice(o.gpu)
	d.name, d.close = "fake", func() error { o.closed.Add(1); return nil }
	return d, nil
}

// answers asks queries in a group and one by one, and compares the answers.
func answers(t *testing.T, x *Executor, qs []search.Query, want []search.Result) {
	t.Helper()
	got, err := x.Execute(t.Context(), qs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range qs {
		if !slices.Equal(got[i].Hits, want[i].Hits) {
			t.Errorf("query %d: %v, want %v", i, got[i].Hits, want[i].Hits)
		}
		if i%20 > 0 {
			continue
		}
		if r, err := x.Search(t.Context(), qs[i]); err != nil || !slices.Equal(r.Hits, want[i].Hits) {
			t.Errorf("query %d alone: %v, %v, want %v", i, r.Hits, err, want[i].Hits)
		}
	}
}

// TestOpening answers on the CPU while a GPU is being opened, on both as soon as it is there,
// and on the CPU for good if it cannot be opened.
func TestOpening(t *testing.T) {
	s, qs, want := answeredQueries(t, 300, 12)
	missing := fmt.Errorf("fake: %w", gpu.ErrNoDevice)
	for _, mode := range []Mode{Parallel, OnlyGPU} {
		for name, o := range map[string]*opener{"slow": {}, "fails": {err: missing}} {
			t.Run(fmt.Sprint(name, " ", mode), func(t *testing.T) {
				x := o.start(t, s, Options{Mode: mode, Batch: 20})
				answers(t, x, qs, want)
				if st := x.Stats(); !st.Opening || st.Retired != nil || st.GPU.Queries > 0 || x.Device() != "the CPU" {
					t.Errorf("while it is opened: %s, %+v", x.Device(), st)
				}
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				if err := x.Ready(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("Ready does not wait: %v", err)
				}
				close(o.gate)
				if err := x.Ready(t.Context()); !errors.Is(err, o.err) || (err == nil) != (o.err == nil) {
					t.Errorf("Ready: %v, want %v", err, o.err)
				}
				answers(t, x, qs, want)
				opened, st := o.err == nil, x.Stats()
				if mode == OnlyGPU && opened != (st.GPU.Queries > 0) || !opened && st.GPU.Queries > 0 {
					t.Errorf("the GPU answers %d queries", st.GPU.Queries)
				}
				if st.Opening || !errors.Is(st.Retired, o.err) || opened != (x.Device() == "fake and the CPU") {
					t.Errorf("afterwards: %s, %+v", x.Device(), st)
				}
				if err := x.Close(); err != nil {
					t.Error(err)
				}
				if err := x.Ready(t.Context()); !errors.Is(err, ErrClosed) {
					t.Errorf("Ready after Close: %v", err)
				}
				<-o.released
				if opened != (o.closed.Load() == 1) {
					t.Errorf("closed %d times", o.closed.Load())
				}
			})
		}
	}
}

// TestJoin lets a GPU join while groups and single queries are under way.
func TestJoin(t *testing.T) {
	s, qs, want := answeredQueries(t, few(3000), 13)
	for _, after := range []time.Duration{0, 200 * time.Microsecond, 2 * time.Millisecond} {
		var o opener
		x := o.start(t, s, Options{Batch: 200})
		time.AfterFunc(after, func() { close(o.gate) })
		for range 3 {
			answers(t, x, qs, want)
		}
		if err := x.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		answers(t, x, qs, want)
		if n := x.Stats().GPU.Queries; n == 0 {
			t.Error("a GPU that has joined answers nothing")
		}
		if err := x.Close(); err != nil || o.closed.Load() != 1 {
			t.Errorf("%v, closed %d times", err, o.closed.Load())
		}
	}
}

// TestCloseOpening closes an Executor whose GPU is being opened: by a driver that can be
// interrupted, that cannot, and that cannot and then fails. Close answers what was accepted
// and does not wait for the GPU, and what is opened later is closed, once.
func TestCloseOpening(t *testing.T) {
	s := newIndex(t)
	qs := someQueries(100, 14)
	for name, o := range map[string]*opener{
		"stops":      {},
		"goes on":    {ignores: true},
		"fails late": {ignores: true, err: gpu.ErrMemory},
	} {
		t.Run(name, func(t *testing.T) {
			x := o.start(t, s, Options{})
			waits := make(chan error)
			go func() { waits <- x.Ready(t.Context()) }()
			var answered atomic.Int64
			for i := range qs {
				if err := x.Submit(t.Context(), &qs[i], func(_ []search.Hit, err error) {
					if err == nil {
						answered.Add(1)
					}
				}); err != nil {
					t.Error(err)
				}
			}
			if err := x.Close(); err != nil { // the gate is closed: it must not wait
				t.Error(err)
			}
			if n := answered.Load(); n != int64(len(qs)) {
				t.Errorf("%d of %d queries answered when Close returns", n, len(qs))
			}
			if err := <-waits; !errors.Is(err, ErrClosed) {
				t.Errorf("Ready during Close: %v", err)
			}
			if _, err := x.Execute(t.Context(), qs); !errors.Is(err, ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
			if o.ignores {
				if isClosed(o.released) {
					t.Error("what the driver may use is released")
				}
				close(o.gate)
			}
			<-o.released
			for o.ignores && o.err == nil && o.closed.Load() == 0 {
				time.Sleep(time.Millisecond) // hangs if what is opened late stays open
			}
			if n := o.closed.Load(); n > 1 || o.gpu.calls.Load() > 0 {
				t.Errorf("closed %d times, %d batches", n, o.gpu.calls.Load())
			}
		})
	}
}
