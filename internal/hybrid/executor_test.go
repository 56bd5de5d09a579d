package hybrid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// stub stands for the executor on a GPU: it answers by a Searcher, and fails as told.
type stub struct {
	search.Executor
	fail  func(batch int64) error // nil for never
	calls atomic.Int64
	took  time.Duration // of each batch, in addition
	hang  chan struct{} // if not nil, the second batch waits for it to close
}

func (g *stub) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	return g.ExecuteInto(ctx, queries, nil)
}

func (g *stub) ExecuteInto(ctx context.Context, queries []search.Query, a *search.Arena) ([]search.Result, error) {
	n := g.calls.Add(1)
	if g.hang != nil && n == 2 {
		<-g.hang
		return nil, errors.New("too late")
	}
	if g.fail != nil {
		if err := g.fail(n); err != nil {
			return nil, err
		}
	}
	time.Sleep(g.took)
	answers, err := g.Executor.Execute(ctx, queries)
	results := a.Results(len(answers))
	for i, r := range answers {
		results[i].Hits, results[i].Total = append(a.Hits(len(r.Hits)), r.Hits...), r.Total
	}
	return results, err
}

// newIndex returns a Searcher over random documents.
func newIndex(t testing.TB) *search.Searcher {
	s, _ := newSnapshot(t)
	return s
}

func newSnapshot(t testing.TB) (*search.Searcher, *reader.Snapshot) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := memfs.New()
	w, err := writer.OpenFS(t.Context(), dir, writer.Options{Schema: schema.Implicit("simple", "", false)})
	check(err)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 3000 {
		var text []byte
		for range 1 + rng.IntN(30) {
			text = fmt.Appendf(text, "w%d ", rng.IntN(1+rng.IntN(1+rng.IntN(500))))
		}
		check(w.Add(t.Context(), writer.Text(fmt.Appendf(nil, "d%d", i), text)))
	}
	check(w.Commit(t.Context()))
	check(w.Close())
	index, err := reader.Open(t.Context(), reader.FromStore(dir), reader.Options{})
	check(err)
	s, err := index.Snapshot()
	check(err)
	check(index.Close())
	t.Cleanup(func() { s.Close() })
	q, err := search.NewSearcher(s, search.Options{})
	check(err)
	t.Cleanup(func() { q.Close() })
	return q, s
}

func newHybrid(t testing.TB, s *search.Searcher, gpu search.Executor, o Options) *Executor {
	t.Helper()
	return newHybridOn(t, 2, s, gpu, o)
}

// newHybridOn is newHybrid with so many workers.
func newHybridOn(t testing.TB, workers int, s *search.Searcher, gpu search.Executor, o Options) *Executor {
	t.Helper()
	p, err := pool.New(s, pool.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(p, gpu, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		p.Close()
	})
	return x
}

// answeredQueries returns someQueries and an index, whose Searcher gives these answers.
func answeredQueries(t testing.TB, n int, seed uint64) (*search.Searcher, []search.Query, []search.Result) {
	t.Helper()
	s, qs := newIndex(t), someQueries(n, seed)
	want, err := s.Execute(t.Context(), qs)
	if err != nil {
		t.Fatal(err)
	}
	return s, qs, want
}

// few returns two fifths of n with -short.
func few(n int) int {
	if testing.Short() {
		return n * 2 / 5
	}
	return n
}

// someQueries returns random queries, some of which a GPU cannot answer.
func someQueries(n int, seed uint64) []search.Query {
	rng := rand.New(rand.NewPCG(seed, 9))
	all := make([]search.Query, n)
	for i := range all {
		q := search.Query{K: []int{2000, 1, 10, 100, 2000}[rng.IntN(5)], Mode: query.Mode(rng.IntN(3))}
		for range rng.IntN(6) {
			q.RawTerms = append(q.RawTerms, fmt.Appendf(nil, "w%d", rng.IntN(1+rng.IntN(520))))
		}
		all[i] = q
	}
	return all
}

