//go:build emu && cgo && !cuda

package gpu

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// The device answers nodes, also those with boosts, pages behind a hit and totals. The CPU answers queries for terms that a pattern stands
// for, and those of which it says what is wrong; without one they are refused. A Stepper gives the same answers.
func TestNodesOnCPU(t *testing.T) {
	s := openSnapshot(t)
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
	match := query.Match{Text: "all t1 t7", Mode: query.ModeAnd}
	boosted := query.Match{Text: "all t1 t7", Boost: 3}
	for _, c := range []struct {
		q     search.Query
		onCPU int
	}{
		{search.Query{Node: match}, 0}, {search.Query{Node: query.Bool{Should: []query.Node{match}}}, 0}, {search.Query{Text: "all t1"}, 0},
		{search.Query{Node: boosted}, 0}, {search.Query{Text: "all", After: &search.Position{Score: 0.01, Doc: 20}}, 0},
		{search.Query{Node: query.Fuzzy{Text: "t1"}}, 1}, {search.Query{Node: query.Bool{Must: []query.Node{match, query.Prefix{Text: "t1"}}}}, 1},
		{search.Query{Node: query.Match{}}, 0}, {search.Query{After: &search.Position{}}, 0},
		{search.Query{Text: "all t1", Total: true}, 0}, {search.Query{RawTerms: [][]byte{[]byte("t1"), []byte("all")}, Mode: query.ModeAnd, Total: true}, 0},
		{search.Query{Node: query.Const{Node: match}, Total: true}, 1}, {search.Query{Node: query.Bool{Must: []query.Node{boosted}, MustNot: []query.Node{query.Term{Text: "t7"}}}}, 0},
	} {
		want, err := searcher.Search(t.Context(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		cpu.n = 0
		got, err := x.Execute(t.Context(), []search.Query{c.q})
		if err != nil || !slices.Equal(got[0].Hits, want.Hits) || got[0].Total != want.Total || cpu.n != c.onCPU {
			t.Errorf("%+v: %v, %d queries on the CPU", c.q, err, cpu.n)
		}
		if r, err := steps.Search(t.Context(), c.q, nil); err != nil || !slices.Equal(r.Hits, want.Hits) || r.Total != want.Total {
			t.Errorf("%+v step by step: total %d, want %d, %v", c.q, r.Total, want.Total, err)
		}
		if _, err := alone.Execute(t.Context(), []search.Query{c.q}); errors.Is(err, ErrUnsupported) != (c.onCPU > 0) {
			t.Errorf("%+v without a CPU: %v", c.q, err)
		}
	}
	if err := steps.Close(); err != nil {
		t.Error(err)
	}
	if _, err := x.NewConjunction(t.Context(), []search.Query{{Node: boosted}}, 0, Auto); !errors.Is(err, ErrUnsupported) {
		t.Errorf("conjunction of a disjunction: %v", err)
	}
}

// A conjunction's total counts all matches, also if others in its batch, which want none, have more passes than one.
func TestTotalsBesideOthers(t *testing.T) {
	s := newStepper(t, stepIndex(t, "", 9000, 1), Options{Memory: 8 << 20}, StepOptions{})
	var queries []search.Query
	for i := range 40 {
		q := search.Query{RawTerms: [][]byte{[]byte("w0"), fmt.Append(nil, "w", 1+i%5)}, Mode: query.ModeAnd, K: 1 + i%7, Total: i%3 == 0}
		if i%4 == 0 {
			q.Mode, q.RawTerms = query.ModeOr, nil
			q.Node = query.Bool{Must: []query.Node{query.Term{Text: "w0"}, query.Term{Text: "w1"}}, MustNot: []query.Node{query.Term{Text: fmt.Sprint("w", 2+i%5)}}}
		}
		queries = append(queries, q)
	}
	compareTotals(t, s.x, s.cpu, queries)
}
