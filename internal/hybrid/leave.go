package hybrid

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/search"
)

// leaver is what a GPU asks for answers that it does not give: it has none. So cores answer these queries as others, and the GPU is not
// taken for slow by what they take, as when it has just been opened and has nothing in its memory.
type leaver struct {
	*pool.Pool
	load *load
	left *atomic.Int64 // queries so far
}

// Execute returns results without answers.
func (l *leaver) Execute(_ context.Context, queries []search.Query) ([]search.Result, error) {
	results := make([]search.Result, len(queries))
	for i := range results {
		results[i].Left = true
	}
	l.left.Add(int64(len(queries)))
	return results, nil
}

// Each returns what a query takes the cores, all of which answer.
func (l *leaver) Each() time.Duration {
	return time.Duration(l.load.each.Load()) / time.Duration(max(l.Workers(), 1))
}

// answered moves queries that have results to the front, and returns how many there are.
func answered[Q any](queries []Q, results []search.Result) int {
	n := 0
	for i := range queries {
		if !results[i].Left {
			queries[n], queries[i] = queries[i], queries[n]
			results[n], results[i] = results[i], results[n]
			n++
		}
	}
	return n
}

// toCores gives jobs that a GPU has had to the cores.
func (x *Executor) toCores(jobs []*job) {
	for _, j := range jobs {
		j.bound = true
		x.again.Add(1)
		x.pinned.push(j)
	}
}

// anyLeft reports whether some results are no answers.
func anyLeft(results []search.Result) bool {
	for i := range results {
		if results[i].Left {
			return true
		}
	}
	return false
}
