package main

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/loadtest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/papers/internal/paper"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// waiting is how many queries wait at saturation.
const waiting = 512

// replay implements paper.Env.Load over an index that is opened for it.
func replay(ctx context.Context, index string, r paper.LoadRun) (out paper.LoadResult, err error) {
	model, err := pool.ParseModel(r.Model)
	if err != nil {
		return out, err
	}
	algo := search.Auto
	if r.Algorithm != "" {
		if err = algo.UnmarshalText([]byte(r.Algorithm)); err != nil {
			return out, err
		}
	}
	x, err := reader.Open(ctx, reader.Dir(index), reader.Options{})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	snapshot, err := x.Snapshot()
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	s, err := search.NewSearcher(snapshot, search.Options{Params: paper.Params})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	queries := make([]search.Query, len(r.Queries))
	for i, q := range r.Queries {
		queries[i] = search.Query{K: 10, Mode: query.ModeAnd, Algorithm: algo}
		for _, t := range q {
			queries[i].RawTerms = append(queries[i].RawTerms, []byte(t))
		}
	}
	if err := warm(ctx, s, queries); err != nil {
		return out, err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(r.Workers))
	p, err := pool.New(s, pool.Options{Workers: r.Workers, Model: model, Threshold: r.Threshold})
	if err != nil {
		return out, err
	}
	defer p.Close()
	got := loadtest.Result{}
	switch {
	case r.Alone:
		err = loadtest.Alone(ctx, p, queries, pause, r.Time, 0, &got)
	case r.Rate == 0:
		err = loadtest.Saturate(ctx, p, queries, waiting, r.Time, &got)
	default:
		err = loadtest.Arrive(ctx, p, queries, loadtest.Arrivals(r.Rate, r.Time/4+r.Time, 1), r.Time, 0, &got)
	}
	return paper.LoadResult{Throughput: got.Throughput, Mean: got.Mean / 1e6, Behind: got.Behind}, err
}

// pause is the time before each query of those that are asked alone.
const pause = time.Millisecond

// warm asks every query once.
func warm(ctx context.Context, s *search.Searcher, queries []search.Query) error {
	p, err := pool.New(s, pool.Options{})
	if err != nil {
		return err
	}
	defer p.Close()
	_, err = p.Execute(ctx, queries)
	return err
}
