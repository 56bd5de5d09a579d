package idxbench

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/query"
)

func TestArrivals(t *testing.T) {
	due := arrivals(2000, 10*time.Second, 1)
	if n := len(due); n < 19_000 || n > 21_000 || !slices.IsSorted(due) {
		t.Errorf("%d arrivals in 10 s at 2000/s", n)
	}
	sum, squares := 0.0, 0.0
	for i := 1; i < len(due); i++ {
		gap := (due[i] - due[i-1]).Seconds()
		sum, squares = sum+gap, squares+gap*gap
	}
	n := float64(len(due) - 1)
	mean := sum / n
	if spread := math.Sqrt(squares/n-mean*mean) / mean; spread < 0.95 || spread > 1.05 {
		t.Errorf("gaps spread by %.2f of their mean, not 1 as in a Poisson process", spread)
	}
	if due := arrivals(0.001, time.Second, 1); len(due) == 0 || due[len(due)-1] < time.Second/5 {
		t.Errorf("%v: nothing to measure", due)
	}
}

// TestAsking asks queries when they are due, each once, though the goroutine that asks them is held
// up: others help.
func TestAsking(t *testing.T) {
	const n, stuck = 2000, 100
	due := make([]time.Duration, n)
	for i := range due {
		due[i] = time.Duration(i) * 10 * time.Microsecond
	}
	a := newAsking(due, 3)
	a.replies = a.replies[:100] // some are used again, others are busy
	defer a.clock.stop()
	var asked [n]atomic.Int32
	var helped, answers atomic.Int64
	helping := make(chan struct{})
	a.ask = func(i int, done func([]query.Hit, error)) error {
		asked[i].Add(1)
		if a.clock.now() < due[i] {
			t.Errorf("query %d is asked %v too early", i, due[i]-a.clock.now())
		}
		switch {
		case i == stuck:
			time.Sleep(5 * time.Millisecond)
		case i == stuck+1: // late, and held up until another goroutine has asked
			<-helping
		case i > stuck+1 && helped.Add(1) == 1:
			close(helping)
		}
		if i == n-1 {
			return hybrid.ErrOverload
		}
		go func() {
			answers.Add(1)
			done(nil, nil)
		}()
		return nil
	}
	a.run(3)
	for i := range asked {
		if k := asked[i].Load(); k != 1 {
			t.Fatalf("query %d is asked %d times", i, k)
		}
	}
	if a.took[n-1] != refused || answers.Load() != n-1 || a.took[stuck] < 5*time.Millisecond {
		t.Errorf("%d answers, the last took %v, one that was held up %v", answers.Load(), a.took[n-1], a.took[stuck])
	}
	a = newAsking(make([]time.Duration, 10), 1)
	defer a.clock.stop()
	broken := errors.New("broken")
	a.ask = func(int, func([]query.Hit, error)) error { return broken }
	if a.run(1); a.failed.Load() == nil || *a.failed.Load() != broken {
		t.Error("the error of a query is lost")
	}
}

// TestCutTasks checks that tasks cover all blocks, and compares the counts with those
// of a slow method.
// asked is an Executor that remembers what it was asked.
type asked struct {
	mu     sync.Mutex
	counts map[int]int // by K
	groups int
}

func (a *asked) Search(context.Context, query.Query) (query.Result, error) {
	return query.Result{}, errors.New("asked alone")
}

func (a *asked) Execute(_ context.Context, queries []query.Query) ([]query.Result, error) {
	time.Sleep(time.Millisecond)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range queries {
		a.counts[q.K]++
	}
	a.groups++
	return make([]query.Result, len(queries)), nil
}

func testSaturateGroups(t *testing.T, size int) {
	queries := make([]query.Query, 10)
	for i := range queries {
		queries[i].K = i
	}
	a := &asked{counts: map[int]int{}}
	var row LoadRow
	if err := saturateGroups(t.Context(), a, queries, size, 20*time.Millisecond, &row); err != nil {
		t.Fatal(err)
	}
	for k, n := range a.counts {
		if n < size*a.groups/10-1 || n > size*a.groups/10+1 {
			t.Errorf("groups of %d: %d queries were asked, query %d %d times", size, size*a.groups, k, n)
		}
	}
	if row.Queries == 0 || row.Queries > uint64(size*a.groups) {
		t.Errorf("groups of %d: %d of %d answers count", size, row.Queries, size*a.groups)
	}
}

// TestSaturateGroups asks groups longer and shorter than the log: every query comes as often as
// any other, give or take the last groups.
func TestSaturateGroups(t *testing.T) {
	for _, size := range []int{1, 3, 10, 64} {
		synctest.Test(t, func(t *testing.T) { testSaturateGroups(t, size) })
	}
	for _, c := range []struct{ a, b, want int }{{0, 10, 0}, {5, 25, 75}, {10, 20, 100}, {35, 45, 50}, {0, 80, 37}, {50, 60, 0}} {
		if n := within(time.Duration(c.a), time.Duration(c.b), 10, 40, 100); n < int64(c.want) || n > int64(c.want)+1 {
			t.Errorf("%d of 100 answers from %d to %d count, want %d", n, c.a, c.b, c.want)
		}
	}
}

