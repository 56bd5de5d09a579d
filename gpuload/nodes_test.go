//go:build emu && cgo && !cuda

package gpuload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// asked counts the queries that a Searcher is asked.
type asked struct {
	*query.Searcher
	n int
}

func (a *asked) Execute(ctx context.Context, queries []query.Query) ([]query.Result, error) {
	a.n += len(queries)
	return a.Searcher.Execute(ctx, queries)
}

// The CPU answers all queries over an index with a schema.
func TestFieldsOnCPU(t *testing.T) {
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.KindText}, {Name: "body", Kind: schema.KindText, Lengths: schema.LengthsByte}}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 400 {
		text := fmt.Appendf(nil, "all t%d t%d", i%2, i%7)
		err = errors.Join(err, w.AddDoc(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.TextValue(i%2, text)}}))
	}
	if err := errors.Join(err, w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	index, err := reader.OpenFS(fs)
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	s, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	searcher, err := query.NewSearcher(s, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer searcher.Close()
	cpu := &asked{Searcher: searcher}
	x, err := New(newDevice(cuda.NewEmulator()), s, Options{Memory: 1 << 20, CPU: cpu})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	queries := []query.Query{{Text: "all t1"}, {Node: query.Match{Field: "body", Text: "t1 t2", Mode: query.And}}, {Node: query.Term{Field: "title", Term: []byte("t3")}, K: 7}}
	want, err := searcher.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Execute(t.Context(), queries)
	if err != nil || cpu.n != len(queries) || !errors.Is(x.Err(), ErrUnsupported) {
		t.Fatalf("%v, %d queries on the CPU, %v", err, cpu.n, x.Err())
	}
	for i := range queries {
		if len(want[i].Hits) == 0 || !slices.Equal(got[i].Hits, want[i].Hits) {
			t.Errorf("%+v: %d hits, want %d", queries[i], len(got[i].Hits), len(want[i].Hits))
		}
	}
	if _, err := x.Execute(t.Context(), []query.Query{{RawTerms: [][]byte{[]byte("all")}}}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("a term without a field: %v", err)
	}
	if alone, err := New(newDevice(cuda.NewEmulator()), s, Options{Memory: 1 << 20}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("without a CPU: %v", errors.Join(err, alone.Close()))
	}
}

// The device answers nodes that say what terms and a mode say. The CPU answers those with boosts, and queries for
// the hits after another; without one they are refused.
func TestNodesOnCPU(t *testing.T) {
	s := openSnapshot(t)
	searcher, err := query.NewSearcher(s, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer searcher.Close()
	cpu := &asked{Searcher: searcher}
	x, err := New(newDevice(cuda.NewEmulator()), s, Options{Memory: 1 << 20, CPU: cpu})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	alone, err := New(newDevice(cuda.NewEmulator()), s, Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, alone)
	match := query.Match{Text: "all t1 t7", Mode: query.And}
	boosted := query.Match{Text: "all t1 t7", Boost: 3}
	for _, c := range []struct {
		q     query.Query
		onCPU int
	}{
		{query.Query{Node: match}, 0}, {query.Query{Node: query.Any{Nodes: []query.Node{match}}}, 0}, {query.Query{Text: "all t1"}, 0},
		{query.Query{Node: boosted}, 1}, {query.Query{Text: "all", After: &query.Position{Score: 0.01, Doc: 20}}, 1},
		{query.Query{Node: query.Match{}}, 0}, {query.Query{After: &query.Position{}}, 1},
	} {
		want, err := searcher.Search(t.Context(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		cpu.n = 0
		got, err := x.Execute(t.Context(), []query.Query{c.q})
		if err != nil || !slices.Equal(got[0].Hits, want.Hits) || cpu.n != c.onCPU {
			t.Errorf("%+v: %v, %d queries on the CPU", c.q, err, cpu.n)
		}
		if _, err := alone.Execute(t.Context(), []query.Query{c.q}); errors.Is(err, ErrUnsupported) != (c.onCPU > 0) {
			t.Errorf("%+v without a CPU: %v", c.q, err)
		}
	}
	if _, err := x.NewConjunction(t.Context(), []query.Query{{Node: boosted}}, 0, Auto); !errors.Is(err, ErrUnsupported) {
		t.Errorf("conjunction of a node with boosts: %v", err)
	}
}
