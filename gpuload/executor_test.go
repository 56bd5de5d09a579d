package gpuload

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// opener opens devices in place of the driver, when gate is closed: the CPU again.
type opener struct {
	gate   chan struct{}
	err    error
	closed atomic.Int64
}

// fake is a scheduler over the devices of an opener.
type fake struct {
	*hybrid.Executor
	o    *opener
	cpus [2]*pool.Pool
}

func (o *opener) open(_ *reader.Snapshot, q *search.Searcher, oo hybrid.OpenOptions) (_ scheduler, err error) {
	f := &fake{o: o}
	for i := range f.cpus {
		if f.cpus[i], err = pool.New(q, pool.Options{Workers: 1}); err != nil {
			return nil, err
		}
	}
	f.Executor, err = hybrid.New(f.cpus[0], f.cpus[1], oo.Options)
	return f, err
}

func (f *fake) Ready(ctx context.Context) error {
	select {
	case <-f.o.gate:
		return f.o.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *fake) Follow(*reader.Snapshot, *search.Searcher) (scheduler, error) {
	return nil, errors.Join(gpu.ErrAnew, f.Close())
}

func (f *fake) Close() error {
	err := f.Executor.Close()
	for _, p := range f.cpus {
		p.Close()
	}
	f.o.closed.Add(1)
	return err
}

// newExecutor returns an Executor whose devices are an opener's, and an Index that it answers for.
func newExecutor(t *testing.T, o *opener) (*Executor, *pinion.Index) {
	t.Helper()
	x, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	x.open, x.options.Mode = o.open, hybrid.OnlyGPU
	index, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Executor: x, NoCache: true, Observe: func(e pinion.Event) {
		if e.Kind == pinion.EventExecutor {
			t.Error(e.Err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(index.Close(), x.Close(), x.Close()); err != nil {
			t.Error(err)
		}
	})
	return x, index
}

// one searches for a word.
func one(t *testing.T, s pinion.Searcher, word string) pinion.Page {
	t.Helper()
	p, err := s.Search(t.Context(), pinion.Request{Query: query.Match{Text: word}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An Executor takes nothing until its devices are open, follows commits, and closes what it had before.
func TestExecutor(t *testing.T) {
	o := &opener{gate: make(chan struct{})}
	x, index := newExecutor(t, o)
	if err := x.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	add := func(id string) {
		t.Helper()
		if err := errors.Join(index.Add(t.Context(), pinion.Text(id, "rose "+id)), index.Sync(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	add("a")
	if p := one(t, index, "rose"); len(p.Hits) != 1 {
		t.Errorf("%v", p.Hits) // the CPU
	}
	if x.Stats() != (Stats{}) {
		t.Errorf("answered by %+v before the device is open", x.Stats())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.Ready(ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(o.gate)
	for i, id := range []string{"b", "c"} {
		if err := x.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		first := one(t, index, "rose")
		if s := x.Stats(); s.GPU.Searches+s.CPU.Searches+s.Alone != int64(i+1) || len(first.Hits) != i+1 {
			t.Fatalf("%d: %+v, %v", i, s, first.Hits)
		}
		page, err := index.Search(t.Context(), pinion.Request{Query: query.Match{Text: "rose"}, Limit: 1, After: first.Next(), Total: true})
		if err != nil || page.Total != uint64(i+1) {
			t.Errorf("%+v, %v", page, err)
		}
		add(id)
		x.mu.Lock()
		x.rest = time.Time{}
		x.mu.Unlock()
		if p := one(t, index, "rose"); len(p.Hits) != i+2 { // it waits for the new commit
			t.Errorf("%v", p.Hits)
		}
	}
	if err := x.Ready(t.Context()); err != nil || o.closed.Load() != 2 {
		t.Errorf("%d closed, %v", o.closed.Load(), err)
	}
	x.mu.Lock()
	x.rest = time.Now().Add(time.Hour)
	x.mu.Unlock()
	add("d")
	if p := one(t, index, "rose"); len(p.Hits) != 4 || x.opening {
		t.Errorf("it opens without a rest: %v", p.Hits)
	}
}

// Without a device, and after Close, the CPU answers.
func TestExecutorWithout(t *testing.T) {
	o := &opener{gate: make(chan struct{}), err: fmt.Errorf("open: %w", ErrNoDevice)}
	close(o.gate)
	x, index := newExecutor(t, o)
	if err := index.Add(t.Context(), pinion.Text("a", "rose")); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if p := one(t, index, "rose"); len(p.Hits) != 1 {
			t.Errorf("%v", p.Hits)
		}
		if err := x.Ready(t.Context()); !errors.Is(err, ErrNoDevice) {
			t.Error(err)
		}
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if pages, err := x.Execute(t.Context(), nil, nil); !errors.Is(err, ErrClosed) || len(pages) > 0 {
		t.Errorf("closed: %v, %v", pages, err)
	}
	if err := x.Ready(t.Context()); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// Requests of one batch are answered together, but for those that the CPU is better at, and those that fail.
func TestExecutorBatch(t *testing.T) {
	of := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text}, {Name: "price", Kind: schema.Integer, Column: true}}}
	index, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: of})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	for i := range 60 {
		if err := index.Add(t.Context(), pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"text": fmt.Sprintf("w%d w%d", i%7, i%5), "price": i % 11}}); err != nil {
			t.Fatal(err)
		}
	}
	var snapshot *reader.Snapshot
	if err := index.View(t.Context(), func(v *pinion.View) (err error) {
		snapshot, err = v.Snapshot().Retain()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	plain, err := pinion.NewView(snapshot, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	o := &opener{gate: make(chan struct{})}
	close(o.gate)
	x, _ := newExecutor(t, o)
	match := func(text string) pinion.Request { return pinion.Request{Query: query.Match{Text: text}, Limit: 5} }
	sorted := match("w1 w2")
	sorted.Sort = []pinion.Sort{{Field: "price"}}
	requests := []pinion.Request{match("w1 w2"), sorted, match("w3")}
	if pages, err := x.Execute(t.Context(), snapshot, requests); err != nil || !reflect.DeepEqual(pages, make([]*pinion.Page, 3)) {
		t.Errorf("before it is open: %v, %v", pages, err)
	}
	if err := x.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	pages, err := x.Execute(t.Context(), snapshot, requests)
	if err != nil || pages[1] != nil {
		t.Fatalf("%v, %v", pages, err)
	}
	for _, i := range []int{0, 2} {
		want, err := plain.Search(t.Context(), requests[i])
		if err != nil || len(want.Hits) != 5 || len(pages[i].Hits) != 5 {
			t.Fatalf("%d hits, want %d: %v", len(pages[i].Hits), len(want.Hits), err)
		}
		for k, h := range want.Hits {
			if got := pages[i].Hits[k]; got.Doc != h.Doc || got.Score != h.Score {
				t.Errorf("request %d: %v, want %v", i, got, h)
			}
		}
	}
	if pages, err := x.Execute(t.Context(), snapshot, []pinion.Request{{Query: query.Match{Field: "none", Text: "x"}, Limit: 1}}); err != nil || pages[0] != nil {
		t.Errorf("a query that is invalid: %v, %v", pages, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Execute(ended, snapshot, requests[:1]); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Sizes and times below 0 are errors, and so is a number that cannot be meant.
func TestOptions(t *testing.T) {
	for _, o := range []Options{{Devices: -1}, {Memory: -1}, {FilterBytes: -1}, {Workers: -1}, {Workers: 1 << 20}, {Deadline: -1}, {Hang: -1}} {
		if x, err := Open(o); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%+v: %v, %v", o, x, err)
		}
	}
	if n, err := Devices(); err == nil && n == 0 || err != nil && !errors.Is(err, ErrNoDevice) {
		t.Errorf("%d devices, %v", n, err)
	}
	if !errors.Is(ErrClosed, store.ErrClosed) {
		t.Error("ErrClosed does not match that of package store")
	}
}
