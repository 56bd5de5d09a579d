package hybrid

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
)

// absent is a GPU that never answers in time to matter.
type absent struct{ query.Executor }

func (absent) Execute(_ context.Context, queries []query.Query) ([]query.Result, error) {
	time.Sleep(100 * time.Millisecond)
	return make([]query.Result, len(queries)), nil
}

// BenchmarkSubmit keeps 512 short queries waiting: what the scheduler adds to the Pool's
// time.
func BenchmarkSubmit(b *testing.B) {
	s := newIndex(b)
	qs := someQueries(1000, 1)
	for i := range qs {
		qs[i].K, qs[i].Mode = 10, query.And
	}
	p, err := pool.New(s, pool.Options{Workers: 2})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	submit := map[string]func(context.Context, *query.Query, func([]query.Hit, error)) error{"pool": p.Submit}
	for name, gpu := range map[string]query.Executor{"cpu": nil, "hybrid": absent{}} {
		x, err := New(p, gpu, Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer x.Close()
		submit[name] = x.Submit
	}
	for _, name := range []string{"pool", "cpu", "hybrid"} {
		b.Run(name, func(b *testing.B) {
			var next atomic.Int64
			var group sync.WaitGroup
			var follow func([]query.Hit, error)
			one := func() {
				n := int(next.Add(1))
				if n > b.N {
					group.Done()
					return
				}
				if err := submit[name](context.Background(), &qs[n%len(qs)], follow); err != nil {
					panic(err)
				}
			}
			follow = func([]query.Hit, error) { one() }
			b.ReportAllocs()
			used := cpuTime()
			for range 512 {
				group.Add(1)
				one()
			}
			group.Wait()
			b.ReportMetric(float64((cpuTime()-used).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

// BenchmarkExecute asks 2,048 short queries at a time: what the stock adds to the Searcher's
// time.
func BenchmarkExecute(b *testing.B) {
	s := newIndex(b)
	qs := someQueries(2048, 1)
	for i := range qs {
		qs[i].K, qs[i].Mode = 10, query.And
	}
	p, err := pool.New(s, pool.Options{Workers: 2})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	executors := map[string]query.Executor{"searcher": s}
	for name, gpu := range map[string]query.Executor{"cpu": nil, "hybrid": absent{}} {
		x, err := New(p, gpu, Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer x.Close()
		executors[name] = x
	}
	for _, name := range []string{"searcher", "cpu", "hybrid"} {
		b.Run(name, func(b *testing.B) {
			used := cpuTime()
			for range b.N {
				if _, err := executors[name].Execute(context.Background(), qs); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cpuTime()-used).Nanoseconds())/float64(b.N*len(qs)), "cpu-ns/query")
		})
	}
}
