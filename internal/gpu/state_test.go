//go:build emu && cgo

package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// compiling is a device whose driver compiles the kernels until done is closed.
type compiling struct {
	*cuda.Emulator
	done chan struct{}
	err  error
}

func (d *compiling) Info() cuda.Info {
	i := d.Emulator.Info()
	i.Compiles = true
	return i
}

func (d *compiling) Load(...kernels.Kernel) error {
	<-d.done
	return d.err
}

// smallCollection is a collection for tests of faults.
func smallCollection(t *testing.T) (*gputrial.Collection, *search.Scorer, []gputrial.Query) {
	shape := someShape
	shape.Docs, shape.Terms = 700, 8
	c, sc := newCollection(t, shape)
	return c, sc, c.Draw(rand.New(rand.NewPCG(2, 9)), 4, 3, 20, query.ModeAnd, query.ModeOr, query.ModeAndOr)
}

// counted is a brute that several goroutines use.
type counted struct {
	mu sync.Mutex
	brute
}

func (c *counted) Execute(ctx context.Context, qs []search.Query) ([]search.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.brute.Execute(ctx, qs)
}

// TestCompiling checks that the CPU answers while the driver compiles, and that an
// Executor without a CPU waits.
func TestCompiling(t *testing.T) {
	c, sc, qs := smallCollection(t)
	broken := errors.New("does not compile")
	for _, fails := range []error{nil, broken} {
		dev := &compiling{Emulator: cuda.NewEmulator(), done: make(chan struct{}), err: fails}
		cpu := &counted{brute: brute{c: c, sc: sc}}
		x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, CPU: cpu})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20})
		if err != nil {
			t.Fatal(err)
		}
		check(t, x, c, sc, qs, nil)
		if cpu.asked != len(qs) {
			t.Errorf("the CPU has answered %d of %d queries", cpu.asked, len(qs))
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		if err := x.Ready(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ready before the driver has compiled: %v", err)
		}
		if _, err := alone.Execute(ctx, []search.Query{qs[0].Query()}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("without a CPU: %v", err)
		}
		cancel()
		close(dev.done)
		if err := x.Ready(context.Background()); !errors.Is(err, fails) || !errors.Is(x.Err(), fails) {
			t.Errorf("ready: %v", err)
		}
		cpu.asked = 0
		check(t, x, c, sc, qs, nil)
		if onCPU := cpu.asked > 0; onCPU != (fails != nil) {
			t.Errorf("the CPU has answered %d queries, compiled with %v", cpu.asked, fails)
		}
		if _, err := alone.Execute(context.Background(), []search.Query{qs[0].Query()}); !errors.Is(err, fails) {
			t.Errorf("without a CPU: %v", err)
		}
		closeExecutor(t, x)
		closeExecutor(t, alone)
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCloseCompiling closes an Executor while the driver compiles and a call waits for it.
func TestCloseCompiling(t *testing.T) {
	c, sc, qs := smallCollection(t)
	dev := &compiling{Emulator: cuda.NewEmulator(), done: make(chan struct{})}
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	waits := make(chan error)
	go func() { waits <- second(x.Execute(context.Background(), []search.Query{qs[0].Query()})) }()
	go func() { waits <- x.LoadAll(context.Background()) }()
	closeExecutor(t, x)
	for range 2 {
		if err := <-waits; !errors.Is(err, ErrClosed) {
			t.Errorf("closed while it waits: %v", err)
		}
	}
	close(dev.done)
	if err := x.Ready(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("ready after Close: %v", err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestFaultsWithCPU makes one operation after another fail on a device that several
// goroutines use: every query gets the right answer. A failure retires the device;
// running out of memory once does not.
func TestFaultsWithCPU(t *testing.T) {
	c, sc, qs := smallCollection(t)
	for at := int64(1); ; at += 3 {
		dev := &faulty{Emulator: cuda.NewEmulator()}
		cpu := &counted{brute: brute{c: c, sc: sc}}
		x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, CPU: cpu})
		if err != nil {
			t.Fatal(err)
		}
		dev.left.Store(at)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { check(t, x, c, sc, qs, nil) })
			wg.Go(func() {
				for _, q := range qs {
					r, err := x.Execute(context.Background(), []search.Query{q.Query()})
					if err != nil || !gputrial.Equal(r[0].Hits, c.Answer(sc, q, nil)) {
						t.Errorf("operation %d failed: %v, %v", at, r, err)
					}
				}
			})
		}
		wg.Wait()
		retired, failed := x.Err(), dev.left.Load() <= 0
		if retired != nil && (!errors.Is(retired, ErrDevice) || !failed) {
			t.Errorf("operation %d: retired with %v", at, retired)
		}
		dev.left.Store(1 << 40)
		cpu.asked = 0
		check(t, x, c, sc, qs, nil)
		if onCPU := cpu.asked > 0; onCPU != (retired != nil) {
			t.Errorf("operation %d: the CPU has answered %d queries, retired with %v", at, cpu.asked, retired)
		}
		closeExecutor(t, x)
		if err := dev.Close(); err != nil {
			t.Errorf("operation %d: %v", at, err)
		}
		if !failed {
			if at < 10 {
				t.Errorf("only %d operations", at)
			}
			return
		}
	}
}

