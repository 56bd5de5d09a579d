//go:build emu && cgo

package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// groupOn returns a Group on devices, and closes it with the test.
func groupOn(t *testing.T, c *gputrial.Collection, sc *search.Scorer, cpu search.Executor, devices ...cuda.Device) *Group {
	t.Helper()
	g, err := newGroup(len(devices), Options{Scorer: sc, CPU: cpu, Memory: 4 << 20}, func(i int, o Options) (*Executor, error) {
		return newExecutor(devices[i], viewsIn(c), o)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		for _, d := range devices {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return g
}

// TestGroup compares the answers of two devices with brute force. Both do a share of the
// work that fits their number.
func TestGroup(t *testing.T) {
	shape := someShape
	shape.Docs = 5000
	c, sc := newCollection(t, shape)
	cpu := &counted{brute: brute{c: c, sc: sc}}
	g := groupOn(t, c, sc, cpu, testDevice(t, 1), testDevice(t, 2))
	qs := c.Draw(rand.New(rand.NewPCG(4, 1)), few(60, 400), 6, 50, query.ModeAnd, query.ModeOr, query.ModeAndOr)
	check(t, g, c, sc, qs, nil)
	for _, q := range qs[:20] {
		check(t, g, c, sc, []gputrial.Query{q}, nil)
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { check(t, g, c, sc, qs[i*20:], nil) })
	}
	wg.Wait()
	if cpu.asked > 0 {
		t.Errorf("the CPU has answered %d queries", cpu.asked)
	}
	var sum, least int64
	for _, x := range g.Executors() {
		s := x.Stats()
		n := s.Hits + s.Misses
		if sum += n; least == 0 || n < least {
			least = n
		}
	}
	if s := g.Stats(); sum != s.Hits+s.Misses || least < sum/4 {
		t.Errorf("one device was asked for %d of %d lists, %+v", least, sum, s)
	}
	for _, m := range g.members {
		if n := m.load.Load(); n != 0 {
			t.Errorf("idle, with a load of %d", n)
		}
	}
}

// TestExecuteInto compares results in the same memory with brute force, call after call, on one device and
// on two. Results in memory of their own stay what they were.
func TestExecuteInto(t *testing.T) {
	shape := someShape
	shape.Docs = 5000
	c, sc := newCollection(t, shape)
	cpu := brute{c: c, sc: sc}
	rng := rand.New(rand.NewPCG(5, 1))
	all := c.Draw(rng, 40, 6, 50, query.ModeAnd, query.ModeOr, query.ModeAndOr)
	for _, devices := range [][]cuda.Device{{testDevice(t, 1)}, {testDevice(t, 2), testDevice(t, 3)}} {
		g := groupOn(t, c, sc, &counted{brute: cpu}, devices...)
		var arena search.Arena
		var kept []search.Result
		for call := range 6 {
			rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			qs := all[:1+rng.IntN(len(all))]
			in := make([]search.Query, len(qs))
			for i, q := range qs {
				in[i] = q.Query()
			}
			if call == 2 { // one for the CPU
				in[0].K, qs[0].K = 2*maxK, 2*maxK
			}
			got, err := arena.Execute(t.Context(), g, in)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got, c, sc, qs, nil)
			if call > 0 {
				continue
			}
			if kept, err = g.Execute(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			first := slices.Clone(qs)
			defer func() { compare(t, kept, c, sc, first, nil) }()
		}
	}
}

// TestGroupPlaces checks that queries go where their longest list is, unless the other
// device would have nothing to do.
func TestGroupPlaces(t *testing.T) {
	c, sc := newCollection(t, someShape)
	g := groupOn(t, c, sc, &counted{brute: brute{c: c, sc: sc}}, testDevice(t, 0), testDevice(t, 0))
	qs := c.Draw(rand.New(rand.NewPCG(6, 1)), 30, 4, 10, query.ModeAnd, query.ModeOr)
	at := func() (loaded []int64) {
		for _, x := range g.Executors() {
			loaded = append(loaded, x.Stats().Loaded)
		}
		return loaded
	}
	ask := func() {
		for _, q := range qs {
			check(t, g, c, sc, []gputrial.Query{q}, nil)
		}
	}
	ask()
	first := at()
	if first[0] == 0 || first[1] == 0 {
		t.Errorf("lists are on one device: %d", first)
	}
	ask()
	if again := at(); !slices.Equal(first, again) {
		t.Errorf("the same queries went elsewhere: %d lists, then %d", first, again)
	}
	same := make([]search.Query, 64)
	for i := range same {
		same[i] = qs[0].Query()
	}
	portions, err := g.route(g.members, same)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := len(portions[0].queries), len(portions[1].queries); a+b != 64 || max(a, b) > 34 {
		t.Errorf("%d and %d of 64 equal queries", a, b)
	}
}

// TestGroupErrors checks that a failure names the query of the call, and what makes a
// Group impossible.
func TestGroupErrors(t *testing.T) {
	c, sc, qs := smallCollection(t)
	g := groupOn(t, c, sc, refusing{}, testDevice(t, 0), testDevice(t, 0))
	in := make([]search.Query, len(qs))
	for bad := range qs {
		for i, q := range qs {
			in[i] = q.Query()
		}
		in[bad].Trace = true // for the CPU
		_, err := g.Execute(context.Background(), in)
		var failed *search.NumberError
		if !errors.Is(err, errRefused) || !errors.As(err, &failed) || failed.Number != bad {
			t.Errorf("query %d on the CPU: %v", bad, err)
		}
		in[bad].Mode = 99
		_, err = g.Execute(context.Background(), in)
		if !errors.Is(err, query.ErrInvalid) || !errors.As(err, &failed) || failed.Number != bad {
			t.Errorf("query %d: %v", bad, err)
		}
	}
	if _, err := NewGroup(nil, nil, Options{CPU: refusing{}}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("without devices: %v", err)
	}
	if _, err := NewGroup(make([]*Device, 1), nil, Options{}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("without a CPU: %v", err)
	}
	full := testDevice(t, 0)
	full.(*cuda.Emulator).Memory = 1 << 10
	devices := []cuda.Device{testDevice(t, 0), full}
	_, err := newGroup(2, Options{Scorer: sc, CPU: refusing{}}, func(i int, o Options) (*Executor, error) {
		o.Memory = 1 << 20
		return newExecutor(devices[i], viewsIn(c), o)
	})
	if !errors.Is(err, ErrMemory) {
		t.Errorf("with a device without memory: %v", err)
	}
	for _, d := range devices {
		if err := d.Close(); err != nil {
			t.Errorf("memory of a group that was not made: %v", err)
		}
	}
}

// TestErrorNumbers has the CPU fail at one of the queries that it gets: the error has the number
// of that query in the call, and none if the CPU does not say which it was.
func TestErrorNumbers(t *testing.T) {
	c, sc, qs := smallCollection(t)
	var in []search.Query
	for _, q := range qs {
		in = append(in, q.Query())
	}
	bad := len(in) - 2
	in[1].Trace, in[bad].Trace, in[bad].K = true, true, blamed // for the CPU
	one, two := groupOn(t, c, sc, blaming{}, testDevice(t, 0)), groupOn(t, c, sc, blaming{}, testDevice(t, 0), testDevice(t, 0))
	for i, x := range []search.Executor{one, two} {
		_, err := x.Execute(context.Background(), in)
		var failed *search.NumberError
		if !errors.Is(err, errRefused) || !errors.As(err, &failed) || failed.Number != bad {
			t.Errorf("%d devices, query %d: %v", i+1, bad, err)
		}
	}
	var failed *search.NumberError
	if _, err := groupOn(t, c, sc, refusing{}, testDevice(t, 0)).Execute(context.Background(), in); !errors.Is(err, errRefused) || errors.As(err, &failed) {
		t.Errorf("an error without a number: %v", err)
	}
}

// blaming is a CPU that fails at queries with a k of blamed.
type blaming struct{}

const blamed = 1999

func (blaming) Execute(_ context.Context, qs []search.Query) ([]search.Result, error) {
	for i, q := range qs {
		if q.K == blamed {
			return nil, &search.NumberError{Number: i, Err: errRefused}
		}
	}
	return make([]search.Result, len(qs)), nil
}

// refusing is a CPU that answers nothing.
type refusing struct{}

var errRefused = errors.New("refused")

func (refusing) Execute(context.Context, []search.Query) ([]search.Result, error) {
	return nil, errRefused
}

// breaking is a device that fails from one submission on.
type breaking struct {
	*cuda.Emulator
	left atomic.Int64 // submissions until then
}

func newBreaking() *breaking {
	d := &breaking{Emulator: cuda.NewEmulator()}
	d.left.Store(1 << 40)
	return d
}

func (d *breaking) Submit(b *cuda.Batch) error {
	if d.left.Add(-1) < 0 {
		return ErrDevice
	}
	return d.Emulator.Submit(b)
}

// TestGroupFaults lets one device fail, and then the other, while several goroutines ask:
// no query is lost, and the CPU answers only when no device is left.
func TestGroupFaults(t *testing.T) {
	c, sc, qs := smallCollection(t)
	for _, at := range []int64{0, 1, 2, 3, 5} {
		first, second := newBreaking(), newBreaking()
		cpu := &counted{brute: brute{c: c, sc: sc}}
		g := groupOn(t, c, sc, cpu, first, second)
		ask := func() {
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() { check(t, g, c, sc, qs, nil) })
			}
			wg.Wait()
		}
		ask()
		first.left.Store(at)
		for n := 0; first.left.Load() >= 0; n++ { // the other device may take what there is
			if ask(); n == 100 {
				t.Fatalf("submission %d of the first device did not come", at)
			}
		}
		if xs := g.Executors(); g.Err() != nil || !errors.Is(xs[0].Err(), ErrDevice) || xs[1].Err() != nil {
			t.Errorf("submission %d: retired with %v and %v", at, xs[0].Err(), xs[1].Err())
		}
		if cpu.asked > 0 {
			t.Errorf("submission %d: the CPU has answered %d queries, and one device works", at, cpu.asked)
		}
		second.left.Store(0)
		ask()
		if err := g.Err(); err == nil || !strings.Contains(err.Error(), "GPU 1") || cpu.asked == 0 {
			t.Errorf("submission %d: both are retired with %v, the CPU has answered %d queries", at, err, cpu.asked)
		}
		if err := g.Ready(context.Background()); !errors.Is(err, ErrDevice) {
			t.Errorf("ready: %v", err)
		}
	}
}

