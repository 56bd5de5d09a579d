package tatikonda

import (
	"math"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// TestModels compares the number of documents that each model finds with those of the
// lists.
func TestModels(t *testing.T) {
	s, err := corpus.New("UK", 1./250)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []int{64, 512, 2048} {
		e, err := newEngine(s, b, 3)
		if err != nil {
			t.Fatal(err)
		}
		for m := inter; m <= fgqp; m++ {
			got := make([]int64, len(e.queries))
			source := make(chan *asked, len(e.queries))
			for i, q := range e.queries {
				source <- &asked{terms: q, done: func(a *asked) { got[i] = a.found.Load() }}
			}
			close(source)
			e.run(m, source)
			for i, q := range e.queries {
				if want := int64(len(s.Intersect(q))); got[i] != want {
					t.Fatalf("%v, blocks of %d: query %d finds %d documents, the lists have %d", m, b, i, got[i], want)
				}
			}
		}
	}
}

// TestTasks makes the tasks of the paper's figure 3: a list with skips every second docID.
func TestTasks(t *testing.T) {
	s, err := corpus.New("UK", 1./250)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newEngine(s, 64, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range e.queries[:20] {
		tasks := e.tasks(&asked{terms: q}, nil)
		if want := (len(s.Lists[q[0]]) + 63) / 64; len(tasks) != want {
			t.Fatalf("%d tasks of a list of %d", len(tasks), len(s.Lists[q[0]]))
		}
		for _, k := range tasks {
			for _, u := range k.subs {
				if u.from >= u.to || u.at[u.from] > k.lo && u.from > 0 || u.to < len(u.at) && u.at[u.to] < k.hi {
					t.Fatalf("task [%d, %d) has blocks %d to %d", k.lo, k.hi, u.from, u.to)
				}
			}
		}
	}
}

// TestRelativeTo compares series with INTER on one core: the paper's, or the engine's by the
// same algorithm.
func TestRelativeTo(t *testing.T) {
	var rows []paper.Row
	for _, s := range []struct {
		name     string
		one, two float64
	}{{"INTER", 100, 190}, {"FGQP (κ = 5)", 90, 150}, {"the engine's inter", 1000, 2000}, {"the engine's inter, Small Adaptive", 500, 1000}, {"the engine's fgqp, Small Adaptive", 400, 750}} {
		rows = append(rows, paper.Row{Metric: "throughput", Series: s.name, At: "2", X: 2, Value: s.two}, paper.Row{Metric: gain, Series: s.name, At: "1", X: 1, Value: 17},
			paper.Row{Metric: "throughput", Series: s.name, At: "1", X: 1, Value: s.one})
	}
	slices.Reverse(rows) // INTER comes last
	got := figure4a.Follow(rows)
	want, less := []float64{0.8, 1.5, 1, 2, 1, 2, 0.9, 1.5, 1, 1.9}, []float64{10, 100 * (1 - 150./190)}
	if len(got) != len(want)+len(less) {
		t.Fatalf("%d rows, want %d", len(got), len(want)+len(less))
	}
	for i, r := range got[len(want):] {
		if r.Metric != lost || r.Series != withThreshold(5) || math.Abs(r.Value-less[i]) > 1e-9 {
			t.Errorf("%s of %s on %s is %v, want %v of %s", r.Metric, r.Series, r.At, r.Value, less[i], withThreshold(5))
		}
	}
	for i, r := range got[:len(want)] {
		if r.Metric != gain || r.Value != want[i] {
			t.Errorf("%s of %s on %s is %v, want %v", r.Metric, r.Series, r.At, r.Value, want[i])
		}
	}
}

// TestSharedSkips counts the skips that tasks share with the one before them: of the first
// list never one, so that it does not count, nor does the first task.
func TestSharedSkips(t *testing.T) {
	var lists [][]uint32
	for _, at := range [][]uint32{
		{0, 100, 200},
		{0, 50, 150},  // its skips lie across those of the first
		{0, 100, 200}, // as those of the first
	} {
		var l []uint32
		for _, first := range at {
			for i := range uint32(32) {
				l = append(l, first+i)
			}
		}
		lists = append(lists, l)
	}
	encoded, err := encode(lists, 32)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query                      []int
		skips, overlap, overlapAll float64
	}{
		{[]int{0, 1}, (1.5 + 1.5 + 1) / 3, 1, 1. / 3},
		{[]int{0, 2}, 1, 0, 0},
		{[]int{0, 1, 2}, (4./3 + 4./3 + 1) / 3, 1. / 2, 2. / 9},
		{[]int{0}, 1, 0, 0},
	} {
		var got taskCost
		got.count(&engine{lists: encoded, queries: [][]int{c.query}})
		for _, v := range [][2]float64{{got.perQuery, 3}, {got.skips, c.skips}, {got.overlap, c.overlap}, {got.overlapAll, c.overlapAll}} {
			if math.Abs(v[0]-v[1]) > 1e-12 {
				t.Errorf("query %v: %v tasks, S_avg %v, O_avg %v, %v over all; want 3, %v, %v, %v", c.query, got.perQuery, got.skips, got.overlap, got.overlapAll, c.skips, c.overlap, c.overlapAll)
				break
			}
		}
	}
}