// TestAnswers compares the answers of all modes with the Searcher's, while batches of the
// GPU succeed, fail now and then, always fail, or find the device lost.
func TestAnswers(t *testing.T) {
	s, qs, want := answeredQueries(t, 4000, 1)
	broken := errors.New("broken")
	for name, fail := range map[string]func(int64) error{
		"sound": nil,
		"at times": func(n int64) error {
			if n%3 == 0 {
				return broken
			}
			return nil
		},
		"always": func(int64) error { return broken },
		"lost": func(n int64) error {
			if n > 3 {
				return fmt.Errorf("batch %d: %w", n, gpu.ErrDevice)
			}
			return nil
		},
	} {
		for _, mode := range []Mode{Parallel, OnlyCPU, OnlyGPU} {
			t.Run(fmt.Sprint(name, " ", mode), func(t *testing.T) {
				gpu := &stub{Executor: s, fail: fail}
				x := newHybrid(t, s, gpu, Options{Mode: mode, Batch: 50, Deadline: time.Second, Queue: 1000})
				got, err := x.Execute(t.Context(), qs)
				if err != nil {
					t.Fatal(err)
				}
				for i := range got {
					if !slices.Equal(got[i].Hits, want[i].Hits) {
						t.Fatalf("query %d: %v, want %v", i, got[i].Hits, want[i].Hits)
					}
				}
				st := x.Stats()
				if n := st.CPU.Queries + st.GPU.Queries - st.Again; n != int64(len(qs)) || st.Waiting.CPU+st.Waiting.GPU+st.Waiting.Either > 0 {
					t.Errorf("%d queries, %+v", len(qs), st)
				}
				if lost := mode == OnlyGPU && (name == "lost" || name == "always"); lost && st.Retired == nil {
					t.Errorf("the GPU is in use: %+v", st)
				}
				if mode == OnlyCPU && gpu.calls.Load() > 0 || mode == OnlyGPU && gpu.calls.Load() == 0 {
					t.Errorf("%d batches", gpu.calls.Load())
				}
			})
		}
	}
}

