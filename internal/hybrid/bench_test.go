package hybrid

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// absent is a GPU that never answers in time to matter.
type absent struct{ search.Executor }

func (absent) Execute(_ context.Context, queries []search.Query) ([]search.Result, error) {
	time.Sleep(100 * time.Millisecond)
	return make([]search.Result, len(queries)), nil
}

// instant is a GPU that takes no time.
type instant struct{ search.Executor }

func (instant) ExecuteInto(_ context.Context, queries []search.Query, a *search.Arena) ([]search.Result, error) {
	return a.Results(len(queries)), nil
}

// schedulers returns what answers queries on s: the Searcher, the Pool and Executors over it,
// without a GPU and with one that takes no time or too much.
func schedulers(b *testing.B, s *search.Searcher) (submit map[string]func(context.Context, *search.Query, func([]search.Hit, error)) error, execute map[string]search.Executor) {
	p, err := pool.New(s, pool.Options{Workers: 2})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.Close)
	submit = map[string]func(context.Context, *search.Query, func([]search.Hit, error)) error{"pool": p.Submit}
	execute = map[string]search.Executor{"searcher": s}
	for _, c := range []struct {
		name string
		gpu  search.Executor
		mode Mode
	}{{"cpu", nil, Parallel}, {"gpu", instant{}, OnlyGPU}, {"both", instant{}, Parallel}, {"slow", absent{}, Parallel}} {
		x, err := New(p, c.gpu, Options{Mode: c.mode})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { x.Close() })
		submit[c.name], execute[c.name] = x.Submit, x
	}
	return submit, execute
}

// benchmarked are short queries, and some whose terms have no lists, so that what the scheduler
// adds is nearly all that they cost.
func benchmarked(n int) (short, empty []search.Query) {
	short, empty = someQueries(n, 1), make([]search.Query, n)
	for i := range short {
		short[i].K, short[i].Mode = 10, query.ModeAnd
		empty[i] = search.Query{K: 10, Mode: query.ModeAnd, RawTerms: [][]byte{fmt.Appendf(nil, "x%d", i%1000), fmt.Appendf(nil, "y%d", i%1000)}}
	}
	return short, empty
}

// BenchmarkSubmit keeps queries waiting: what the scheduler adds to the Pool's time.
func BenchmarkSubmit(b *testing.B) {
	s := newIndex(b)
	short, empty := benchmarked(1000)
	submit, _ := schedulers(b, s)
	for _, c := range []struct {
		name    string
		queries []search.Query
		waiting int
	}{{"pool", short, 512}, {"cpu", short, 8192}, {"slow", short, 8192}, {"pool", empty, 512}, {"cpu", empty, 8192}, {"gpu", empty, 8192}, {"both", empty, 8192}} {
		b.Run(c.name+map[bool]string{true: "/empty", false: "/short"}[&c.queries[0] == &empty[0]], func(b *testing.B) {
			var next atomic.Int64
			var group sync.WaitGroup
			var follow func([]search.Hit, error)
			one := func() {
				n := int(next.Add(1))
				if n > b.N {
					group.Done()
					return
				}
				if err := submit[c.name](context.Background(), &c.queries[n%len(c.queries)], follow); err != nil {
					panic(err)
				}
			}
			follow = func([]search.Hit, error) { one() }
			b.ReportAllocs()
			used := cputime.Process()
			for range c.waiting {
				group.Add(1)
				one()
			}
			group.Wait()
			b.ReportMetric(float64((cputime.Process()-used).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

// BenchmarkExecute asks 2,048 queries at a time: what the stock adds to the Searcher's time.
func BenchmarkExecute(b *testing.B) {
	s := newIndex(b)
	short, empty := benchmarked(2048)
	_, execute := schedulers(b, s)
	for _, c := range []struct {
		name    string
		queries []search.Query
	}{{"searcher", short}, {"cpu", short}, {"slow", short}, {"searcher", empty}, {"cpu", empty}, {"gpu", empty}, {"both", empty}} {
		b.Run(c.name+map[bool]string{true: "/empty", false: "/short"}[&c.queries[0] == &empty[0]], func(b *testing.B) {
			used := cputime.Process()
			for range b.N {
				if _, err := execute[c.name].Execute(context.Background(), c.queries); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cputime.Process()-used).Nanoseconds())/float64(b.N*len(c.queries)), "cpu-ns/query")
		})
	}
}