// dead is a device that hangs in a wait, which ends with an error after a time, and fails
// from then on.
type dead struct {
	*cuda.Emulator
	waits atomic.Int64 // until it hangs
}

func (d *dead) Wait(stream int) error {
	if d.waits.Add(-1) < 0 {
		time.Sleep(10 * time.Millisecond)
		return ErrDevice
	}
	return d.Emulator.Wait(stream)
}

// TestHang checks that queries of a device that hangs, waiting or not yet sent, are
// answered by the CPU, and that Close returns.
func TestHang(t *testing.T) {
	c, sc, qs := smallCollection(t)
	dev := &dead{Emulator: cuda.NewEmulator()}
	dev.waits.Store(1 << 30)
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, CPU: &counted{brute: brute{c: c, sc: sc}}, Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	dev.waits.Store(5)
	for range 3 {
		check(t, x, c, sc, qs, nil)
	}
	if err := x.Err(); !errors.Is(err, ErrDevice) {
		t.Errorf("retired with %v", err)
	}
	closeExecutor(t, x)
}

// full is a device that is out of memory while set.
type full struct {
	*cuda.Emulator
	set atomic.Bool
}

func (d *full) Alloc(n int64) (kernels.Ptr, error) {
	if d.set.Load() {
		return 0, ErrMemory
	}
	return d.Emulator.Alloc(n)
}

// TestMemory checks that the CPU answers while the device is out of memory, that the
// device answers again when it is not, and that it is retired if that does not happen.
func TestMemory(t *testing.T) {
	c, sc, qs := smallCollection(t)
	dev := &full{Emulator: cuda.NewEmulator()}
	cpu := &counted{brute: brute{c: c, sc: sc}}
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, CPU: cpu})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct {
		full    bool
		calls   int
		retired bool
	}{{true, maxShort - 1, false}, {false, 1, false}, {true, maxShort, true}, {false, 1, true}} {
		for i := range x.stages.All { // memory kept for batches is given up
			x.stages.All[i].Close()
		}
		dev.set.Store(v.full)
		for range v.calls {
			cpu.asked = 0
			check(t, x, c, sc, qs, nil)
			if onCPU := cpu.asked == len(qs); onCPU != (v.full || v.retired) {
				t.Errorf("%+v: the CPU has answered %d of %d queries", v, cpu.asked, len(qs))
			}
		}
		if err := x.Err(); errors.Is(err, ErrDevice) != v.retired || errors.Is(err, ErrMemory) != v.retired {
			t.Errorf("%+v: retired with %v", v, err)
		} else if v.retired && (strings.Contains(err.Error(), ErrDevice.Error()) || !strings.Contains(err.Error(), "out of memory 8 times in a row")) {
			t.Errorf("retired with %v", err)
		}
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
