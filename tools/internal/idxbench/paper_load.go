package idxbench

import (
	"context"
	"io"
	"runtime"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

// replay implements paper.Env.Load: it measures a run as `idxbench load` does, over an
// index that is opened for it.
func replay(ctx context.Context, index string, r paper.LoadRun) (paper.LoadResult, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0)) // measure sets it
	m, err := pool.ParseModel(r.Model)
	if err != nil {
		return paper.LoadResult{}, err
	}
	algo := query.Auto
	if r.Algorithm != "" {
		if algo, err = query.ParseAlgorithm(r.Algorithm); err != nil {
			return paper.LoadResult{}, err
		}
	}
	s, snapshot, done, err := openSearcher(index)
	if err != nil {
		return paper.LoadResult{}, err
	}
	defer done()
	l := &loader{f: &loadFlags{seed: 1}, whole: s, cut: s, snapshot: snapshot, out: &Load{}, progress: cli.NewProgress(io.Discard, "load", 0, cli.ItemRate("runs"))}
	defer l.progress.Stop()
	for _, q := range r.Queries {
		var terms [][]byte
		for _, t := range q {
			terms = append(terms, []byte(t))
		}
		l.queries = append(l.queries, query.Query{RawTerms: terms, K: 10, Mode: query.And, Algorithm: algo})
	}
	if _, err := l.ask(ctx, s); err != nil { // warms the caches
		return paper.LoadResult{}, err
	}
	row, err := l.measure(ctx, run{model: m, workers: r.Workers, threshold: r.Threshold, rate: r.Rate, alone: r.Alone}, l.queries, r.Time)
	return paper.LoadResult{Throughput: row.Throughput, Mean: row.Mean / 1e6, Behind: row.behind}, err
}
