package reader_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/invariants"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// Indexes read the same whatever their access; a file that was read does not change.
func TestAccess(t *testing.T) {
	if noMappings {
		t.Skip("files are not mapped")
	}
	for _, a := range []store.Access{{}, {Read: true}, {Populate: true}, {Lock: true}, {Populate: true, Lock: true}} {
		dir := t.TempDir()
		writeTo(t, dir, twoLists())
		x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{Access: a})
		if err != nil && (a.Lock || errors.Is(err, errors.ErrUnsupported)) { // limits and kernels differ
			t.Logf("%+v: %v", a, err)
			continue
		}
		if err != nil {
			t.Fatalf("%+v: %v", a, err)
		}
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if a.Read {
			if err := os.Truncate(filepath.Join(dir, s.Segments()[0].Name()), 0); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for p, err := range s.Postings([]byte("even")) {
			if err != nil || p.Doc != uint32(2*n) {
				t.Fatalf("%+v: posting %d is %v, %v", a, n, p, err)
			}
			n++
		}
		if n != 1500 {
			t.Errorf("%+v: %d postings", a, n)
		}
		if err := errors.Join(s.Verify(t.Context()), s.Close(), x.Close()); err != nil {
			t.Errorf("%+v: %v", a, err)
		}
	}
}

func TestAccessRefused(t *testing.T) {
	fsys := memfs.New()
	commit(t, fsys, twoLists())
	if _, err := reader.Open(t.Context(), reader.FromStore(fsys), reader.Options{Access: store.Access{Read: true}}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an index in memory: %v", err)
	}
	dir := t.TempDir()
	writeTo(t, dir, twoLists())
	if _, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{Access: store.Access{Read: true, Lock: true}}); err == nil {
		t.Error("Read and Lock together are accepted")
	}
}

// What is never closed is reported with the stack that opened it.
func TestLeaked(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the test leaks")
	}
	fsys := memfs.New()
	commit(t, fsys, twoLists())
	var mu sync.Mutex
	leaks := map[string][]byte{}
	x, err := reader.Open(t.Context(), reader.FromStore(fsys), reader.Options{Leaked: func(what string, stack []byte) {
		mu.Lock()
		defer mu.Unlock()
		leaks[what] = stack
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	closed := func() {
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Segments()[0].Cursor([]byte("even"))
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		s.Close()
	}
	closed()
	for range 3 {
		runtime.GC()
	}
	mu.Lock()
	if len(leaks) != 0 {
		t.Errorf("%d leaks of what was closed", len(leaks))
	}
	mu.Unlock()
	leak(t, x)
	for range 100 {
		runtime.GC()
		time.Sleep(time.Millisecond)
		mu.Lock()
		n := len(leaks)
		mu.Unlock()
		if n == 2 {
			break
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, what := range []string{"snapshot", "cursor"} {
		if !bytes.Contains(leaks[what], []byte("reader_test.leak(")) {
			t.Errorf("%s: the stack is %q", what, leaks[what])
		}
	}
}

// leak opens a snapshot and a cursor and forgets them.
//
//go:noinline
func leak(t *testing.T, x *reader.Index) {
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Segments()[0].Cursor([]byte("even")); err != nil {
		t.Fatal(err)
	}
}