func TestCutTasks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var lists [][]uint32
		for range rapid.IntRange(1, 4).Draw(r, "lists") {
			set := rapid.SliceOfNDistinct(rapid.Uint32Range(1, 1000), 1, 40, func(v uint32) uint32 { return v }).Draw(r, "ends")
			slices.Sort(set)
			lists = append(lists, set)
		}
		slices.SortStableFunc(lists, func(a, b []uint32) int { return len(a) - len(b) })
		per := rapid.IntRange(1, 5).Draw(r, "per")
		tasks, skips, overlap := cutTasks(lists, per)
		// A block of a list is in a task if it holds a docID of the task's range.
		in := func(i, b int, lo, hi uint32) bool {
			from := uint32(0)
			if b > 0 {
				from = lists[i][b-1] + 1
			}
			return from <= hi && lists[i][b] >= lo
		}
		wantTasks, wantSkips, wantOverlap, lo, lastLo, lastHi := 0, 0, 0, uint32(0), uint32(0), uint32(0)
		for b := 0; b < len(lists[0]); b += per {
			hi := lists[0][min(b+per, len(lists[0]))-1]
			for i := range lists {
				for k := range lists[i] {
					if in(i, k, lo, hi) {
						wantSkips++
						if wantTasks > 0 && in(i, k, lastLo, lastHi) {
							wantOverlap++
						}
					}
				}
			}
			wantTasks++
			lastLo, lastHi, lo = lo, hi, hi+1
		}
		n := float64(len(lists))
		if tasks != wantTasks || math.Abs(skips*n-float64(wantSkips)) > 1e-6 || math.Abs(overlap*n-float64(wantOverlap)) > 1e-6 {
			r.Fatalf("%d tasks, %.2f blocks, %.2f twice; not %d, %d, %d", tasks, skips*n, overlap*n, wantTasks, wantSkips, wantOverlap)
		}
	})
}

// TestLoadPrints prints what the rows of a load are worth: refused queries, and why the GPU was given
// up in any row.
func TestLoadPrints(t *testing.T) {
	l := &Load{Rows: []LoadRow{
		{Device: "hybrid", Offered: 1000, Throughput: 360, Queries: 36, Shed: 64, Mean: 3, Shares: &Shares{CPU: 10, Retired: "the GPU does not answer"}},
		{Device: "serial", Alone: true, Pause: 1000, Mean: 3, Shares: &Shares{CPU: 5, GPU: 5}},
	}}
	var out bytes.Buffer
	l.text(&out)
	lines := strings.Split(out.String(), "\n")
	for _, want := range [][]string{{"hybrid", "1000", "64"}, {"serial", "after", "1ms"}, {"hybrid", "1000", "100 %"}, {"serial", "-", "50.0 %", "50.0 %"}, {"the GPU is not used: the GPU does not answer"}} {
		if !slices.ContainsFunc(lines, func(line string) bool {
			for _, part := range want {
				_, after, ok := strings.Cut(line, part)
				if !ok {
					return false
				}
				line = after
			}
			return true
		}) {
			t.Errorf("no line with %q:\n%s", want, out.String())
		}
	}
}

// TestLoadCSV writes a row of each kind: what it did not measure is empty.
func TestLoadCSV(t *testing.T) {
	shares := &Shares{CPU: 20, GPU: 30, Batches: 4, CPUStole: 1, GPUMissed: 2, Most: 17, Threshold: -1.5, CPUPace: 1.25, GPUPace: 1, Retired: "lost"}
	l := &Load{Mode: "or", K: 20, deadline: time.Second, Rows: []LoadRow{
		{Device: onCPU, Model: "inter", Workers: 2, Throughput: 50, Queries: 100, CPUs: 2},
		{Device: onCPU, Model: "inter", Workers: 2, Alone: true, Pause: 500, Throughput: 50, Queries: 100, CPUs: 1, Mean: 3, P50: 3, P95: 3, P99: 3, P999: 3, Max: 3},
		{Device: "hybrid", Model: "inter", Workers: 2, Offered: 1000, Throughput: 50, Queries: 100, CPUs: 1, Mean: 3, P50: 3, P95: 3, P99: 3, P999: 3, Max: 3, Missed: 2, Shed: 5, Shares: shares},
	}}
	var out bytes.Buffer
	if err := l.csv(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for row, want := range []map[string]string{
		{"offered_qps": "0", "mean_us": "", "missed": "", "shed": "", "mode": "or", "k": "20", "alone": "false", "pause_us": "", "cpu_queries": "100", "batches": "", "most_waiting": "", "threshold": "", "retired": ""},
		{"offered_qps": "", "mean_us": "3", "missed": "0", "shed": "", "alone": "true", "pause_us": "500", "gpu_missed": "", "cpu_pace": ""},
		{"offered_qps": "1000", "missed": "2", "shed": "5", "alone": "false", "cpu_queries": "20", "gpu_queries": "30", "cpu_stole": "1", "batches": "4", "cpu_missed": "0", "gpu_missed": "2",
			"most_waiting": "17", "threshold": "-1.5", "cpu_pace": "1.25", "gpu_pace": "1", "retired": "lost"},
	} {
		for column, v := range want {
			if at := slices.Index(rows[0], column); at < 0 || rows[row+1][at] != v {
				t.Errorf("row %d, %s: %q, want %q", row, column, rows[row+1], v)
			}
		}
	}
	l.deadline = 0
	if got := l.record(&l.Rows[2]); got[slices.Index(csvHead, "missed")] != "" || got[slices.Index(csvHead, "gpu_missed")] != "" {
		t.Errorf("without a deadline: %q", got)
	}
}
