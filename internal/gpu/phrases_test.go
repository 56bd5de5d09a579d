//go:build emu && cgo && !cuda

package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// placedIndex writes an index of several segments that says where words stand, some documents of which are deleted.
func placedIndex(t *testing.T) *reader.Index {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 37))
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "body", Kind: schema.Text, Analyzer: "whitespace", Positions: true}}}})
	for d := 0; d < 1500 && err == nil; d++ {
		var words []string
		for range 1 + rng.IntN(30) {
			words = append(words, fmt.Sprint("t", int(20*rng.Float64()*rng.Float64())))
		}
		err = w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{schema.TextValue(0, []byte(strings.Join(words, " ")))}})
		if err == nil && d%500 == 499 {
			err = w.Commit(t.Context())
		}
	}
	for d := 0; d < 1500 && err == nil; d += 7 {
		err = w.Delete(t.Context(), fmt.Append(nil, d))
	}
	if err == nil {
		err = errors.Join(w.Commit(t.Context()), w.Close())
	}
	x, openErr := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err = errors.Join(err, openErr); err != nil {
		t.Fatal(err)
	}
	return x
}

// The CPU answers phrases, alone, under a filter and among other queries, whoever is asked. Without one they are refused.
func TestPhrasesOnCPU(t *testing.T) {
	index := placedIndex(t)
	defer index.Close()
	s, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	searcher, err := search.NewSearcher(s, search.Options{})
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
	steps, err := NewStepper(x, searcher, StepOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer steps.Close()
	match := search.Query{Node: query.Match{Text: "t0 t3", Mode: query.ModeAnd}}
	for _, n := range []query.Node{
		query.Phrase{Text: "t0 t1"}, query.Phrase{Text: "t2 t0 t0"}, query.Phrase{Text: "t1 t4", Slop: 3}, query.Phrase{Text: "t0 t1", Prefix: true},
		query.Near{Text: "t5 t0", Distance: 4}, query.Near{Text: "t0 t2", Distance: 2, Ordered: true},
		query.Bool{Must: []query.Node{query.Phrase{Text: "t0 t1"}}, Filter: []query.Node{query.IDs{"3", "31", "900"}}},
		query.Bool{Must: []query.Node{query.Phrase{Text: "t0 t1"}}, Should: []query.Node{query.Match{Text: "t6"}}},
	} {
		q := search.Query{Node: n, K: 25}
		want, err := searcher.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if _, filtered := n.(query.Bool); len(want.Hits) == 0 && !filtered {
			t.Errorf("%+v: no hits", n)
		}
		cpu.n = 0
		got, err := x.Execute(t.Context(), []search.Query{match, q, match})
		if err != nil || !slices.Equal(got[1].Hits, want.Hits) || cpu.n != 1 {
			t.Errorf("%+v: %v, %d queries on the CPU", n, err, cpu.n)
		}
		if r, err := steps.Search(t.Context(), q, nil); err != nil || !slices.Equal(r.Hits, want.Hits) {
			t.Errorf("%+v step by step: %v", n, err)
		}
		if _, err := alone.Execute(t.Context(), []search.Query{q}); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%+v without a CPU: %v", n, err)
		}
	}
}
