//go:build emu && cgo

package gpu

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// openSnapshot returns a snapshot of a small index of two segments.
func openSnapshot(t *testing.T) *reader.Snapshot { return snapshotIn(t, t.TempDir()) }

// snapshotIn makes the index in a directory.
func snapshotIn(t *testing.T, dir string) *reader.Snapshot {
	t.Helper()
	ctx := context.Background()
	w, err := writer.Open(ctx, dir, writer.Options{})
	for i := 0; err == nil && i < 600; i++ {
		err = w.Add(ctx, writer.Text(fmt.Appendf(nil, "%d-%0200d", i, i), fmt.Appendf(nil, "all t%d t%d t%d", i%2, i%3, i%50)))
		if err == nil && i == 300 {
			err = w.Flush(ctx)
		}
	}
	if err == nil {
		err = w.Commit(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	index, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), index.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func someQueries() []search.Query {
	terms := func(names ...string) (out [][]byte) {
		for _, n := range names {
			out = append(out, []byte(n))
		}
		return out
	}
	return []search.Query{{RawTerms: terms("all", "t1"), K: 5, Mode: query.ModeAnd}, {RawTerms: terms("t0", "t2", "t7"), K: 20},
		{RawTerms: terms("t1", "t49", "t48"), K: 3, Mode: query.ModeAndOr}}
}

// TestNew compares an Executor with a Searcher, whose parameters it takes over, and
// checks that it outlives the snapshot and the device it was created from.
func TestNew(t *testing.T) {
	s := openSnapshot(t)
	for _, params := range []query.Params{query.DefaultParams(), {K1: 1.5, B: 0.75}} {
		searcher, err := search.NewSearcher(s, search.Options{Params: params})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { searcher.Close() })
		emulator := cuda.NewEmulator()
		dev := newDevice(emulator)
		o := Options{Memory: 1 << 20}
		if params != query.DefaultParams() {
			o.CPU = searcher
		}
		x, err := New(dev, s, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := dev.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := New(dev, s, o); !errors.Is(err, ErrClosed) {
			t.Errorf("New on a closed device: %v", err)
		}
		qs := someQueries()
		want, err := searcher.Execute(context.Background(), qs)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.LoadAll(context.Background()); err != nil {
			t.Fatal(err)
		}
		got, err := x.Execute(context.Background(), qs)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if len(want[i].Hits) == 0 || !gputrial.Equal(got[i].Hits, want[i].Hits) {
				t.Errorf("%+v, query %d: %v, the CPU %v", params, i, got[i].Hits, want[i].Hits)
			}
		}
		closeExecutor(t, x)
		closeExecutor(t, x)
		if n := emulator.Used(); n != 0 {
			t.Errorf("%d bytes are not freed", n)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClosed calls every method after Close.
func TestClosed(t *testing.T) {
	ctx, qs := context.Background(), someQueries()
	s := openSnapshot(t)
	dev := newDevice(cuda.NewEmulator())
	x, err := New(dev, s, Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	c, err := x.NewConjunction(ctx, qs[:1], 0, Auto)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Finish(); !errors.Is(err, ErrNotStarted) {
		t.Errorf("Finish before Start: %v", err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	d, err := x.NewConjunction(ctx, qs[:1], 1, Probe)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	d.Close()
	if err := d.Start(); !errors.Is(err, ErrClosed) {
		t.Errorf("Start after Close: %v", err)
	}
	closeExecutor(t, x) // closes c
	for what, err := range map[string]error{
		"Execute":        second(x.Execute(ctx, qs)),
		"LoadAll":        x.LoadAll(ctx),
		"NewConjunction": second(x.NewConjunction(ctx, qs[:1], 0, Auto)),
		"Start":          c.Start(),
		"Finish":         second(c.Finish()),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
	x.Stats()
	c.Close()
	closeExecutor(t, x)
	if err := errors.Join(dev.Close(), dev.Close()); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestInvalid checks that undefined constants and negative sizes are refused.
func TestInvalid(t *testing.T) {
	ctx, s := context.Background(), openSnapshot(t)
	emulator := cuda.NewEmulator()
	dev := newDevice(emulator)
	for _, o := range []Options{{Memory: -1}, {Threshold: -1}, {Presence: -1}, {FilterBytes: -1}} {
		if x, err := New(dev, s, o); err == nil || x != nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	x, err := New(dev, s, Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []search.Query{{Mode: 9}, {Algorithm: 200}} {
		q.RawTerms, q.K = [][]byte{[]byte("all")}, 1
		if _, err := x.Execute(ctx, []search.Query{q}); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if _, err := x.NewConjunction(ctx, nil, 0, strategyCount); err == nil {
		t.Error("a strategy that there is not is accepted")
	}
	if _, err := x.NewConjunction(ctx, nil, -1, Auto); err == nil {
		t.Error("stream -1 is accepted")
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	for _, a := range Strategies() {
		var b Strategy
		if err := b.UnmarshalText([]byte(a.String())); err != nil || a != b {
			t.Errorf("%v: %v, %v", a, b, err)
		}
	}
	if err := new(Strategy).UnmarshalText([]byte("none")); err == nil {
		t.Error("a name that there is not is accepted")
	}
}
