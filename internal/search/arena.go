package search

import (
	"context"
	"sync"
)

// Arena holds the results of one call in memory that the next call reuses. Results that nobody keeps are
// garbage otherwise, some 100 bytes a query: at millions of queries a second the collector then runs
// every second or two, and queries wait meanwhile. The zero value is ready for use, by one call at a
// time. Callers need Execute; Results and Hits are for executors, and allocate if the Arena is nil.
type Arena struct {
	mu      sync.Mutex
	results []Result
	hits    []Hit
	used    int // of hits
	asked   int // since the last call of Results, also of memory of their own
}

// Execute lets x answer queries. If x has a method ExecuteInto, as the executors of packages internal/gpu and
// hybrid do, the results lie in a and are valid until its next use; otherwise x allocates them.
func (a *Arena) Execute(ctx context.Context, x Executor, queries []Query) ([]Result, error) {
	if into, ok := x.(interface {
		ExecuteInto(ctx context.Context, queries []Query, a *Arena) ([]Result, error)
	}); ok {
		return into.ExecuteInto(ctx, queries, a)
	}
	return x.Execute(ctx, queries)
}

// Results returns n results without hits, and ends the use of what the Arena returned before.
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

// Hits returns an empty slice with room for n hits. If the Arena is full it allocates them, and the next
// call of Results makes room for as many. It is safe for concurrent use.
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