// TestCallers searches from many goroutines, some of which give up, while others submit.
func TestCallers(t *testing.T) {
	s, qs, want := answeredQueries(t, 300, 2)
	x := newHybrid(t, s, &stub{Executor: s, took: time.Millisecond}, Options{Batch: 20})
	var group sync.WaitGroup
	for g := range 6 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 1))
			for range 200 {
				i := rng.IntN(len(qs))
				ctx, cancel := context.WithCancel(t.Context())
				if rng.IntN(4) == 0 {
					time.AfterFunc(time.Duration(rng.IntN(1000))*time.Microsecond, cancel)
				}
				r, err := x.Search(ctx, qs[i])
				if err == nil && !slices.Equal(r.Hits, want[i].Hits) || err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("query %d: %v, %v", i, r, err)
				}
				cancel()
			}
		})
		group.Go(func() {
			for n := range 200 {
				i := (n*7 + g) % len(qs)
				group.Add(1)
				err := x.Submit(t.Context(), &qs[i], func(hits []search.Hit, err error) {
					defer group.Done()
					if err != nil || !slices.Equal(hits, want[i].Hits) {
						t.Errorf("query %d: %v, %v", i, hits, err)
					}
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestOverload fills the Executor, and expects a typed error, and room again later.
func TestOverload(t *testing.T) {
	s := newIndex(t)
	gate := make(chan struct{})
	x := newHybrid(t, s, &stub{Executor: s, hang: gate, took: time.Millisecond}, Options{Queue: 5, Mode: OnlyGPU, Lanes: 1})
	q := search.Query{RawTerms: [][]byte{[]byte("w1")}, K: 3}
	if _, err := x.Search(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	for x.gate.held() != 0 { // it leaves after it has been answered
		runtime.Gosched()
	}
	var group sync.WaitGroup
	for range 5 {
		group.Add(1)
		if err := x.Submit(t.Context(), &q, func(_ []search.Hit, err error) {
			if err != nil {
				t.Error(err)
			}
			group.Done()
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Submit(t.Context(), &q, func([]search.Hit, error) {}); !errors.Is(err, ErrOverload) {
		t.Errorf("a sixth query: %v", err)
	}
	if _, err := x.Search(t.Context(), q); !errors.Is(err, ErrOverload) {
		t.Errorf("a seventh query: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := x.Execute(ctx, []search.Query{q}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a batch that finds no room: %v", err)
	}
	close(gate)
	group.Wait()
	if r, err := x.Execute(t.Context(), slices.Repeat([]search.Query{q}, 100)); err != nil || len(r) != 100 {
		t.Errorf("a batch beyond the queue: %d results, %v", len(r), err)
	}
	if st := x.Stats(); st.Shed != 2 {
		t.Errorf("%d shed", st.Shed)
	}
}

// TestHang gives up a GPU that does not answer: the CPU does, and Close returns.
func TestHang(t *testing.T) {
	s, qs, want := answeredQueries(t, 500, 3)
	gate := make(chan struct{})
	x := newHybrid(t, s, &stub{Executor: s, hang: gate}, Options{Mode: OnlyGPU, Batch: 20, Hang: 20 * time.Millisecond})
	got, err := x.Execute(t.Context(), qs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if !slices.Equal(got[i].Hits, want[i].Hits) {
			t.Fatalf("query %d: %v, want %v", i, got[i].Hits, want[i].Hits)
		}
	}
	if st := x.Stats(); !errors.Is(st.Retired, ErrHung) || st.Again == 0 {
		t.Errorf("%+v", st)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	close(gate)
}

// TestClose answers what was accepted and refuses what comes later.
func TestClose(t *testing.T) {
	s := newIndex(t)
	x := newHybrid(t, s, &stub{Executor: s, took: 2 * time.Millisecond}, Options{})
	qs := someQueries(500, 4)
	var answered atomic.Int64
	for i := range qs {
		if err := x.Submit(t.Context(), &qs[i], func(_ []search.Hit, err error) {
			if err == nil {
				answered.Add(1)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if n := answered.Load(); n != int64(len(qs)) {
		t.Errorf("%d of %d queries answered when Close returns", n, len(qs))
	}
	if _, err := x.Search(t.Context(), qs[0]); !errors.Is(err, ErrClosed) || !errors.Is(err, reader.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := x.Execute(t.Context(), qs); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// TestFarDeadline gives queries centuries: none is late, in the queues or in a group.
func TestFarDeadline(t *testing.T) {
	s, qs, _ := answeredQueries(t, 100, 9)
	centuries, cancel := context.WithDeadline(t.Context(), time.Now().AddDate(1000, 0, 0))
	defer cancel()
	for name, c := range map[string]struct {
		ctx context.Context
		o   Options
	}{"option": {t.Context(), Options{Deadline: math.MaxInt64}}, "context": {centuries, Options{}}} {
		x := newHybrid(t, s, &stub{Executor: s}, c.o)
		for i := range qs[:20] {
			if _, err := x.Search(c.ctx, qs[i]); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := x.Execute(c.ctx, qs); err != nil {
			t.Fatal(err)
		}
		if n := x.Stats().Missed; n > 0 {
			t.Errorf("%s: %d of 120 queries are late", name, n)
		}
	}
}

// TestCloseUnlimited closes an Executor whose Queue is above the mark of a closed one.
func TestCloseUnlimited(t *testing.T) {
	s := newIndex(t)
	x := newHybrid(t, s, &stub{Executor: s}, Options{Queue: math.MaxInt, Mode: OnlyGPU})
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	q := search.Query{RawTerms: [][]byte{[]byte("w1")}, K: 3}
	if err := x.Submit(t.Context(), &q, func([]search.Hit, error) {}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestOptions(t *testing.T) {
	p, err := pool.New(newIndex(t), pool.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, o := range []Options{{Mode: 9}, {Deadline: -1}, {Queue: -1}, {Batch: -1}, {Lanes: 65}, {Hang: -1}} {
		if _, err := New(p, nil, o); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := New(nil, nil, Options{}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("without a pool: %v", err)
	}
	for m := Parallel; m <= OnlyGPU; m++ {
		var got Mode
		if err := got.UnmarshalText([]byte(m.String())); got != m || err != nil {
			t.Errorf("%v: %v, %v", m, got, err)
		}
	}
	if err := new(Mode).UnmarshalText([]byte("none")); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("mode none: %v", err)
	}
}
