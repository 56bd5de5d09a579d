package ongpu

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// fake is an Executor that says what it is told to.
type fake struct {
	mu    sync.Mutex
	ready chan struct{}
	text  string
}

func (f *fake) Ready(ctx context.Context) error {
	select {
	case <-f.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *fake) Answers() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text
}

func (f *fake) set(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text = text
}

// lines are what is written to it.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// What is said: that a GPU is not ready yet, that it is, that it has been given up, and nothing of those that open for a commit.
func TestSay(t *testing.T) {
	defer func(d time.Duration) { looks = d }(looks)
	looks = time.Millisecond
	x, out := &fake{ready: make(chan struct{}), text: "the CPU answers until a GPU is ready"}, make(lines, 10)
	end := Say(t.Context(), out, x, func(context.Context) error { return nil })
	expect := func(want string) {
		t.Helper()
		if got := <-out; got != "--gpu: "+want+"\n" {
			t.Errorf("%q, want %q", got, want)
		}
	}
	expect("the CPU answers until a GPU is ready")
	x.set("a GPU and the CPU answer")
	close(x.ready)
	expect("a GPU and the CPU answer")
	x.set("the CPU answers until a GPU is ready")
	time.Sleep(20 * looks)
	x.set("a GPU and the CPU answer")
	time.Sleep(20 * looks)
	x.set("the CPU answers: device failed")
	expect("the CPU answers: device failed")
	end()
	if len(out) > 0 {
		t.Errorf("also said: %q", <-out)
	}
	Say(t.Context(), out, x, func(context.Context) error { return errors.New("closed") })()
	if len(out) > 0 {
		t.Errorf("said after a search that failed: %q", <-out)
	}
}
