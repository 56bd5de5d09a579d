package pool

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// A fault amid a query leaves nothing behind: the worker gives right answers afterwards.
func TestAnswersAfterFault(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a mapped file cannot be truncated everywhere")
	}
	rng := rand.New(rand.NewPCG(51, 52))
	docs := make([][]string, 30000)
	for d := range docs {
		docs[d] = []string{"filler"}
		for _, w := range []string{"aa", "bb", "cc"} {
			if rng.IntN(10) == 0 {
				docs[d] = append(docs[d], w)
			}
		}
		for range rng.IntN(4) {
			docs[d] = append(docs[d], "zz")
		}
	}
	dir := querytest.Directory(t, writer.Options{}, docs, nil)
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snapshot, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ctx := context.Background()
	seg := snapshot.Segments()[0]
	name := filepath.Join(dir, seg.Name())
	damaged := search.Query{RawTerms: querytest.Terms("aa", "zz"), K: len(docs)}
	whole := search.Query{RawTerms: querytest.Terms("bb", "cc"), K: len(docs)}
	want, err := s.Search(ctx, whole)
	if err != nil {
		t.Fatal(err)
	}
	cut := frequencies(t, seg, "zz") &^ (format.PageSize - 1)
	for _, m := range models {
		p := newTestPool(t, s, Options{Workers: 1, Model: m})
		for _, q := range []search.Query{damaged, whole} { // so that no memory grows after the fault
			if _, err := p.Search(ctx, q); err != nil {
				t.Fatal(err)
			}
		}
		restore := truncate(t, name, cut)
		if _, err := p.Search(ctx, damaged); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%v: a query of a truncated file gives %v", m, err)
		}
		restore()
		for range 2 { // on the caller's goroutine, and on the worker's
			if got, err := p.Search(ctx, whole); err != nil || !slices.Equal(got.Hits, want.Hits) {
				t.Errorf("%v: after a fault: %v, %s", m, err, difference(want.Hits, got.Hits))
			}
			got, err := p.Execute(ctx, []search.Query{whole})
			if err != nil || !slices.Equal(got[0].Hits, want.Hits) {
				t.Errorf("%v: after a fault: %v", m, err)
			}
		}
	}
}

// frequencies returns where the frequencies of word begin in the file of seg.
func frequencies(t *testing.T, seg *reader.Segment, word string) int64 {
	t.Helper()
	e, _, err := seg.Lookup([]byte(word))
	if err != nil {
		t.Fatal(err)
	}
	l, err := seg.Views().Lists().List(e)
	if err != nil {
		t.Fatal(err)
	}
	postings, _ := seg.Header().Section(format.SectionPostings)
	for _, part := range l.Layout() {
		if part.Name == "freqs" {
			return postings.Offset + e.Offset + part.Offset
		}
	}
	t.Fatalf("no frequencies of %s", word)
	return 0
}

// truncate cuts a file until restore is called.
func truncate(t *testing.T, name string, size int64) (restore func()) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err == nil {
		err = os.Chmod(name, 0o644)
	}
	if err == nil {
		err = os.Truncate(name, size)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
