package paper

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/gpubench"
)

// Params are the parameters of BM25 of every experiment.
var Params = gpubench.Params

// Env is what experiments run in.
type Env struct {
	// Scale is the share of the papers' numbers of documents and queries, up to 1.
	Scale float64
	// Small asks for so little of everything that only the way of measuring is tested.
	Small bool
	// Time is how long a single figure is measured.
	Time time.Duration
	// Workers are the numbers of cores to measure with.
	Workers []int
	// Device is nil without a GPU.
	Device *gpu.Device
	// Dir holds indexes while experiments run.
	Dir string
	Log io.Writer
	// Load replays queries against a pool, as `idxbench load` does.
	Load func(ctx context.Context, index string, r LoadRun) (LoadResult, error)

	sets     map[string]*corpus.Set
	indexes  map[string]*Index
	made     map[string]kept
	used     used          // by what is measured now
	launched []atomic.Bool // by kernel, since the last settle
	inUse    []*executor   // by what is measured now
}

// LoadRun is a run of the worker pool.
type LoadRun struct {
	Queries   [][]string
	Model     string // of `idxbench load --model`
	Algorithm string // of `idxbench load --algo`; "" for auto
	Workers   int
	Threshold int     // of fgqp; 0 for the pool's
	Rate      float64 // arrivals a second; 0 for saturation
	Alone     bool    // one query after the other
	Time      time.Duration
}

// LoadResult is what a LoadRun measured.
type LoadResult struct {
	Throughput float64 // queries a second
	Mean       float64 // latency in seconds; 0 at saturation
	Behind     bool    // arrivals were not answered in time
}

// Set returns a collection at the environment's scale. It is made once.
func (e *Env) Set(name string) (*corpus.Set, error) { return e.SetOf(name, e.Scale) }

// SetOf returns a collection with that share of the paper's documents.
func (e *Env) SetOf(name string, scale float64) (*corpus.Set, error) {
	return e.keep(fmt.Sprint(name, " ", scale), name, func() (*corpus.Set, error) { return corpus.New(name, scale) })
}

// AskedOf returns a collection as SetOf does, with the lists of its first queries alone, at
// most that many.
func (e *Env) AskedOf(name string, scale float64, most int) (*corpus.Set, error) {
	return e.keep(fmt.Sprint(name, " ", scale, " ", most), name, func() (*corpus.Set, error) { return corpus.Asked(name, scale, most) })
}

// keep makes a collection once for each key.
func (e *Env) keep(key, name string, draw func() (*corpus.Set, error)) (*corpus.Set, error) {
	e.Use(name)
	if s := e.sets[key]; s != nil {
		e.used.docs[name] = s.Docs
		return s, nil
	}
	start := time.Now()
	s, err := draw()
	if err != nil {
		return nil, err
	}
	if e.sets == nil {
		e.sets = map[string]*corpus.Set{}
	}
	e.sets[key], e.used.docs[name] = s, s.Docs
	if e.Log != nil {
		fmt.Fprintf(e.Log, "made %s: %d documents, %d lists, %d postings in %.1f s\n", name, s.Docs, len(s.Lists), s.Postings(), time.Since(start).Seconds())
	}
	return s, nil
}

// kept is what Once has made, and what that took.
type kept struct {
	x    any
	used used
}

// Once returns what f makes, which experiments with the same key share.
func Once[T any](e *Env, key string, f func() (T, error)) (T, error) {
	k, ok := e.made[key]
	if !ok {
		var x T
		u, err := e.collect(func() (err error) { x, err = f(); return err })
		if err != nil {
			return x, err
		}
		k = kept{x, u}
		if e.made == nil {
			e.made = map[string]kept{}
		}
		e.made[key] = k
	}
	e.watch()
	e.used.add(k.used)
	return k.x.(T), nil
}

// Pick returns small if the environment asks for little, otherwise n.
func (e *Env) Pick(n, small int) int {
	if e.Small {
		return small
	}
	return n
}

// Each calls f with 0 to n - 1, on all cores.
func Each(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// number parses a number of a paper's text, which is a constant of an experiment.
func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return v
}
