//go:build emu && cgo && !cuda

package gpu

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// TestCallsBesideClose closes the snapshot, the Executor and the device
// while calls run: they succeed or fail with ErrClosed.
func TestCallsBesideClose(t *testing.T) {
	ctx, qs := context.Background(), someQueries()
	for round := range 4 {
		s := openSnapshot(t)
		dev := newDevice(cuda.NewEmulator())
		x, err := New(dev, s, Options{Memory: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var running sync.WaitGroup
		for what, f := range map[string]func() error{
			"Execute": func() error { return ignore(x.Execute(ctx, qs)) },
			"LoadAll": func() error { return x.LoadAll(ctx) },
			"NewConjunction": func() error {
				c, err := x.NewConjunction(ctx, qs[:1], 0, Auto)
				if err == nil {
					c.Close()
				}
				return err
			},
			"Filters": func() error {
				b, err := x.Filters(ctx, []Filter{{{{Term: []byte("a")}, {End: 1}}}})
				if err != nil {
					return err
				}
				_, err = b.Bitmap(ctx, 0)
				return errors.Join(err, b.Close())
			},
		} {
			running.Go(func() {
				err := f()
				for err == nil {
					err = f()
				}
				if !errors.Is(err, ErrClosed) || !errors.Is(err, reader.ErrClosed) {
					t.Errorf("%s: %v", what, err)
				}
			})
		}
		time.Sleep(time.Duration(round) * 5 * time.Millisecond)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		running.Go(func() { dev.Close() })
		closeExecutor(t, x)
		running.Wait()
	}
}

func ignore[T any](_ T, err error) error { return err }

// TestTruncatedWhileMapped truncates segments below an Executor: no call crashes, and the
// CPU names the file.
func TestTruncatedWhileMapped(t *testing.T) {
	ctx, dir, qs := context.Background(), t.TempDir(), someQueries()
	s := snapshotIn(t, dir)
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { searcher.Close() })
	dev := newDevice(cuda.NewEmulator())
	x, err := New(dev, s, Options{Memory: 1 << 20, CPU: searcher})
	if err != nil {
		t.Fatal(err)
	}
	for _, seg := range s.Segments() {
		if err := os.Truncate(filepath.Join(dir, seg.Name()), 0); err != nil {
			t.Fatal(err)
		}
	}
	for what, f := range map[string]func() error{
		"Execute":        func() error { return ignore(x.Execute(ctx, qs)) },
		"LoadAll":        func() error { return x.LoadAll(ctx) },
		"NewConjunction": func() error { return ignore(x.NewConjunction(ctx, qs[:1], 0, Auto)) },
		"New":            func() error { return ignore(New(dev, s, Options{Memory: 1 << 20})) },
	} {
		var e *format.Error
		if err := f(); !errors.As(err, &e) || e.Kind != format.ErrCorrupt || e.File == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
