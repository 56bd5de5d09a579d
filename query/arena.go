package query

import (
	"context"
	"sync"
)

// Arena is memory for the results of a call, which the next call uses again. Results that nobody keeps
// are garbage otherwise, 100 bytes a query: at millions of queries a second, the collector takes the
// cores every second. The zero value is ready for use, by one call at a time. Results and Hits are for
// executors; on a nil Arena they allocate.
type Arena struct {
	mu      sync.Mutex
	results []Result
	hits    []Hit
	used    int // of hits
	asked   int // since the last call of Results, also of memory of their own
}

// Execute lets x answer queries. If x has a method ExecuteInto, as those of package gpuload do, the
// results lie in a until its next use.
func (a *Arena) Execute(ctx context.Context, x Executor, queries []Query) ([]Result, error) {
	if into, ok := x.(interface {
		ExecuteInto(ctx context.Context, queries []Query, a *Arena) ([]Result, error)
	}); ok {
		return into.ExecuteInto(ctx, queries, a)
	}
	return x.Execute(ctx, queries)
}

// Results returns n results without hits. What the Arena returned before is no longer valid.
func (a *Arena) Results(n int) []Result {
	if a == nil {
		return make([]Result, n)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked > len(a.hits) {
		a.hits = make([]Hit, a.asked+a.asked/4)
	}
	a.used, a.asked = 0, 0
	if cap(a.results) < n {
		a.results = make([]Result, n)
	}
	clear(a.results)
	a.results = a.results[:n]
	return a.results
}

// Hits returns an empty slice with room for n hits, in memory of their own if there is no more: the next
// call has room for as many. It is safe for concurrent use.
func (a *Arena) Hits(n int) []Hit {
	if a == nil {
		return make([]Hit, 0, n)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked += n
	if n > len(a.hits)-a.used {
		return make([]Hit, 0, n)
	}
	lo := a.used
	a.used += n
	return a.hits[lo:lo:a.used]
}
