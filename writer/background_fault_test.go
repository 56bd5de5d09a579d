package writer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
)

// TestBackgroundFaults makes every operation on the file system fail in turn while merges
// run. No commit is lost, neither by the fault nor by a crash after it.
func TestBackgroundFaults(t *testing.T) {
	faults := []memfs.Fault{{}, {Sticky: true}, {Effect: true}}[:longtest.Count(1, 3)]
	s := newScript(rand.New(rand.NewPCG(4, 4)), 5)
	for _, fault := range faults {
		for at := 0; ; at += longtest.Count(3, 1) {
			fault.At, fault.Err = at, errInjected
			if !backgroundFault(t, s, fault) {
				t.Logf("%d operations failed in turn", at)
				break
			}
		}
	}
}

// backgroundFault reports whether the fault occurred.
func backgroundFault(t *testing.T, s script, fault memfs.Fault) bool {
	ctx := t.Context()
	fs := memfs.New()
	o := Options{Schema: schema.Implicit("whitespace", "", false), Threads: 1, MergePolicy: eager}
	w := mustOpen(t, fs, o)
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	ops := fs.Ops()
	fs.Inject(fault)
	m, committed := model{}, model{}
	failed := func(err error) bool {
		if err != nil && !errors.Is(err, errInjected) && !errors.Is(err, ErrClosed) {
			t.Fatalf("operation %d: %v", fault.At, err)
		}
		return err != nil
	}
commits:
	for _, c := range s {
		for _, x := range c {
			var err error
			if x.deletes {
				m.delete(x.id)
				err = w.Delete(ctx, []byte(x.id))
			} else {
				m.add(x.id, x.text)
				err = w.Add(ctx, doc(x.id, x.text))
			}
			if failed(err) {
				break commits
			}
		}
		if failed(w.Commit(ctx)) {
			break
		}
		committed = m.clone()
		failed(w.WaitMerges(ctx)) // a merge that fails does not end the writer
	}
	failed(w.Close())
	happened := fs.Ops()-ops > fault.At
	after := fs.CrashKeeping(rand.New(rand.NewPCG(uint64(fault.At), 9)))
	if got := dump(t, after); committed.diff(got) != "" && m.diff(got) != "" {
		t.Fatalf("operation %d: neither commit is there: %s", fault.At, committed.diff(got))
	}
	w = mustOpen(t, after, o)
	if err := errors.Join(w.Add(ctx, doc("new", "word")), w.Commit(ctx), w.WaitMerges(ctx), w.Close()); err != nil {
		t.Fatalf("operation %d: going on: %v", fault.At, err)
	}
	return happened
}

// A merge without room on the disk is reported once, not tried again before something
// changes, and then done.
func TestMergeOnFullDisk(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	var mu sync.Mutex
	var reported []error
	merge := atomic.Bool{}
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), MergeFailed: func(err error) {
		mu.Lock()
		reported = append(reported, err)
		mu.Unlock()
	}, MergePolicy: func(s []SegmentStats) []Run {
		if merge.CompareAndSwap(true, false) {
			return []Run{{0, len(s)}}
		}
		return nil
	}})
	m := model{}
	commit := func() {
		t.Helper()
		id := fmt.Sprint(len(m.docs))
		m.add(id, "text")
		if err := errors.Join(w.Add(ctx, doc(id, "text")), w.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(6, 6))
	for i := range 5000 {
		id, text := fmt.Sprint("first", i), randomText(r, 12)
		m.docs = append(m.docs, show(id, text, false))
		if err := w.Add(ctx, doc(id, text)); err != nil {
			t.Fatal(err)
		}
	}
	commit()
	fs.SetCapacity(fs.Used() + 100000) // enough for a document
	merge.Store(true)
	commit()
	for range 2 {
		if err := w.WaitMerges(ctx); !errors.Is(err, memfs.ErrNoSpace) {
			t.Fatalf("waiting: %v", err)
		}
	}
	ops := fs.Ops()
	if err := w.WaitMerges(ctx); err == nil || fs.Ops() != ops {
		t.Errorf("the merge was tried again, or its error forgotten: %v", err)
	}
	if len(reported) != 1 {
		t.Errorf("reported %v", reported)
	}
	m.check(t, fs)
	fs.SetCapacity(-1)
	merge.Store(true)
	commit()
	if err := w.WaitMerges(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(manifest(t, fs).Segments); n != 1 {
		t.Errorf("%d segments", n)
	}
	m.check(t, fs)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A damaged segment is reported and left alone; the others are merged.
func TestBackgroundMergeOfDamaged(t *testing.T) {
	ctx := t.Context()
	fs, _ := twoSegments(t, 100)
	fs = restamp(t, fs, format.SectionDocLengths, func(b []byte) { b[3]++ })
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: Tiered{PerTier: 3}.Runs})
	for i := range 5 {
		if err := errors.Join(w.Add(ctx, doc(fmt.Sprint("new", i), "text")), w.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
		err := w.WaitMerges(ctx)
		if (i == 0) != errors.Is(err, format.ErrCorrupt) || err != nil && !strings.Contains(err.Error(), indexdir.SegmentName(1)) {
			t.Errorf("after commit %d: %v", i, err)
		}
	}
	if s := manifest(t, fs).Segments; len(s) < 2 || len(s) > 4 || s[0].File != 1 {
		t.Errorf("segments %+v", s)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Close ends a merge that writes slowly and loses nothing but the merge.
func TestCloseAbortsMerge(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: eager, MergeRate: 1})
	m := model{}
	for i := range 2 {
		id := fmt.Sprint(i)
		m.add(id, "text")
		if err := errors.Join(w.Add(ctx, doc(id, "text")), w.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	short, cancel := context.WithCancel(ctx)
	cancel()
	if err := w.WaitMerges(short); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	m.check(t, fs)
	onlySegmentsOf(t, fs)
	if err := w.WaitMerges(ctx); !errors.Is(err, ErrClosed) {
		t.Errorf("waiting on a closed writer: %v", err)
	}
}

// A policy that fails for the segments behind a damaged one does not keep the merges
// before it from running.
func TestPolicyFailsBehindDamaged(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	calls := 0
	policy := func(s []SegmentStats) []Run {
		if calls == 0 {
			return nil
		}
		if calls++; calls == 2 {
			return []Run{{0, 2}}
		}
		return []Run{{0, len(s) + 1}}
	}
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: policy})
	defer w.Close()
	m := model{}
	for i := range 5 {
		id := fmt.Sprint(i)
		m.add(id, "word")
		if err := errors.Join(w.Add(ctx, doc(id, "word")), w.Flush(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	w.segments[2].damaged = true
	calls = 1
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.WaitMerges(ctx); err == nil || !strings.Contains(err.Error(), "merge policy returned") {
		t.Errorf("WaitMerges: %v", err)
	}
	if n := len(manifest(t, fs).Segments); n != 4 {
		t.Errorf("%d segments are left, want 4", n)
	}
	m.check(t, fs)
}
