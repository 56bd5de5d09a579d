package bucket

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/reader"

	"github.com/pinion-index/pinion/reader/host"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// A store that ignores conditions is refused by whatever writes, before it writes anything; one that keeps them is asked twice the
// first time, and once from then on.
func TestConditions(t *testing.T) {
	ctx := t.Context()
	k, b := newFake(t)
	var asked atomic.Int32
	k.before = func(_ context.Context, op, key string) error {
		if op == "write" && key == conditionKey {
			asked.Add(1)
		}
		return nil
	}
	for i, want := range []int32{2, 3, 4} {
		if i == 2 {
			c, err := NewCheckout(ctx, b, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
		} else {
			newWriter(t, b, numbers())
		}
		if n := asked.Load(); n != want {
			t.Errorf("asked %d times, not %d", n, want)
		}
	}
	dir := filepath.Join(t.TempDir(), "index")
	x, err := writer.Open(ctx, dir, numbers())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(x.Add(ctx, numberDoc("1", 1)), x.Commit(ctx), x.Close()); err != nil {
		t.Fatal(err)
	}
	m, err := reader.NewestManifest(store.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	for what, set := range map[string]func(*fake){
		"ignored": func(k *fake) { k.ignores = true },
		"refused": func(k *fake) {
			k.before = func(_ context.Context, op, _ string) error {
				if op == "write" {
					return errNotImplemented
				}
				return nil
			}
		},
	} {
		k, b := newFake(t)
		set(k)
		for who, f := range map[string]func() error{
			"writer":   func() error { _, err := NewWriter(ctx, b, WriteOptions{Dir: t.TempDir()}); return err },
			"checkout": func() error { _, err := NewCheckout(ctx, b, t.TempDir()); return err },
			"import":   func() error { return Import(ctx, b, dir, WriteOptions{Dir: t.TempDir()}) },
			"publish":  func() error { return Publish(ctx, b, m) },
		} {
			if err := f(); !errors.Is(err, ErrConditions) || !strings.Contains(err.Error(), "docs/stores.md") {
				t.Errorf("%s, %s: %v", what, who, err)
			}
		}
		if keys := k.keys(manifestFolder); len(keys) > 0 {
			t.Errorf("%s: written are %q", what, keys)
		}
	}
}

// notImplemented is the error of a store that does not know a header.
type notImplemented struct{}

func (notImplemented) Error() string        { return "a header implies functionality that is not implemented" }
func (notImplemented) ErrorCode() string    { return "NotImplemented" }
func (notImplemented) ErrorMessage() string { return "" }

var errNotImplemented = fmt.Errorf("put: %w", notImplemented{})

// What a store does not answer is given up after three tries, and the error says so in one line.
func TestNoAnswer(t *testing.T) {
	defer func(d time.Duration) { requestTimeout = d }(requestTimeout)
	requestTimeout = 10 * time.Millisecond
	for _, silent := range []string{"list", "write", "attributes", "read"} {
		k, b := newFake(t)
		w := newWriter(t, b, numbers())
		if err := errors.Join(w.Add(t.Context(), numberDoc("1", 1)), w.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
		var asked atomic.Int32
		k.before = func(ctx context.Context, op, _ string) error {
			if op != silent {
				return nil
			}
			asked.Add(1)
			<-ctx.Done()
			return ctx.Err()
		}
		_, err := Sweep(t.Context(), b, SweepOptions{})
		if !errors.Is(err, ErrNoAnswer) || strings.Contains(err.Error(), "\n") || strings.Count(err.Error(), "no answer") != 1 || !strings.Contains(err.Error(), "endpoint") {
			t.Errorf("%s: %v", silent, err)
		}
		if n := asked.Load(); n != host.MostSilent {
			t.Errorf("%s: asked %d times", silent, n)
		}
	}
}
