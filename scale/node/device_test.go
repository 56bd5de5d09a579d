package node

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// devices makes Executors that are Views on the CPU, and counts.
type devices struct {
	mu                        sync.Mutex
	made, open, most, refused int
	answered                  int
}

func (d *devices) executor(_ context.Context, s *reader.Snapshot, _ query.Collection) (Executor, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made++; d.made%4 == 3 {
		d.refused++
		return nil, errors.New("no memory")
	}
	v, err := pinion.NewView(s, nil)
	if err != nil {
		return nil, err
	}
	d.open++
	d.most = max(d.most, d.open)
	return &counting{d: d, cpu: v}, nil
}

// answers reports whether an Executor has answered.
func (d *devices) answers() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.answered > 0
}

type counting struct {
	d    *devices
	cpu  *pinion.View
	life sync.RWMutex
	over bool
}

func (c *counting) Execute(context.Context, *reader.Snapshot, []pinion.Request) ([]*pinion.Page, error) {
	return nil, errors.New("a node asks for parts")
}

func (c *counting) ExecutePart(ctx context.Context, _ *reader.Snapshot, r pinion.Request, of pinion.Part) (*pinion.Page, error) {
	c.life.RLock()
	defer c.life.RUnlock()
	if c.over {
		return nil, query.ErrClosed
	}
	c.d.mu.Lock()
	c.d.answered++
	c.d.mu.Unlock()
	p, err := c.cpu.SearchPart(ctx, r, of)
	return &p.Page, err
}

func (c *counting) Close() error {
	c.life.Lock()
	defer c.life.Unlock()
	c.over = true
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	c.d.open--
	return c.cpu.Close()
}

// Nodes with a device, which makes an Executor for each state of the shards and sometimes cannot, answer as one index does,
// while shards go on. The map says what they answer on.
func TestExecutors(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 21))
	url, _ := startNATS(t)
	dir, all := t.TempDir(), make([]devices, 2)
	paths := writeShards(t, rng, dir, 2, 0, 200)
	var nodes []*Node
	var failed atomic.Int32
	for i, path := range paths {
		n, err := startNode(t, connect(t, url), path, Options{Collection: "devices", Shard: i, Shards: 2, Refresh: 10 * time.Millisecond,
			Executor: all[i].executor, Device: fmt.Sprint("GPU ", 1-i), Failed: func(error) { failed.Add(1) }})
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, n)
	}
	router, err := NewRouter(t.Context(), connect(t, url), RouterOptions{Collection: "devices", Deadline: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer router.Close()
	if err := router.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for round := 1; round < 7; round++ {
		whole := wholeOf(t, paths)
		want, err := whole.Summary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for ctx, got := t.Context(), want; ; time.Sleep(time.Millisecond) {
			if got, err = router.Summary(ctx); err != nil {
				t.Fatal(err)
			}
			if got.Documents == want.Documents && got.Segments == want.Segments {
				if !slices.Equal(got.Devices, []string{"GPU 0", "GPU 1"}) {
					t.Fatalf("the shards answer on %q", got.Devices)
				}
				break
			}
		}
		for i := 0; i < 30 || round == 1 && !(all[0].answers() && all[1].answers()); i++ {
			x := drawRequest(rng)
			want, wantErr := whole.Search(t.Context(), x)
			got, err := router.Search(t.Context(), x)
			same(t, 2, x, got, want, err, wantErr)
		}
		writeShards(t, rng, dir, 2, 200*round, 50)
	}
	for i, n := range nodes {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		if d := &all[i]; d.made < 3 || d.most > mostExecutors || d.open != 0 || d.answered == 0 || d.refused == 0 {
			t.Errorf("shard %d: %d executors made, %d refused, %d open at a time, %d still are; they answered %d queries", i, d.made, d.refused, d.most, d.open, d.answered)
		}
	}
	if failed.Load() == 0 {
		t.Error("nobody was told that an executor could not be made")
	}
	if _, err := Serve(t.Context(), connect(t, url), nil, Options{Collection: "devices", Shards: 1, Device: "GPU 0"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a device without executors: %v", err)
	}
}
