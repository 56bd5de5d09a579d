//go:build emu && cgo

package node

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// onGPU counts the queries that an Executor is asked, and those of them that it leaves to the CPU.
type onGPU struct {
	*gpuload.Executor
	asked atomic.Int64
	left  *left
}

type left struct {
	*query.Searcher
	n atomic.Int64
}

func (x *onGPU) Execute(ctx context.Context, queries []query.Query) ([]query.Result, error) {
	defer x.asked.Add(int64(len(queries)))
	return x.Executor.Execute(ctx, queries)
}

func (l *left) Execute(ctx context.Context, queries []query.Query) ([]query.Result, error) {
	l.n.Add(int64(len(queries)))
	return l.Searcher.Execute(ctx, queries)
}

// Shards on emulated GPUs, and one on the CPU, answer as one index does, to the bit.
func TestShardsOnGPU(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 22))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 300)
	dev, err := gpuload.OpenDevice()
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
			o.Executor = func(_ context.Context, s *reader.Snapshot, cpu *query.Searcher) (Executor, error) {
				x := &onGPU{left: &left{Searcher: cpu}}
				var err error
				if x.Executor, err = gpuload.New(dev, s, gpuload.Options{CPU: x.left, Memory: 8 << 20}); err != nil {
					return nil, err
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
