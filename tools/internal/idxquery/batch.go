package idxquery

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
	"github.com/pinion-index/pinion/tools/internal/cli"
)

// batchSize is the number of queries that run at a time.
const batchSize = 1024

// batch is like each, on several threads. f gets the answers in the order of the
// queries.
func (s *session) batch(cmd *cobra.Command, qs []question, text bool, p *cli.Progress, f func(*Answer) error) error {
	model, err := pool.ParseModel(s.f.model.Value)
	if err != nil {
		return err
	}
	workers, err := pool.New(s.searcher, pool.Options{Workers: s.f.threads, Model: model})
	if err != nil {
		return err
	}
	defer workers.Close()
	total, searching := len(qs), time.Duration(0)
	for done := 0; len(qs) > 0; {
		n := min(batchSize, len(qs))
		start := time.Now()
		answers, hits, err := s.ask(cmd, workers, qs[:n])
		if err != nil {
			return err
		}
		searching += time.Since(start)
		for i, a := range answers {
			if err := s.fill(a, hits[i], text); err != nil {
				return err
			}
			if err := f(a); err != nil {
				return err
			}
		}
		qs, done = qs[n:], done+n
		p.Set(int64(done))
	}
	p.Stop()
	if s.f.queries != "" && total > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s queries in %s on %d threads: %s queries/s\n", cli.Count(total), cli.Seconds(searching), s.f.threads,
			cli.Rate(float64(total), searching))
	}
	return nil
}

// ask answers queries in parallel. The time of an answer counts from when its query was
// submitted.
func (s *session) ask(cmd *cobra.Command, workers *pool.Pool, qs []question) ([]*Answer, [][]query.Hit, error) {
	answers, queries := make([]*Answer, len(qs)), make([]query.Query, len(qs))
	hits, failed := make([][]query.Hit, len(qs)), make([]error, len(qs))
	for i, q := range qs {
		var err error
		if answers[i], queries[i], err = s.prepare(q); err != nil {
			return nil, nil, err
		}
	}
	var group sync.WaitGroup
	for i := range queries {
		group.Add(1)
		start := time.Now()
		err := workers.Submit(cmd.Context(), &queries[i], func(found []query.Hit, err error) {
			answers[i].took = time.Since(start)
			hits[i], failed[i] = slices.Clone(found), err
			group.Done()
		})
		if err != nil {
			failed[i] = err
			group.Done()
		}
	}
	group.Wait()
	for i, err := range failed {
		if err != nil {
			return nil, nil, fmt.Errorf("query %s: %w", qs[i].id, err)
		}
		answers[i].Seconds = answers[i].took.Seconds()
	}
	return answers, hits, nil
}