// TestGroupOnDevices opens the devices by their numbers, and closes the Group below calls.
func TestGroupOnDevices(t *testing.T) {
	s := openSnapshot(t)
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { searcher.Close() })
	want, err := searcher.Execute(context.Background(), someQueries())
	if err != nil {
		t.Fatal(err)
	}
	n, err := Devices()
	if err != nil || n < 2 {
		t.Fatalf("%d devices, %v", n, err)
	}
	for _, number := range []int{-1, n} {
		if _, err := OpenDeviceNumber(number); !errors.Is(err, ErrNoDevice) {
			t.Errorf("device %d: %v", number, err)
		}
	}
	for _, number := range []int{n + 1, 1 << 40, -1} {
		if _, err := OpenGroup(number, s, Options{CPU: searcher}); !errors.Is(err, ErrNoDevice) {
			t.Errorf("a group of %d: %v", number, err)
		}
	}
	if _, err := OpenGroup(0, s, Options{}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("a group without a CPU: %v", err)
	}
	g, err := OpenGroup(0, s, Options{Memory: 1 << 20, CPU: searcher})
	if err != nil || len(g.Executors()) != n || g.Name() != "2 GPUs (emulator)" {
		t.Fatalf("%v, %v", g, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	got, err := g.Execute(context.Background(), someQueries())
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !slices.Equal(got[i].Hits, want[i].Hits) {
			t.Errorf("query %d: %v, want %v", i, got[i].Hits, want[i].Hits)
		}
	}
	if err := g.Ready(context.Background()); err != nil || g.Err() != nil {
		t.Errorf("%v, %v", err, g.Err())
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	for _, qs := range [][]search.Query{someQueries(), nil} {
		if _, err := g.Execute(context.Background(), qs); !errors.Is(err, ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	}
}

// TestPreloadRetired preloads lists when the last device fails just after it was ready.
func TestPreloadRetired(t *testing.T) {
	c, sc, qs := smallCollection(t)
	g := groupOn(t, c, sc, &counted{brute: brute{c: c, sc: sc}}, cuda.NewEmulator())
	in := make([]search.Query, len(qs))
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
	r.x.state.retire(ErrDevice)
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
	if _, err := m.Execute(context.Background(), []search.Query{qs[0].Query()}); err != nil || cpu.asked != 1 {
		t.Errorf("%d queries on the CPU, %v", cpu.asked, err)
	}
}
