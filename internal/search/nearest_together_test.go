package search_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// together asks queries at the same time, and calls check with the answer to each, which comes from the goroutine of its number.
func together(t *testing.T, p *pool.Pool, queries []search.Query, timeout func(i int) time.Duration, check func(i int, r search.Result, err error)) {
	t.Helper()
	var all sync.WaitGroup
	for i := range queries {
		all.Go(func() {
			ctx, cancel := t.Context(), context.CancelFunc(func() {})
			if d := timeout(i); d > 0 {
				ctx, cancel = context.WithTimeout(ctx, d)
			}
			defer cancel()
			r, err := p.Search(ctx, queries[i])
			check(i, r, err)
		})
	}
	all.Wait()
}

// Queries at the same time, which look at vectors for one another, are answered as one by one: also if some end early, and beside those
// with filters.
func TestNearestTogether(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	rng := rand.New(rand.NewPCG(65, 1))
	docs := books(rng, 600)
	l := denseLibrary(t, writer.Options{}, docs, 190, true)
	r := &treeDrawer{Rand: rng, dots: true, dense: true, docs: docs, terms: map[string][]string{}}
	s, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, piece := range []int{1, 13, 64, 1000} {
		p, err := pool.New(s, pool.Options{Workers: 8, Model: []pool.Model{pool.Inter, pool.FineGrained}[rng.IntN(2)], TaskPostings: piece})
		if err != nil {
			t.Fatal(err)
		}
		for range longtest.Count(8, 100) {
			queries, want := make([]search.Query, 24), make([]search.Result, 24)
			for i := range queries {
				n, _ := r.nearest()
				if i%4 == 0 {
					n = query.And{n, query.Exists{Field: "cost"}}
				}
				queries[i] = search.Query{Node: n, K: 20}
				if want[i], err = s.Search(t.Context(), queries[i]); err != nil {
					t.Fatal(err)
				}
			}
			together(t, p, queries, func(i int) time.Duration { return time.Duration(i%5/4) * 300 * time.Microsecond }, func(i int, got search.Result, err error) {
				if ended := i%5 == 4 && errors.Is(err, context.DeadlineExceeded); !ended && (err != nil || !slices.Equal(got.Hits, want[i].Hits)) {
					t.Errorf("%s, pieces of %d: %v\n got %v\nwant %v", shown(queries[i].Node), piece, err, got.Hits, want[i].Hits)
				}
			})
		}
		p.Close()
	}
}

// A damaged vector fails queries at the same time that come across it, by its name; what others find is not changed.
func TestNearestTogetherDamaged(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	fs, name, whole := vectorFile(t, 600)
	h, err := format.ParseFile(name, whole)
	if err != nil {
		t.Fatal(err)
	}
	sec, _ := h.Section(format.SectionVectorFloats)
	whole[int64(sec.Offset)+int64(sec.Length)/4] ^= 4
	fs.Put(name, whole)
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := pool.New(s, pool.Options{Workers: 8, Model: pool.Inter, TaskPostings: 20})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	rng := rand.New(rand.NewPCG(65, 2))
	failed, answered := 0, 0
	for range 30 {
		queries := make([]search.Query, 16)
		want, errs := make([]search.Result, 16), make([]error, 16)
		for i := range queries {
			v := make([]float32, 20)
			for j := range v {
				v[j] = float32(rng.NormFloat64())
			}
			queries[i] = search.Query{Node: query.Nearest{Field: "a", Vector: v, K: []int{1, 1, 2, 2000}[i%4]}, K: 5}
			if want[i], errs[i] = s.Search(t.Context(), queries[i]); errs[i] == nil {
				answered++
			} else {
				failed++
			}
		}
		together(t, p, queries, func(int) time.Duration { return 0 }, func(i int, got search.Result, err error) {
			switch {
			case errs[i] != nil && err != nil:
				if !errors.Is(err, format.ErrCorrupt) || !strings.Contains(err.Error(), name) {
					t.Errorf("query %d: %v, alone %v", i, err, errs[i])
				}
			case errs[i] != nil || err != nil: // which vectors are looked at as floats depends on what was found before
				if queries[i].Node.(query.Nearest).K == 2000 {
					t.Errorf("query %d: %v, alone %v", i, err, errs[i])
				}
			case !slices.Equal(got.Hits, want[i].Hits):
				t.Error(fmt.Sprint(got.Hits, ", want ", want[i].Hits))
			}
		})
	}
	if failed == 0 || answered == 0 {
		t.Errorf("%d queries fail, %d do not", failed, answered)
	}
}

// A file that is cut short while it is mapped fails each query at the same time that comes to what is lost, by the file's name, and nothing else:
// also one whose vectors another query's goroutine looks at.
func TestNearestTogetherTruncated(t *testing.T) {
	longtest.NoEmulator(t, "qemu-user reports a SIGBUS without its address, and WebAssembly maps no files")
	if runtime.GOOS != "linux" {
		t.Skip("a mapped file cannot be truncated everywhere")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	rng := rand.New(rand.NewPCG(65, 3))
	draw := func() []float32 {
		v := make([]float32, 64)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		return v
	}
	var docs []writer.Doc
	for d := range 2000 {
		docs = append(docs, writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{schema.VectorValue(0, draw())}})
	}
	dir := t.TempDir()
	writeVectors(t, dir, docs)
	index, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	name := snapshot.Segments()[0].Name()
	first, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(s *search.Searcher, check func(i int, r search.Result, err error)) {
		p, err := pool.New(s, pool.Options{Workers: 8, Model: pool.FineGrained, TaskPostings: 64})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		queries := make([]search.Query, 24)
		for i := range queries {
			queries[i] = search.Query{Node: query.Nearest{Field: "a", Vector: draw(), K: 500}, K: 5}
		}
		together(t, p, queries, func(int) time.Duration { return 0 }, check)
	}
	answered := func(i int, r search.Result, err error) {
		if err != nil || len(r.Hits) != 5 {
			t.Errorf("query %d: %v, %v", i, r.Hits, err)
		}
	}
	ask(first, answered)
	s, err := first.Retain()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, x := range []interface{ Close() error }{first, snapshot, index} { // s alone keeps the file mapped
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ask(s, answered)
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, name), info.Size()/2); err != nil {
		t.Fatal(err)
	}
	ask(s, func(i int, r search.Result, err error) {
		if !errors.Is(err, format.ErrCorrupt) || !strings.Contains(err.Error(), name) {
			t.Errorf("query %d of a file that is cut short: %v, %v", i, r.Hits, err)
		}
	})
}

// writeVectors writes an index with a field of vectors, in one segment.
func writeVectors(t *testing.T, dir string, docs []writer.Doc) {
	t.Helper()
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "a", Kind: schema.Vector, Dims: 64}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, d := range docs {
		if err := w.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}
