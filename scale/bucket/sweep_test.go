package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/writer"
)

func stringsReader(s string) io.Reader { return strings.NewReader(s) }

// TestSweep: what remains is what kept commits name and what is young, by the bucket's clock.
func TestSweep(t *testing.T) {
	k, b := newFake(t)
	k.now = time.Now().Add(-75 * time.Minute) // the clock of this computer when it is run dry
	w := newWriter(t, b, numbers())
	err := errors.Join(w.Add(t.Context(), numberDoc("a", 1)), w.Add(t.Context(), numberDoc("b", 1)), w.Commit(t.Context()),
		w.Add(t.Context(), numberDoc("c", 1)), w.Delete(t.Context(), []byte("a")), w.Commit(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	k.pass(30 * time.Minute)
	if _, err := w.Merge(t.Context(), writer.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	k.objects[segmentKey(newID())] = fakeObject{[]byte("left"), k.now}
	k.objects["manifests/other"] = fakeObject{nil, time.Time{}}
	o := SweepOptions{Retention: time.Hour}
	if s, err := Sweep(t.Context(), b, o); err != nil || s.Commits != 0 || s.Objects != 0 || s.Kept != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	k.pass(45 * time.Minute) // commit 2 was superseded long ago, commit 3 not
	before := len(k.keys(""))
	o.DryRun = true
	k.before = func(_ context.Context, op, key string) error {
		if op == "write" || op == "delete" {
			t.Errorf("a dry run asks for %s of %s", op, key)
		}
		return nil
	}
	dry, err := Sweep(t.Context(), b, o)
	k.before = nil
	if err != nil || dry.Commits != 1 || dry.Kept != 2 || len(k.keys("")) != before {
		t.Errorf("%+v, %v", dry, err)
	}
	o.DryRun = false
	if s, err := Sweep(t.Context(), b, o); err != nil || s != dry {
		t.Errorf("%+v, %v, want %+v", s, err, dry)
	}
	if err := Export(t.Context(), b, 3, filepath.Join(t.TempDir(), "three")); err != nil {
		t.Errorf("a commit that remains: %v", err)
	}
	if err := Export(t.Context(), b, 2, filepath.Join(t.TempDir(), "two")); !notExist(err) {
		t.Errorf("a commit that was removed: %v", err)
	}
	k.pass(time.Hour)
	if s, err := Sweep(t.Context(), b, SweepOptions{Retention: time.Hour, KeepCommits: 2}); err != nil || s.Kept != 2 || s.Commits != 0 || s.Objects != 1 {
		t.Errorf("two commits to keep: %+v, %v", s, err)
	}
	if s, err := Sweep(t.Context(), b, o); err != nil || s.Kept != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	if got := k.keys(""); len(got) != 4 || got[0] != conditionKey {
		t.Errorf("left are %q", got)
	}
	if got, _ := contents(t, b); !maps.Equal(got, map[string]int64{"b": 1, "c": 1}) {
		t.Error(got)
	}
}

// TestSweepFails: a manifest that cannot be read ends it before anything is removed.
func TestSweepFails(t *testing.T) {
	k, b := newFake(t)
	w := newWriter(t, b, numbers())
	for i := range 3 {
		if err := errors.Join(w.Add(t.Context(), numberDoc(fmt.Sprint(i), i)), w.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
		k.pass(2 * time.Hour)
	}
	k.objects[segmentKey(newID())] = fakeObject{[]byte("left"), time.Time{}}
	before := len(k.keys(""))
	good := k.objects[manifestKey(4)]
	k.objects[manifestKey(4)] = fakeObject{good.content[:100], good.time}
	if _, err := Sweep(t.Context(), b, SweepOptions{}); err == nil || len(k.keys("")) != before {
		t.Errorf("%v; left are %q", err, k.keys(""))
	}
	k.objects[manifestKey(4)] = good
	k.before = func(_ context.Context, op, key string) error {
		if op == "delete" && key != "" && !strings.HasPrefix(key, clockFolder) {
			return errRefused
		}
		return nil
	}
	if _, err := Sweep(t.Context(), b, SweepOptions{Retention: time.Hour}); !errors.Is(err, errRefused) {
		t.Error(err)
	}
	if _, err := Sweep(t.Context(), b, SweepOptions{Retention: time.Minute}); err == nil {
		t.Error("a retention of a minute")
	}
}

// TestCopies: an index goes to a bucket and comes back.
func TestCopies(t *testing.T) {
	_, b := newFake(t)
	w := newWriter(t, b, numbers())
	if err := errors.Join(w.Add(t.Context(), numberDoc("a", 1)), w.Add(t.Context(), numberDoc("b", 2)), w.Commit(t.Context()),
		w.Delete(t.Context(), []byte("a")), w.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "index")
	if err := Export(t.Context(), b, 0, dir); err != nil {
		t.Fatal(err)
	}
	_, other := newFake(t)
	for range 2 {
		if err := Import(t.Context(), other, dir, WriteOptions{Dir: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		if got, _ := contents(t, other); !maps.Equal(got, map[string]int64{"b": 2}) {
			t.Error(got)
		}
	}
	if err := Export(t.Context(), other, 0, dir); err == nil {
		t.Error("a directory that is not empty is replaced")
	}
}
