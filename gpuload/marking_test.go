//go:build emu && cgo

package gpuload

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/kernels"
	"github.com/pinion-index/pinion/query"
)

// hooked is a device that calls a function before it makes presence words.
type hooked struct {
	*cuda.Emulator
	hook func()
}

func (d *hooked) Submit(b *cuda.Batch) error {
	if b.Stream == markStream && d.hook != nil {
		d.hook()
	}
	return d.Emulator.Submit(b)
}

// TestMarking asks for all the memory while lists get presence words, as a batch of a later epoch
// may: those lists stay, and may be evicted after that.
func TestMarking(t *testing.T) {
	c, sc := newCollection(t, gputrial.Shape{Docs: 4000, Segments: 1, Terms: 12, MaxDF: 0.9, MinDF: 600, DocsCodec: "bp128", FreqsCodec: "bp128"})
	dev := &hooked{Emulator: cuda.NewEmulator()}
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, Presence: 1, CPU: &brute{c: c, sc: sc}})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 9))
	check(t, x, c, sc, c.Draw(r, 25, 5, 30, query.And), nil) // lists are loaded
	l := x.lists
	evictAll := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if at, ok := l.room(l.arena.Size(), math.MaxUint64); ok {
			l.release(at, l.arena.Size())
		}
	}
	calls, kept := 0, 0
	dev.hook = func() {
		calls++
		var marking []*resident
		for _, r := range l.byKey {
			if r.marking {
				marking = append(marking, r)
			}
		}
		evictAll()
		for _, r := range marking {
			if r.gone.Load() || l.byKey[r.key] != r {
				t.Errorf("a list of %d postings was evicted", r.n)
			}
			kept++
		}
	}
	check(t, x, c, sc, c.Draw(r, 25, 5, 30, query.And), nil) // and get presence words
	if dev.hook = nil; calls == 0 || kept == 0 {
		t.Errorf("%d lists got presence words in %d calls", kept, calls)
	}
	check(t, x, c, sc, c.Draw(r, 25, 5, 30, query.And, query.Or), nil)
	if evictAll(); len(l.byKey) != 0 {
		t.Errorf("%d lists cannot be evicted", len(l.byKey))
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestNorms asks for the memory of a view's norms: 4 bytes a document, however many there are.
func TestNorms(t *testing.T) {
	for _, docs := range []uint32{1, 1<<30 - 1, 1 << 30, math.MaxUint32} {
		dev := &allocated{Emulator: cuda.NewEmulator()}
		x := &Executor{dev: dev, views: []view{{docs: docs}}}
		if err := x.prepare(0); !errors.Is(err, ErrMemory) || dev.size < 4*int64(docs) {
			t.Errorf("%d documents: %d bytes, %v", docs, dev.size, err)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// allocated is a device without memory, which notes how much it is asked for.
type allocated struct {
	*cuda.Emulator
	size int64
}

func (d *allocated) Alloc(n int64) (kernels.Ptr, error) {
	d.size = n
	return 0, ErrMemory
}

// TestManySmalls asks one query for more lists without an extent than a batch's zone of the table
// holds: the CPU answers.
func TestManySmalls(t *testing.T) {
	c, sc := newCollection(t, gputrial.Shape{Docs: 24, Segments: 1100, Terms: 64, MaxDF: 0.9, MinDF: 8, DocsCodec: "bp128", FreqsCodec: "bp128"})
	cpu := &counted{brute: brute{c: c, sc: sc}}
	x, err := newExecutor(testDevice(t, 0), viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, CPU: cpu, AsStored: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	for _, terms := range []int{64, 3} {
		q := gputrial.Query{K: 10, Mode: query.Or}
		for i := range terms {
			q.Terms = append(q.Terms, i)
		}
		cpu.asked = 0
		check(t, x, c, sc, []gputrial.Query{q}, nil)
		if want := terms / 64; cpu.asked != want || x.Err() != nil {
			t.Errorf("%d terms: %d queries on the CPU, %v", terms, cpu.asked, x.Err())
		}
	}
}

// TestPreloadRetired preloads lists when the last device fails just after it was ready.
func TestPreloadRetired(t *testing.T) {
	c, sc, qs := smallCollection(t)
	g := groupOn(t, c, sc, &counted{brute: brute{c: c, sc: sc}}, cuda.NewEmulator())
	in := make([]query.Query, len(qs))
	for i, q := range qs {
		in[i] = q.Query()
	}
	if err := g.Preload(retiring{context.Background(), g.members[0].x}, in); !errors.Is(err, ErrDevice) {
		t.Errorf("%v", err)
	}
}

// retiring is a context that retires x when it is asked whether it is done, which Ready does last.
type retiring struct {
	context.Context
	x *Executor
}

func (r retiring) Err() error {
	r.x.retire(ErrDevice)
	return nil
}

// TestRetiring asks a member for what its device does not answer while that is about to be given up:
// not the device, which would wait for itself when it is closed meanwhile.
func TestRetiring(t *testing.T) {
	c, sc, qs := smallCollection(t)
	cpu := &counted{brute: brute{c: c, sc: sc}}
	g := groupOn(t, c, sc, cpu, cuda.NewEmulator())
	m := g.members[0]
	m.x.state.mu.Lock()
	m.x.state.err = ErrDevice // and works is still true
	m.x.state.mu.Unlock()
	if _, err := m.Execute(context.Background(), []query.Query{qs[0].Query()}); err != nil || cpu.asked != 1 {
		t.Errorf("%d queries on the CPU, %v", cpu.asked, err)
	}
}
