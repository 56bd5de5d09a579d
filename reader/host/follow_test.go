package host_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"
)

// A Reader over a web server goes on to the commits that come into its directory, also when one is gone before it was read; one of a
// commit that was asked for by its number stays.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	index, err := pinion.Open(t.Context(), dir, pinion.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	add := func(id string) {
		t.Helper()
		if err := errors.Join(index.Add(t.Context(), pinion.Text(id, "rose "+id)), index.Sync(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	add("a")
	url, requests, _ := counted(t, dir, nil)
	files, err := host.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	open := func(s reader.Source) *pinion.Reader {
		t.Helper()
		r, err := pinion.ReaderOptions{Refresh: 1, NoCache: true}.OpenSource(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	found := func(r *pinion.Reader) string {
		t.Helper()
		page, err := r.Search(t.Context(), pinion.Request{Query: query.Match{Text: "rose"}, Fields: []string{"text"}})
		if err != nil {
			t.Fatal(err)
		}
		ids := ""
		for _, h := range page.Hits {
			ids += h.ID
		}
		return ids
	}
	follows := open(files)
	one, err := reader.Open(t.Context(), files, reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := one.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := host.OpenCommit(t.Context(), url, s.Generation())
	if err != nil {
		t.Fatal(err)
	}
	stays := open(pinned)
	if a, b := found(follows), found(stays); a != "a" || b != "a" {
		t.Errorf("%q, %q", a, b)
	}
	for i, want := range []string{"ab", "abc", "abcd"} {
		add(want[i+1:])
		if got := found(follows); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	before := requests.Load()
	if got := found(follows); got != "abcd" || requests.Load() > before+2 {
		t.Errorf("%q by %d requests where nothing is new", got, requests.Load()-before)
	}
	if changed, err := one.Refresh(t.Context()); !changed || err != nil {
		t.Errorf("an Index of package reader: %v, %v", changed, err)
	}
	if got := found(stays); got != "a" {
		t.Errorf("a commit with a number goes on to %q", got)
	}
	if err := errors.Join(s.Close(), one.Close()); err != nil {
		t.Error(err)
	}
}

// What the manifest names and the server has no more is an expired commit.
func TestExpired(t *testing.T) {
	dir := t.TempDir()
	build(t, dir)
	url, _, _ := counted(t, dir, nil)
	files, err := host.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	segments, err := filepath.Glob(filepath.Join(dir, "segment-*"))
	if err != nil || len(segments) == 0 {
		t.Fatal(fmt.Errorf("no segments: %w", err))
	}
	for _, name := range segments {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := reader.Open(t.Context(), files, reader.Options{}); !errors.Is(err, reader.ErrExpired) {
		t.Errorf("%v", err)
	}
}
