package gpubench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// options are those of an engine's executor.
func (b *Bench) options() (o gpu.Options) {
	o.AsStored = b.asStored
	if b.Small {
		o.Memory = 64 << 20
	}
	return o
}

// onAll executes queries on all processors.
func onAll(ctx context.Context, x search.Executor, qs []search.Query) ([]search.Result, error) {
	out := make([]search.Result, len(qs))
	w := runtime.GOMAXPROCS(0)
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, w)
	for i := range w {
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

// Collections measures loading, intersection and ranked queries on generated indexes in
// dir.
func (b *Bench) Collections(ctx context.Context, dir string) error {
	names := b.wanted(Collections)
	for _, name := range names {
		if err := b.measure(ctx, dir, name, name == names[len(names)-1]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// measure measures intersections on one collection, and everything on the last.
func (b *Bench) measure(ctx context.Context, dir, name string, last bool) error {
	x, err := b.collection(ctx, name, dir)
	if err != nil {
		return err
	}
	e, err := b.open(x)
	if err != nil {
		return err
	}
	err = errors.Join(b.intersect(ctx, e, gpu.Probe), b.intersect(ctx, e, gpu.MergePath))
	if err == nil && last {
		err = errors.Join(b.load(ctx, e), b.ranked(ctx, e), b.latency(ctx, e))
	}
	return errors.Join(err, e.close())
}

// intersect measures conjunctions that return docIDs.
func (b *Bench) intersect(ctx context.Context, e *engine, how gpu.Strategy) error {
	n, batches := 8000, 8
	if b.Small {
		n, batches = 30, 2
	}
	var cs []*gpu.Conjunction
	defer func() {
		for _, c := range cs {
			c.Close()
		}
	}()
	var postings int64
	for i := range batches {
		c, err := e.gpu.NewConjunction(ctx, asked(e.Set, draw(e.Set, n, whole, b.Seed+uint64(i)), 1, query.ModeAnd), i%2, how)
		if err != nil {
			return err
		}
		cs = append(cs, c)
		postings += c.Postings()
	}
	all := asked(e.Set, draw(e.Set, n, whole, b.Seed), 1<<30, query.ModeAnd)
	want, err := e.docs(ctx, all)
	if err != nil {
		return err
	}
	if err := sameDocs(cs[0], all, want); err != nil {
		return err
	}
	rounds := 5
	if b.Small {
		rounds = 1
	}
	start := time.Now()
	for range rounds {
		if err := cs[0].Start(); err != nil {
			return err
		}
		for i, c := range cs {
			if i+1 < len(cs) {
				if err := cs[i+1].Start(); err != nil {
					return err
				}
			}
			if _, err := c.Finish(); err != nil {
				return err
			}
		}
	}
	sec := time.Since(start).Seconds() / float64(rounds)
	row := Row{Name: "intersect " + e.Set.Name + ", " + how.String(), Value: float64(n*batches) / sec / 1e6, Unit: "M queries/s",
		Note: fmt.Sprintf("%.0f postings in the first list, %.2f G/s of them; batches of %d with copies in and out",
			float64(postings)/float64(n*batches), float64(postings)/sec/1e9, n)}
	if e.Set.Name == "BDR" && how == gpu.Probe {
		row.Goal = 5
	}
	b.add(row)
	return nil
}

// answer runs a batch of conjunctions.
func answer(c *gpu.Conjunction) (m gpu.Matches, err error) {
	if err := c.Start(); err != nil {
		return m, err
	}
	return c.Finish()
}

// docs returns the CPU's docIDs for each query, in ascending order.
func (e *engine) docs(ctx context.Context, qs []search.Query) ([][]uint32, error) {
	results, err := onAll(ctx, e.cpu, qs)
	if err != nil {
		return nil, err
	}
	want := make([][]uint32, len(qs))
	for i, r := range results {
		want[i] = make([]uint32, len(r.Hits))
		for j, h := range r.Hits {
			want[i][j] = h.Doc
		}
		slices.Sort(want[i])
	}
	return want, nil
}

// sameDocs compares the results of a batch.
func sameDocs(c *gpu.Conjunction, qs []search.Query, want [][]uint32) error {
	m, err := answer(c)
	if err != nil {
		return err
	}
	for i, ids := range want {
		if got := m.Of(i); !slices.Equal(got, ids) {
			return fmt.Errorf("query %d, %s: the device found %d documents, the CPU %d", i, qs[i].RawTerms, len(got), len(ids))
		}
	}
	return nil
}

// load measures how fast all lists of an index become resident, in new executors, which
// check them. These stay open, because the driver clears freed device memory with copies
// of its own, which take bandwidth from the measured copies for tens of milliseconds.
func (b *Bench) load(ctx context.Context, e *engine) error {
	o := gpu.Options{Memory: 2 << 30}
	rounds := 11
	if b.Small {
		o.Memory, rounds = 64<<20, 1
	}
	var secs []float64
	var s gpu.Stats
	for range rounds {
		x, err := gpu.New(b.Device, e.Snapshot, o)
		if err != nil {
			return err
		}
		defer x.Close()
		time.Sleep(100 * time.Millisecond)
		start := time.Now()
		err = x.LoadAll(ctx)
		secs = append(secs, time.Since(start).Seconds())
		s = x.Stats()
		if err != nil {
			return err
		}
	}
	slices.Sort(secs)
	sec := secs[rounds/2]
	b.add(Row{Name: "load lists, mapped and registered", Value: float64(s.BytesLoaded) / sec / 1e9, Unit: "GB/s", Bound: b.in, Goal: 40,
		Note: fmt.Sprintf("%d lists, %.0f MB, checked; median of %d, best %.1f", s.Lists, float64(s.BytesLoaded)/1e6, rounds,
			float64(s.BytesLoaded)/secs[0]/1e9)})
	return b.reload(ctx, e, o, rounds)
}

// reload measures how fast all lists become resident again, in one executor, after they
// were evicted.
func (b *Bench) reload(ctx context.Context, e *engine, o gpu.Options, rounds int) error {
	x, err := gpu.New(b.Device, e.Snapshot, o)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.LoadAll(ctx); err != nil {
		return err
	}
	bytes := float64(x.Stats().BytesLoaded)
	secs := make([]float64, rounds)
	for i := range secs {
		x.Forget()
		start := time.Now()
		if err := x.LoadAll(ctx); err != nil {
			return err
		}
		secs[i] = time.Since(start).Seconds()
	}
	slices.Sort(secs)
	b.add(Row{Name: "load lists again, after eviction", Value: bytes / secs[rounds/2] / 1e9, Unit: "GB/s", Bound: b.in, Goal: 50,
		Note: fmt.Sprintf("median of %d, best %.1f", rounds, bytes/secs[0]/1e9)})
	return nil
}

// median returns the median time of the runs in seconds.
func (b *Bench) median(rounds int, run func() error) (float64, error) {
	if b.Small {
		rounds = 1
	}
	var secs []float64
	for range rounds {
		start := time.Now()
		if err := run(); err != nil {
			return 0, err
		}
		secs = append(secs, time.Since(start).Seconds())
	}
	slices.Sort(secs)
	return secs[rounds/2], nil
}

// ranked measures top-10 against the CPU on all its cores, and compares results.
func (b *Bench) ranked(ctx context.Context, e *engine) error {
	n := 10000
	if b.Small {
		n = 60
	}
	for _, c := range []struct {
		mode query.Mode
		kind kind
		goal float64
	}{{query.ModeAnd, whole, 12}, {query.ModeAnd, long, 12}, {query.ModeOr, whole, 40}, {query.ModeOr, long, 40}, {query.ModeAndOr, whole, 0}} {
		if err := b.rank(ctx, e, n, c.mode, c.kind, c.goal); err != nil {
			return fmt.Errorf("%v: %w", c.mode, err)
		}
	}
	return nil
}

// rank measures n queries of one kind. The CPU answers only a tenth of the disjunctions.
func (b *Bench) rank(ctx context.Context, e *engine, n int, mode query.Mode, k kind, goal float64) error {
	qs := asked(e.Set, draw(e.Set, n, k, b.Seed+1000), 10, mode)
	cpuN := n
	if mode != query.ModeAnd {
		cpuN = max(n/10, 1)
	}
	want, err := onAll(ctx, e.cpu, qs[:cpuN])
	if err != nil {
		return err
	}
	cpu, err := b.median(5, func() error {
		_, err := onAll(ctx, e.cpu, qs[:cpuN])
		return err
	})
	if err != nil {
		return err
	}
	if b.Profile != nil && mode == query.ModeAnd && k == whole {
		if err := b.profile(ctx, e, qs); err != nil {
			return err
		}
	}
	got, err := e.gpu.Execute(ctx, qs)
	if err != nil {
		return err
	}
	for i := range want {
		if !gputrial.Equal(got[i].Hits, want[i].Hits) {
			return fmt.Errorf("query %d, %s: the device answers %v, the CPU %v", i, qs[i].RawTerms, got[i].Hits, want[i].Hits)
		}
	}
	alone, best, by := 0.0, 0.0, 0
	for _, callers := range []int{1, 4} {
		sec, err := b.median(9, func() error { return atOnce(ctx, e.gpu, qs, callers) })
		if err != nil {
			return err
		}
		if callers == 1 {
			alone = sec
		}
		if rate := float64(callers*n) / sec; rate > best {
			best, by = rate, callers
		}
	}
	gpu, cpu := best, float64(cpuN)/cpu
	b.add(Row{Name: fmt.Sprintf("ranked %v, %v", mode, k), Value: gpu / 1e3, Unit: "k queries/s",
		Note: fmt.Sprintf("batches of %d, %d at a time; one alone %.1f ms; CPU, %d cores: %.3g k queries/s", n, by, alone*1e3,
			runtime.GOMAXPROCS(0), cpu/1e3)})
	b.add(Row{Name: fmt.Sprintf("ranked %v, %v, over CPU", mode, k), Value: gpu / cpu, Unit: "times", Goal: goal})
	return nil
}

// atOnce answers the queries from several goroutines at the same time.
func atOnce(ctx context.Context, x search.Executor, qs []search.Query, callers int) error {
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = x.Execute(ctx, qs) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// profile answers queries while profiling the host.
func (b *Bench) profile(ctx context.Context, e *engine, qs []search.Query) error {
	if err := pprof.StartCPUProfile(b.Profile); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for range 20 {
		if _, err := e.gpu.Execute(ctx, qs); err != nil {
			return err
		}
	}
	return nil
}
