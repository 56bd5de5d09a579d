package tatikonda

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// block is the paper's default skip block size.
const block = 512

const data = "a generated collection in the place of UK-2006-05, of 2.5 million documents at scale 1 (the paper's text has no number of documents), and queries of 2 to 10 terms in the place of AltaVista's log"

// set returns the collection.
func set(e *paper.Env) (*corpus.Set, error) { return e.SetOf("UK", e.Scale/2) }

// newEngine encodes a set with skip blocks of b.
func newEngine(s *corpus.Set, b, workers int) (*engine, error) {
	e := &engine{docs: uint32(s.Docs), queries: s.Queries, workers: workers, kappa: 5, making: new(atomic.Int64)}
	var err error
	e.lists, err = encode(s.Lists, b)
	for w := 0; w < workers && err == nil; w++ {
		lo, hi := uint32(uint64(s.Docs)*uint64(w)/uint64(workers)), uint32(uint64(s.Docs)*uint64(w+1)/uint64(workers))
		cut := make([][]uint32, len(s.Lists))
		for i, l := range s.Lists {
			for len(l) > 0 && l[0] < lo {
				l = l[1:]
			}
			n := len(l)
			for n > 0 && l[n-1] >= hi {
				n--
			}
			if cut[i] = l[:n]; n == 0 {
				cut[i] = []uint32{hi} // no other list of the part has it
			}
		}
		var part []*skips
		if part, err = encode(cut, b); err == nil {
			e.parts = append(e.parts, part)
		}
	}
	return e, err
}

func encode(lists [][]uint32, b int) ([]*skips, error) {
	out := make([]*skips, len(lists))
	for i, l := range lists {
		var err error
		if out[i], err = newSkips(l, b); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// load is a run: as many queries as the time allows, at a rate or as fast as they are
// answered, or one after the other.
type load struct {
	model   model
	workers int
	kappa   int
	rate    float64 // 0: saturation
	alone   bool
	queries [][]int // nil: all
}

// rounds is how often loads are measured whose rates are compared.
const rounds = 3

// outcome is what a load measured.
type outcome struct {
	rate    float64 // answers a second
	latency float64 // mean from when a query was due, in seconds
	service float64 // mean from when a core took it from the entry queue
	share   float64 // of the rate of arrivals that answers reach, with a rate
	spread  float64 // of the rates of several rounds: from least to greatest, over the median
}

// bench measures loads on a set; engines are made once for each number of cores.
type bench struct {
	env     *paper.Env
	set     *corpus.Set
	engines map[int]*engine
}

// newBench returns the bench that all figures share.
func newBench(e *paper.Env) (*bench, error) {
	return paper.Once(e, "tatikonda bench", func() (*bench, error) {
		s, err := set(e)
		return &bench{env: e, set: s, engines: map[int]*engine{}}, err
	})
}

func (b *bench) engine(workers int) (*engine, error) {
	if e := b.engines[workers]; e != nil {
		return e, nil
	}
	e, err := newEngine(b.set, block, workers)
	b.engines[workers] = e
	return e, err
}

// measure runs a load for a few times the environment's time.
func (b *bench) measure(ctx context.Context, l load) (o outcome, err error) {
	shared, err := b.engine(l.workers)
	if err != nil {
		return o, err
	}
	e := *shared
	if l.kappa > 0 {
		e.kappa = l.kappa
	}
	if l.queries != nil {
		e.queries = l.queries
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(l.workers + 1))
	source := make(chan *asked, 64)
	if l.alone {
		source = make(chan *asked)
	}
	over := make(chan struct{})
	go func() { defer close(over); e.run(l.model, source) }()
	var answered, took, served atomic.Int64
	ready := make(chan struct{}, 1)
	begin, rng := time.Now(), rand.New(rand.NewPCG(1, 2))
	long, due := 5*b.env.Time, time.Now()
	for i := 0; time.Since(begin) < long && ctx.Err() == nil; i++ {
		a := &asked{terms: e.queries[i%len(e.queries)], due: time.Now()}
		if l.rate > 0 {
			due = due.Add(time.Duration(rng.ExpFloat64() / l.rate * 1e9))
			for time.Now().Before(due) {
				if left := time.Until(due); left > 200*time.Microsecond {
					time.Sleep(left - 100*time.Microsecond)
				} else {
					runtime.Gosched()
				}
			}
			a.due = due
		}
		a.done = func(a *asked) {
			now := time.Now()
			took.Add(int64(now.Sub(a.due)))
			served.Add(int64(now.Sub(a.began)))
			answered.Add(1)
			if l.alone {
				ready <- struct{}{}
			}
		}
		source <- a
		if l.alone {
			<-ready
		}
	}
	close(source)
	<-over
	n, sec := float64(answered.Load()), time.Since(begin).Seconds()
	// What was asked was due by the last one's time, and took until now.
	share := due.Sub(begin).Seconds() / sec
	o = outcome{rate: n / sec, latency: float64(took.Load()) / 1e9 / max(n, 1), service: float64(served.Load()) / 1e9 / max(n, 1), share: share}
	return o, ctx.Err()
}

// medians measures loads in turns, several times, since two runs of the same load differ by
// more than some models do. It returns the medians of each.
func (b *bench) medians(ctx context.Context, loads []load) ([]outcome, error) {
	all := make([][]outcome, len(loads))
	for range b.env.Pick(rounds, 1) {
		for i, l := range loads {
			o, err := b.measure(ctx, l)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], o)
		}
	}
	out := make([]outcome, len(loads))
	for i, of := range all {
		out[i] = median(of)
	}
	return out, nil
}

// median returns the median of each number of outcomes, and the spread of the rates.
func median(of []outcome) (o outcome) {
	sorted := func(number func(o outcome) float64) []float64 {
		var all []float64
		for _, o := range of {
			all = append(all, number(o))
		}
		slices.Sort(all)
		return all
	}
	mid := len(of) / 2
	rates := sorted(func(o outcome) float64 { return o.rate })
	o.rate, o.spread = rates[mid], (rates[len(rates)-1]-rates[0])/rates[mid]
	o.latency = sorted(func(o outcome) float64 { return o.latency })[mid]
	o.service = sorted(func(o outcome) float64 { return o.service })[mid]
	o.share = sorted(func(o outcome) float64 { return o.share })[mid]
	return o
}

// own measures the engine's pool on the same lists and queries, as `idxbench load` does.
func (b *bench) own(ctx context.Context, r paper.LoadRun) (paper.LoadResult, error) {
	x, err := b.env.Index(ctx, b.set, "newpfd")
	if err != nil {
		return paper.LoadResult{}, err
	}
	if r.Queries == nil {
		r.Queries = b.set.Texts(b.set.Queries)
	}
	r.Time = 2 * b.env.Time
	return b.env.Load(ctx, x.Dir, r)
}

// smallAdaptiveName is the paper's algorithm (3.1) by its name in the engine.
var smallAdaptiveName = search.SmallAdaptive.String()

func coreName(n int) string { return fmt.Sprint(n) }
