//go:build emu && cgo

package node

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// onGPU has a GPU answer parts, and counts the queries that it is asked, and those of them that it leaves to the CPU.
type onGPU struct {
	*gpu.Executor
	cpu   *search.Searcher
	asked atomic.Int64
	left  *left
}

type left struct {
	*search.Searcher
	n atomic.Int64
}

func (*onGPU) Execute(context.Context, *reader.Snapshot, []pinion.Request) ([]*pinion.Page, error) {
	return nil, errors.New("a node asks for parts")
}

func (x *onGPU) ExecutePart(ctx context.Context, _ *reader.Snapshot, r pinion.Request, of pinion.Part) (*pinion.Page, error) {
	if len(r.Sort)+len(r.Facets) > 0 || r.After != nil || r.Static != nil || r.Collapse != "" {
		return nil, nil
	}
	defer x.asked.Add(1)
	q := search.Query{Node: r.Query, K: r.Limit, Params: query.Params{K1: r.K1, B: r.B, Scorer: r.Scorer}, Total: r.Total, Frequencies: of.Frequencies}
	results, err := x.Executor.Execute(ctx, []search.Query{q})
	if err != nil {
		return nil, err
	}
	p := &pinion.Page{Total: results[0].Total}
	for _, h := range results[0].Hits {
		p.Hits = append(p.Hits, pinion.Hit{Doc: h.Doc, Score: h.Score})
	}
	return p, nil
}

func (x *onGPU) Close() error { return errors.Join(x.Executor.Close(), x.cpu.Close()) }

func (l *left) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	l.n.Add(int64(len(queries)))
	return l.Searcher.Execute(ctx, queries)
}

// Shards on emulated GPUs, and one on the CPU, answer as one index does, to the bit.
func TestShardsOnGPU(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 22))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 300)
	dev, err := gpu.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	var mu sync.Mutex
	var made []*onGPU
	for i, path := range paths {
		o := Options{Collection: "gpu", Shard: i, Shards: len(paths), Refresh: time.Second, Parallel: 2, Failed: func(err error) { t.Error(err) }}
		if i > 0 {
			o.Device = dev.Info().Name
			o.Executor = func(_ context.Context, s *reader.Snapshot, of query.Collection) (Executor, error) {
				cpu, err := search.NewSearcher(s, search.Options{Collection: &of})
				if err != nil {
					return nil, err
				}
				x := &onGPU{cpu: cpu, left: &left{Searcher: cpu}}
				if x.Executor, err = gpu.New(dev, s, gpu.Options{CPU: x.left, Memory: 8 << 20}); err != nil {
					return nil, errors.Join(err, cpu.Close())
				}
				mu.Lock()
				defer mu.Unlock()
				made = append(made, x)
				return x, nil
			}
		}
		if _, err := startNode(t, connect(t, url), path, o); err != nil {
			t.Fatal(err)
		}
	}
	router, err := NewRouter(t.Context(), connect(t, url), RouterOptions{Collection: "gpu", Deadline: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer router.Close()
	if err := router.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := router.Summary(t.Context()); err != nil || len(s.Devices) != 1 || s.Devices[0] != dev.Info().Name {
		t.Fatalf("%+v, %v", s, err)
	}
	answered := func() (n int) { // by how many executors
		mu.Lock()
		defer mu.Unlock()
		for _, x := range made {
			if x.asked.Load()-x.left.n.Load() > 5 {
				n++
			}
		}
		return n
	}
	whole := wholeOf(t, paths)
	for i := 0; i < 40 || answered() < 2; i++ {
		x := drawRequest(rng)
		if i%2 == 0 {
			x.Query, x.Text, x.Sort, x.Facets, x.Total = "", drawText(rng, 3), nil, nil, false
		}
		want, wantErr := whole.Search(t.Context(), x)
		got, err := router.Search(t.Context(), x)
		same(t, len(paths), x, got, want, err, wantErr)
	}
}
