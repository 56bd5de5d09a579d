package paper

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/kernels"
)

// A run that answered nothing has ratios of 0 to 0, which JSON does not hold.
func TestDoLeavesOutRowsWithoutNumber(t *testing.T) {
	x := &Experiment{Name: "x", CPU: func(context.Context, *Env) ([]Row, error) {
		return []Row{{Metric: "a", Value: math.NaN()}, {Metric: "b", Value: 2}, {Metric: "c", Value: math.Inf(1)}}, nil
	}}
	r, err := x.Do(t.Context(), &Env{Scale: 1}, CPUHalf)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 1 || r.Rows[0].Metric != "b" {
		t.Errorf("rows are %v, want that of b alone", r.Rows)
	}
	if err := Record(t.TempDir(), r); err != nil {
		t.Error(err)
	}
}

// A measurement that ends early because it is canceled lacks rows: there is no run of it.
func TestDoCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x := &Experiment{Name: "x", CPU: func(context.Context, *Env) ([]Row, error) { cancel(); return nil, nil }}
	if r, err := x.Do(ctx, &Env{Scale: 1}, CPUHalf); !errors.Is(err, context.Canceled) {
		t.Errorf("run %v and error %v, want none and that of the context", r, err)
	}
}

// TestFollow shows rows that follow from others, in the place of recorded ones.
func TestFollow(t *testing.T) {
	x := &Experiment{Name: "x", Paper: Values{}.Put("twice", "s", "a", 3), Follow: func(rows []Row) (out []Row) {
		for _, r := range rows {
			if r.Metric == "once" {
				r.Metric, r.Value = "twice", 2*r.Value
				out = append(out, r)
			}
		}
		return out
	}}
	run := &Run{Half: CPUHalf, Rows: []Row{{Metric: "once", Series: "s", At: "a", Value: 5}, {Metric: "twice", Series: "s", At: "a", Value: 7}}}
	r := NewReport(&Paper{}, x, run)
	if v, ok := r.Entries.Get("twice", "s", "a"); !ok || v != 10 || len(r.Entries) != 2 || r.Entries[1].Paper == nil {
		t.Errorf("rows are %+v, want one of 10 beside the paper's 3", r.Entries)
	}
	if len(run.Rows) != 2 || run.Rows[1].Value != 7 {
		t.Errorf("the run has become %+v", run.Rows)
	}
}

// TestBesideGPU adds up the runs of hosts with a GPU, those of their CPU too.
func TestBesideGPU(t *testing.T) {
	reports := []*Report{{Runs: []*Run{{CPU: "host", Seconds: 10}, {CPU: "small", Seconds: 100}}}, {Runs: []*Run{{CPU: "host", GPU: "gpu", Seconds: 20}}}}
	if got := besideGPU(reports); got != 30*time.Second {
		t.Errorf("%v, want 30s", got)
	}
}

// TestStale changes the device code behind recorded runs: those that launched it are stale, and
// no others.
func TestStale(t *testing.T) {
	run := func(half Half, modules ...string) *Run {
		r := &Run{Half: half, Format: format.Current().String(), Kernels: map[string]string{}}
		for _, m := range modules {
			r.Kernels[m] = fingerprints()[m]
		}
		return r
	}
	if s := run(GPUHalf, "decode", "merge").Stale(); s != "" {
		t.Errorf("a run of today's kernels is stale: %s", s)
	}
	changed := run(GPUHalf, "decode", "merge")
	changed.Kernels["merge"] = "0123456789ab"
	if s := changed.Stale(); !strings.Contains(s, "merge") || strings.Contains(s, "decode") {
		t.Errorf("a run of another module merge: %q", s)
	}
	gone := run(GPUHalf, "decode")
	gone.Kernels["no such module"] = "0123456789ab"
	if s := gone.Stale(); !strings.Contains(s, "no such module") {
		t.Errorf("a run of a module that is gone: %q", s)
	}
	if s := run(OwnHalf).Stale(); s == "" {
		t.Error("a run that names no modules is not stale")
	}
	if s := run(CPUHalf).Stale(); s != "" {
		t.Errorf("a run on the CPU is stale: %s", s)
	}
	own := run(OwnHalf, "intersect")
	own.Kernels["paper/find"] = "0123456789ab"
	if s := own.Stale(); !strings.Contains(s, "paper/find") {
		t.Errorf("a run of other kernels of the papers' own: %q", s)
	}
	own.Kernels["intersect"] = "0123456789ab"
	if s := own.Stale(); !strings.Contains(s, "intersect") {
		t.Errorf("a run of own kernels with another module intersect: %q", s)
	}
	old := run(GPUHalf, "decode")
	old.Format = "0.0"
	if old.Stale() == "" {
		t.Error("a run of another format is not stale")
	}
}

// TestRecorded reads all recorded runs: those on a GPU name it and the modules that they launched,
// those with own kernels one of them.
func TestRecorded(t *testing.T) {
	files, err := recorded.ReadDir("recorded")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		name, half, ok := strings.Cut(strings.TrimSuffix(f.Name(), ".json"), ".")
		if !ok {
			continue
		}
		n++
		r, err := Recorded(name, Half(half))
		if err != nil {
			t.Errorf("%s: %v", f.Name(), err)
			continue
		}
		if len(r.Rows) == 0 {
			t.Errorf("%s has no rows", f.Name())
		}
		if r.Experiment != name || r.Half != Half(half) || r.Half.OnGPU() != (r.GPU != "") || r.Half.OnGPU() != (len(r.Kernels) > 0) {
			t.Errorf("%s: a run of %s, half %s, on the GPU %q with kernels of %d modules", f.Name(), r.Experiment, r.Half, r.GPU, len(r.Kernels))
		}
		own := false
		for m := range r.Kernels {
			own = own || strings.HasPrefix(m, "paper/")
		}
		if own != (r.Half == OwnHalf) {
			t.Errorf("%s: kernels of the papers' own: %v", f.Name(), own)
		}
	}
	if n < 42 {
		t.Errorf("%d recorded runs", n)
	}
}

// TestFingerprints looks for a fingerprint of each module, all different.
func TestFingerprints(t *testing.T) {
	seen := map[string]string{}
	for _, m := range kernels.Modules() {
		f := fingerprints()[m]
		if other, ok := seen[f]; f == "" || ok {
			t.Errorf("the fingerprint of %s is %q, like that of %s", m, f, other)
		}
		seen[f] = m
	}
}
