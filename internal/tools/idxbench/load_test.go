package idxbench

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/loadtest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// TestLoadPrints prints what the rows of a load are worth: refused queries, and why the GPU was given
// up in any row.
func TestLoadPrints(t *testing.T) {
	l := &Load{Rows: []LoadRow{
		{Device: "hybrid", Offered: 1000, Result: loadtest.Result{Throughput: 360, Queries: 36, Shed: 64, Mean: 3}, Shares: &Shares{CPU: 10, Retired: "the GPU does not answer"}},
		{Device: "gpu", Alone: true, Pause: 1000, Result: loadtest.Result{Mean: 3}, Shares: &Shares{CPU: 5, GPU: 5}},
	}}
	var out bytes.Buffer
	l.Text(&out)
	lines := strings.Split(out.String(), "\n")
	for _, want := range [][]string{{"hybrid", "1000", "64"}, {"gpu", "after", "1ms"}, {"hybrid", "1000", "100 %"}, {"gpu", "-", "50.0 %", "50.0 %"}, {"the GPU is not used: the GPU does not answer"}} {
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
	shares := &Shares{CPU: 20, GPU: 30, Batches: 4, GPUMissed: 2, Most: 17, CPUTime: 1.25, GPUTime: 80, Retired: "lost"}
	answered := loadtest.Result{Throughput: 50, Queries: 100, CPUs: 1, Mean: 3, P50: 3, P95: 3, P99: 3, P999: 3, Max: 3}
	late := answered
	late.Missed, late.Shed = 2, 5
	l := &Load{Mode: "or", K: 20, deadline: time.Second, Rows: []LoadRow{
		{Device: onCPU, Model: "inter", Workers: 2, Result: loadtest.Result{Throughput: 50, Queries: 100, CPUs: 2}},
		{Device: onCPU, Model: "inter", Workers: 2, Alone: true, Pause: 500, Result: answered},
		{Device: "hybrid", Model: "inter", Workers: 2, Offered: 1000, Result: late, Shares: shares},
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
		{"offered_qps": "0", "mean_us": "", "missed": "", "shed": "", "mode": "or", "k": "20", "alone": "false", "pause_us": "", "cpu_queries": "100", "batches": "", "most_waiting": "", "retired": ""},
		{"offered_qps": "", "mean_us": "3", "missed": "0", "shed": "", "alone": "true", "pause_us": "500", "gpu_missed": "", "cpu_us": ""},
		{"offered_qps": "1000", "missed": "2", "shed": "5", "alone": "false", "cpu_queries": "20", "gpu_queries": "30", "batches": "4", "cpu_missed": "0", "gpu_missed": "2",
			"most_waiting": "17", "cpu_us": "1.25", "gpu_us": "80", "retired": "lost"},
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

// Queries of a log have the parameters of --k1 and --b that are given; the others are the schema's.
func TestLoadParams(t *testing.T) {
	f := &loadFlags{mode: cli.NewChoice("MODE", query.ModeOr.String()), algo: search.Auto.String(), k: 3, own: query.Params{K1: 2}}
	queries, err := f.ask([]question{{text: "rose"}, {text: "a vase"}})
	if err != nil || len(queries) != 2 {
		t.Fatal(queries, err)
	}
	for _, q := range queries {
		if (q.Params != query.Params{K1: 2}) {
			t.Errorf("%q is asked with %+v", q.Text, q.Params)
		}
	}
}
