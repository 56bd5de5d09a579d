package paper

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// executor is an executor that experiments share, and what all of them have drawn on: what
// one launches to load a list serves the others.
type executor struct {
	*gpu.Executor
	used used
}

// Executor returns an executor for an index on the device, which keeps lists there in the
// codec of the index. It is made once, and closed
// with the index.
func (e *Env) Executor(x *Index, o gpu.Options) (*gpu.Executor, error) {
	e.watch()
	o.AsStored = true // otherwise lists of other codecs become bp128 as they are loaded
	key := fmt.Sprintf("%+v", o)
	g := x.executors[key]
	if g == nil {
		if e.Small {
			o.Memory = 64 << 20
		}
		if o.CPU == nil {
			var err error
			if o.Scorer, err = search.NewScorer(Params, search.StatsOf(x.Snapshot)); err != nil {
				return nil, err
			}
		}
		made, err := gpu.New(e.Device, x.Snapshot, o)
		if err != nil {
			return nil, err
		}
		if x.executors == nil {
			x.executors = map[string]*executor{}
		}
		g = &executor{made, newUsed()}
		x.executors[key] = g
	}
	e.used.add(g.used)
	e.inUse = append(e.inUse, g)
	return g.Executor, nil
}

// share tells the executors of a measurement what it has drawn on.
func (e *Env) share(u used) {
	for _, g := range e.inUse {
		g.used.add(u)
	}
	e.inUse = nil
}

// Conjunctions measures a batch of queries on the device, given as indexes of the set's
// lists: the median time of a run in seconds, copies of queries and results included. It
// compares the answers with those of the lists.
func (e *Env) Conjunctions(ctx context.Context, x *Index, g *gpu.Executor, queries [][]int, how gpu.Strategy, rounds int) (float64, error) {
	qs := make([]search.Query, len(queries))
	for i, terms := range x.Set.Texts(queries) {
		qs[i] = search.Query{K: 1, Mode: query.ModeAnd}
		for _, t := range terms {
			qs[i].RawTerms = append(qs[i].RawTerms, []byte(t))
		}
	}
	c, err := g.NewConjunction(ctx, qs, 0, how)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	m, err := once(c)
	if err != nil {
		return 0, err
	}
	for i := 0; i < len(queries); i += 1 + len(queries)/64 {
		if want := x.Set.Intersect(queries[i]); !slices.Equal(m.Of(i), want) {
			return 0, fmt.Errorf("query %d: the device finds %d documents, the lists have %d", i, len(m.Of(i)), len(want))
		}
	}
	if e.Small {
		rounds = 1
	}
	took := make([]float64, rounds)
	for i := range took {
		start := time.Now()
		if _, err := once(c); err != nil {
			return 0, err
		}
		took[i] = time.Since(start).Seconds()
	}
	slices.Sort(took)
	return took[rounds/2], nil
}

func once(c *gpu.Conjunction) (gpu.Matches, error) {
	if err := c.Start(); err != nil {
		return gpu.Matches{}, err
	}
	return c.Finish()
}

// Median runs f a few times and returns the median time in seconds.
func Median(rounds int, f func() error) (float64, error) {
	took := make([]float64, rounds)
	for i := range took {
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		took[i] = time.Since(start).Seconds()
	}
	slices.Sort(took)
	return max(took[rounds/2], 1e-9), nil
}
