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

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/query"
)

// engine is an index with its executors.
type engine struct {
	*Index
	gpu *gpuload.Executor
	cpu query.Executor
}

// open builds the index of a model and creates executors for it.
func (b *Bench) open(ctx context.Context, m Model, dir string) (*engine, error) {
	m.Seed = b.Seed
	start := time.Now()
	x, err := m.Build(ctx, dir)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(b.Log, "  built %s in %.1f s: %d documents, %d postings\n", m.Name, time.Since(start).Seconds(),
		x.Snapshot.Stats().Docs, x.Snapshot.Stats().Postings)
	e := &engine{Index: x}
	if e.cpu, err = query.NewSearcher(x.Snapshot, query.Options{}); err != nil {
		return nil, err
	}
	e.gpu, err = gpuload.New(b.Device, e.Snapshot, b.options())
	return e, err
}

// options are those of an engine's executor.
func (b *Bench) options() (o gpuload.Options) {
	o.AsStored = b.asStored
	if b.Small {
		o.Memory = 64 << 20
	}
	return o
}

func (e *engine) close() error { return errors.Join(e.gpu.Close(), e.Index.Close()) }

// onAll executes queries on all processors.
func onAll(ctx context.Context, x query.Executor, qs []query.Query) ([]query.Result, error) {
	out := make([]query.Result, len(qs))
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
				var r []query.Result
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
	clustered := BD
	clustered.Name, clustered.Short, clustered.Clustered = "BD-like clustered", "bdc", true
	models := []Model{GOV, GOV2, clustered, BD}
	if b.Small {
		models = []Model{tiny}
	}
	for i, m := range models {
		if b.Models != nil && !slices.Contains(b.Models, m.Short) {
			continue
		}
		e, err := b.open(ctx, m, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		last := i == len(models)-1
		err = errors.Join(b.intersect(ctx, e, gpuload.Probe), b.intersect(ctx, e, gpuload.Find4))
		if err == nil && (last || m.Short == GOV.Short) {
			err = b.disjunctions(ctx, e)
		}
		if err == nil && last {
			err = errors.Join(b.load(ctx, e), b.ranked(ctx, e), b.latency(ctx, e))
		}
		if err = errors.Join(err, e.close()); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return nil
}

// intersect measures conjunctions of a rare and common terms that return docIDs.
func (b *Bench) intersect(ctx context.Context, e *engine, how gpuload.Strategy) error {
	n, batches := 8000, 8
	if b.Small {
		n, batches = 30, 2
	}
	var cs []*gpuload.Conjunction
	defer func() {
		for _, c := range cs {
			c.Close()
		}
	}()
	var postings int64
	for i := range batches {
		c, err := e.gpu.NewConjunction(ctx, e.Model.Queries(n, 1, query.And, true, uint64(i)), i%2, how)
		if err != nil {
			return err
		}
		cs = append(cs, c)
		postings += c.Postings()
	}
	all := e.Model.Queries(n, 1<<30, query.And, true, 0)
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
	row := Row{Name: "intersect " + e.Model.Name + ", " + how.String(), Value: float64(n*batches) / sec / 1e6, Unit: "M queries/s",
		Note: fmt.Sprintf("%.0f postings in the first list, %.2f G/s of them; batches of %d with copies in and out",
			float64(postings)/float64(n*batches), float64(postings)/sec/1e9, n)}
	if e.Model.Name == BD.Name && how == gpuload.Probe {
		row.Goal = 5
	}
	b.add(row)
	return nil
}

// answer runs a batch of conjunctions.
func answer(c *gpuload.Conjunction) (m gpuload.Matches, err error) {
	if err := c.Start(); err != nil {
		return m, err
	}
	return c.Finish()
}

// docs returns the CPU's docIDs for each query, in ascending order.
func (e *engine) docs(ctx context.Context, qs []query.Query) ([][]uint32, error) {
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
func sameDocs(c *gpuload.Conjunction, qs []query.Query, want [][]uint32) error {
	m, err := answer(c)
	if err != nil {
		return err
	}
	for i, ids := range want {
		if got := m.Of(i); !slices.Equal(got, ids) {
			return fmt.Errorf("query %d, %s: the device found %d documents, the CPU %d", i, qs[i].Terms, len(got), len(ids))
		}
	}
	return nil
}

// load measures how fast all lists of an index become resident, in new executors, which
// check them. These stay open, because the driver clears freed device memory with copies
// of its own, which take bandwidth from the measured copies for tens of milliseconds.
func (b *Bench) load(ctx context.Context, e *engine) error {
	o := gpuload.Options{Memory: 1 << 30}
	rounds := 11
	if b.Small {
		o.Memory, rounds = 64<<20, 1
	}
	var secs []float64
	var s gpuload.Stats
	for range rounds {
		x, err := gpuload.New(b.Device, e.Snapshot, o)
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
func (b *Bench) reload(ctx context.Context, e *engine, o gpuload.Options, rounds int) error {
	x, err := gpuload.New(b.Device, e.Snapshot, o)
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
		cuda.Forget(x)
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
		rare bool
		goal float64
	}{{query.And, true, 10}, {query.And, false, 10}, {query.Or, true, 20}, {query.Or, false, 20}, {query.AndOr, true, 0}} {
		if err := b.rank(ctx, e, n, c.mode, c.rare, c.goal); err != nil {
			return fmt.Errorf("%v: %w", c.mode, err)
		}
	}
	return nil
}

// rank measures n queries of one kind. The CPU answers only a tenth of the disjunctions.
func (b *Bench) rank(ctx context.Context, e *engine, n int, mode query.Mode, rare bool, goal float64) error {
	qs := e.Model.Queries(n, 10, mode, rare, 1000)
	cpuN := n
	if mode != query.And {
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
	if b.Profile != nil && mode == query.And && rare {
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
			return fmt.Errorf("query %d, %s: the device answers %v, the CPU %v", i, qs[i].Terms, got[i].Hits, want[i].Hits)
		}
	}
	busy, runs := -e.gpu.Stats().Busy.Seconds(), 0.0
	sec, err := b.median(15, func() error {
		runs++
		_, err := e.gpu.Execute(ctx, qs)
		return err
	})
	if err != nil {
		return err
	}
	busy = (busy + e.gpu.Stats().Busy.Seconds()) / runs
	kind := "common terms"
	if rare {
		kind = "a rare and common terms"
	}
	gpu, cpu := float64(n)/sec, float64(cpuN)/cpu
	b.add(Row{Name: fmt.Sprintf("ranked %v, %s", mode, kind), Value: gpu / 1e3, Unit: "k queries/s",
		Note: fmt.Sprintf("%.1f ms a batch, kernels %.1f ms; CPU, %d cores: %.3g k queries/s", sec*1e3, busy*1e3, runtime.GOMAXPROCS(0), cpu/1e3)})
	b.add(Row{Name: fmt.Sprintf("ranked %v, %s, over CPU", mode, kind), Value: gpu / cpu, Unit: "times", Goal: goal})
	return nil
}

// profile answers queries while profiling the host.
func (b *Bench) profile(ctx context.Context, e *engine, qs []query.Query) error {
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
