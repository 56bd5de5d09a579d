//go:build emu && cgo

package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// TestPreload loads the lists of a log: its queries miss none then, on one device and on
// two.
func TestPreload(t *testing.T) {
	c, sc := newCollection(t, someShape)
	qs := c.Draw(rand.New(rand.NewPCG(8, 1)), 40, 4, 10, query.ModeAnd, query.ModeOr)
	var log []search.Query
	for _, q := range qs {
		log = append(log, q.Query())
	}
	for n := 1; n <= 2; n++ {
		devices := []cuda.Device{testDevice(t, 0), testDevice(t, 0)}[:n]
		g := groupOn(t, c, sc, &counted{brute: brute{c: c, sc: sc}}, devices...)
		if err := g.Preload(context.Background(), log); err != nil {
			t.Fatal(err)
		}
		loaded := g.Stats()
		if loaded.Loaded == 0 || loaded.Misses > 0 {
			t.Errorf("%d devices: %+v", n, loaded)
		}
		check(t, g, c, sc, qs, nil)
		if s := g.Stats(); s.Misses > 0 || s.Loaded != loaded.Loaded || s.Hits == 0 {
			t.Errorf("%d devices: %d of %d lists were missing, %d loaded before and %d in all", n, s.Misses, s.Hits+s.Misses, loaded.Loaded, s.Loaded)
		}
	}
}

// TestPreloadWhenFull preloads more than fits: the lists that are most used for their size
// are there, and those that queries have brought stay.
func TestPreloadWhenFull(t *testing.T) {
	c, sc := newCollection(t, someShape)
	qs := c.Draw(rand.New(rand.NewPCG(8, 1)), 60, 4, 10, query.ModeOr)
	x, err := newExecutor(testDevice(t, 0), viewsIn(c), Options{Scorer: sc, Memory: 48 << 10, AsStored: true, CPU: &counted{brute: brute{c: c, sc: sc}}})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	check(t, x, c, sc, qs[:1], nil)
	before := x.Stats()
	var log []search.Query
	for _, q := range qs {
		log = append(log, q.Query())
	}
	if err := x.Preload(context.Background(), log); err != nil {
		t.Fatal(err)
	}
	s := x.Stats()
	if s.Evicted > 0 || s.Lists <= before.Lists || s.Refused == 0 {
		t.Errorf("%+v, before %+v", s, before)
	}
	wants, plan, err := x.demands(log)
	if err != nil {
		t.Fatal(err)
	}
	ByUse(plan)
	for _, d := range plan[:3] {
		if x.lists.ByKey[wants[d.Key].Key] == nil {
			t.Errorf("%+v is not there", d)
		}
	}
	check(t, x, c, sc, qs, nil)
}

// TestPreloadErrors checks the errors of Preload.
func TestPreloadErrors(t *testing.T) {
	c, sc, qs := smallCollection(t)
	dev := newBreaking()
	g := groupOn(t, c, sc, &counted{brute: brute{c: c, sc: sc}}, dev)
	var log []search.Query
	for _, q := range qs {
		log = append(log, q.Query())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := g.Preload(ctx, log); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	dev.left.Store(0)
	for range 2 {
		if err := g.Preload(context.Background(), log); !errors.Is(err, ErrDevice) || !errors.Is(g.Err(), ErrDevice) {
			t.Errorf("on a device that fails: %v, retired with %v", err, g.Err())
		}
	}
	check(t, g, c, sc, qs, nil)
}
