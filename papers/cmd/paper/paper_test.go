package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// TestPapers checks what the experiments say of themselves.
func TestPapers(t *testing.T) {
	n, seen := 0, map[string]bool{}
	for _, p := range papers() {
		for i := range p.Experiments {
			x := &p.Experiments[i]
			n++
			if seen[x.Name] || !strings.HasPrefix(x.Name, p.Key+"-") {
				t.Errorf("%q is a bad name", x.Name)
			}
			seen[x.Name] = true
			if x.CPU == nil && x.GPU == nil && x.Missing == "" {
				t.Errorf("%s draws nothing and does not say why", x.Name)
			}
			if (x.CPU != nil || x.GPU != nil) && (x.Judge == nil || x.Data == "") {
				t.Errorf("%s has no verdict or no data", x.Name)
			}
			for _, c := range x.Claims {
				if c < 1 || c > len(p.Claims) {
					t.Errorf("%s tests claim %d of %d", x.Name, c, len(p.Claims))
				}
			}
		}
		for c := range p.Claims {
			if len(p.Tests(c+1)) == 0 {
				t.Errorf("nothing tests claim %d of %s", c+1, p.Title)
			}
		}
	}
	if n != 42 {
		t.Errorf("%d tables and figures, not 42", n)
	}
}

// TestJudges judges reports without rows, and with rows of the paper's own numbers.
func TestJudges(t *testing.T) {
	for _, p := range papers() {
		for i := range p.Experiments {
			x := &p.Experiments[i]
			r := paper.NewReport(p, x)
			for _, c := range x.Claims {
				if !slices.ContainsFunc(r.Verdicts, func(v paper.Verdict) bool { return v.Claim == c && v.Holds == paper.Untested }) {
					t.Errorf("%s judges claim %d without a run", x.Name, c)
				}
			}
			run := &paper.Run{Experiment: x.Name, Half: paper.CPUHalf}
			for k, v := range x.Paper {
				run.Rows = append(run.Rows, paper.Row{Metric: k.Metric, Series: k.Series, At: k.At, Value: v})
			}
			if r = paper.NewReport(p, x, run); len(r.Verdicts) < len(x.Claims) {
				t.Errorf("%s: %d verdicts for %d claims", x.Name, len(r.Verdicts), len(x.Claims))
			}
		}
	}
}

// TestMixedJudges judges recorded runs of which that on the CPU is of another scale, as if measured here:
// no verdict sets its rows beside the others'.
func TestMixedJudges(t *testing.T) {
	for _, p := range papers() {
		for i := range p.Experiments {
			x := &p.Experiments[i]
			var runs []*paper.Run
			for _, h := range paper.Halves() {
				r, err := paper.Recorded(x.Name, h)
				if err != nil {
					t.Fatal(err)
				}
				if r != nil && h == paper.CPUHalf {
					r.Scale = "1/256"
				}
				if r != nil {
					runs = append(runs, r)
				}
			}
			if len(runs) < 2 || runs[0].Half != paper.CPUHalf {
				continue
			}
			here, there := paper.NewReport(p, x, runs[0]).Verdicts, paper.NewReport(p, x, runs[1:]...).Verdicts
			for _, v := range paper.NewReport(p, x, runs...).Verdicts {
				if v.Holds != paper.Untested && !slices.Contains(here, v) && !slices.Contains(there, v) {
					t.Errorf("%s: %+v is of runs of several scales", x.Name, v)
				}
			}
		}
	}
}

var update = flag.Bool("update", false, "rewrite results.md and its charts")

// TestPage compares results.md and its charts with what recorded runs give.
func TestPage(t *testing.T) {
	root := filepath.Join("..", "..")
	var reports []*paper.Report
	for _, p := range papers() {
		for i := range p.Experiments {
			x := &p.Experiments[i]
			var runs []*paper.Run
			for _, h := range paper.Halves() {
				r, err := paper.Recorded(x.Name, h)
				if err != nil {
					t.Fatal(err)
				}
				if r != nil && r.Stale() != "" {
					t.Logf("%s, %s: the recorded run is stale: %s", x.Name, h, r.Stale())
				}
				runs = append(runs, r)
			}
			r := paper.NewReport(p, x, runs...)
			reports = append(reports, r)
			if len(r.Runs) > 0 {
				var b bytes.Buffer
				if err := r.Draw(&b); err != nil {
					t.Fatal(err)
				}
				same(t, filepath.Join(root, "figures", x.Name+".svg"), b.Bytes())
			}
		}
	}
	same(t, filepath.Join(root, "results.md"), paper.Page("figures", papers(), reports))
}

// same compares a file, or rewrites it.
func same(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, want, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		t.Errorf("%s is not what the recorded runs give; -update rewrites it", path)
	}
}

// TestFailures measures rows that cannot be measured: others stand in their place, and the
// command fails at its end, unless the device has too little memory for --device auto.
func TestFailures(t *testing.T) {
	for _, x := range []struct {
		name, device, want string
		err                error
		failed             int
	}{
		{"ao-tab1", "auto", "are recorded ones", gpu.ErrMemory, 0},
		{"new", "auto", "are left out", gpu.ErrMemory, 0},
		{"new", "cpu", "are left out", gpu.ErrMemory, 1},
		{"ao-tab1", "auto", "are recorded ones", io.ErrShortWrite, 1},
	} {
		e := &paper.Experiment{Name: x.name, CPU: func(context.Context, *paper.Env) ([]paper.Row, error) {
			return nil, fmt.Errorf("lists: %w", x.err)
		}}
		cmd := command()
		cmd.SetContext(t.Context())
		var text bytes.Buffer
		cmd.SetErr(&text)
		f := &flags{device: cli.NewChoice("DEVICE", x.device), which: cli.NewChoice("HALF", "all")}
		r, err := f.half(cmd, &paper.Env{}, e, paper.CPUHalf)
		if r != nil || err != nil || f.failed != x.failed {
			t.Errorf("%s on %s: %v, %v, %d failed", x.name, x.device, r, err, f.failed)
		}
		for _, want := range []string{x.name, x.want, x.err.Error()} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s on %s: %q lacks %q", x.name, x.device, &text, want)
			}
		}
	}
}

// TestParseScale parses what --scale takes.
func TestParseScale(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "1/4": 0.25, "0.5": 0, "0.3": 0, "1/2.5": 0, "2": 0, "1/0": 0, "-1": 0, "x": 0} {
		got, err := parseScale(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %g, %v", text, got, err)
		}
	}
}
