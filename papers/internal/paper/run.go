package paper

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/papers/internal/corpus"
)

// Run is one run of the CPU's or the GPU's half of an experiment. Recorded runs are files
// of them.
type Run struct {
	Experiment string    `json:"experiment"`
	Half       Half      `json:"half"`
	CPU        string    `json:"cpu"`
	Cores      int       `json:"cores"`
	GPU        string    `json:"gpu,omitempty"`
	Scale      string    `json:"scale"` // 1/N of the papers' collections
	Date       time.Time `json:"date"`
	Commit     string    `json:"commit"`
	Format     string    `json:"format"`
	// Kernels are the fingerprints of the modules of device code whose kernels were launched,
	// by name.
	Kernels map[string]string `json:"kernels,omitempty"`
	// Lists are the fingerprints of the collections that the lists were drawn from, by name.
	Lists map[string]string `json:"lists,omitempty"`
	// Documents are the numbers of documents of these collections, by name; nil in runs
	// that were recorded before there was a field for them.
	Documents map[string]int `json:"documents,omitempty"`
	Rows      []Row          `json:"rows"`
	Seconds   float64        `json:"seconds"`
	Recorded  bool           `json:"-"`
}

// Half is which of an experiment's measurements a run is.
type Half string

// The halves. A run of GPUHalf or OwnHalf on the emulator checks answers and is not shown.
const (
	CPUHalf Half = "cpu"
	GPUHalf Half = "gpu"
	OwnHalf Half = "own" // on the GPU, by the papers' own kernels
)

// Halves returns all halves, in the order of their rows. Where OwnHalf and GPUHalf have a
// row of the same name, that of OwnHalf, which is closer to the paper, counts.
func Halves() []Half { return []Half{CPUHalf, OwnHalf, GPUHalf} }

// OnGPU reports whether a half wants a GPU.
func (h Half) OnGPU() bool { return h == GPUHalf || h == OwnHalf }

// Of returns the measurement of a half, or nil.
func (x *Experiment) Of(h Half) Measure {
	switch h {
	case GPUHalf:
		return x.GPU
	case OwnHalf:
		return x.Own
	}
	return x.CPU
}

// Do runs one half of an experiment.
func (x *Experiment) Do(ctx context.Context, e *Env, h Half) (*Run, error) {
	measure := x.Of(h)
	r := &Run{Experiment: x.Name, Half: h, CPU: cli.CPU(), Cores: runtime.GOMAXPROCS(0), Scale: ScaleText(e.Scale), Date: time.Now().UTC().Truncate(time.Second),
		Commit: Commit(), Format: format.Current().String()}
	if h.OnGPU() && e.Device != nil {
		r.GPU = e.Device.Info().Name
	}
	if measure == nil {
		return nil, nil
	}
	var rows []Row
	start := time.Now()
	u, err := e.collect(func() (err error) { rows, err = measure(ctx, e); return err })
	if err == nil {
		err = ctx.Err() // a measurement that was canceled lacks rows
	}
	if err != nil {
		return nil, fmt.Errorf("%s on the %s: %w", x.Name, h, err)
	}
	r.Rows, r.Seconds = finite(rows), time.Since(start).Seconds()
	r.Lists, r.Documents = u.sets, u.docs
	if h.OnGPU() {
		r.Kernels = u.modules
	}
	e.share(u)
	return r, nil
}

// finite leaves out rows without a number: a run so short that nothing was answered has
// no mean and no ratio.
func finite(rows []Row) []Row {
	return slices.DeleteFunc(rows, func(r Row) bool { return math.IsNaN(r.Value) || math.IsInf(r.Value, 0) })
}

// Stale says why a recorded run no longer speaks of this program; "" if it does.
func (r *Run) Stale() string {
	if r.Format != format.Current().String() {
		return "the format is " + format.Current().String() + " now"
	}
	if r.Half.OnGPU() {
		return r.staleKernels()
	}
	return ""
}

// Older returns the collections that have been drawn in another way since the run, in
// order: its numbers speak of other lists than those of a newer run.
func (r *Run) Older() (names []string) {
	for name, was := range r.Lists {
		if was != corpus.Fingerprint(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// folded are commits of recorded runs that have become part of others.
var folded = map[string]string{
	"223d206b2738": "91e4fe170c18", "471ca08b7208": "91e4fe170c18",
	"8730ec78f8cb": "5a6e410725af", "0c3ceb415f15": "799a1889d04d", "a8d9ec6a24e0": "c3d5c598cbd4",
}

// Where describes the machine and the state of the program that a run speaks of.
func (r *Run) Where() string {
	s := fmt.Sprintf("%s, %d cores", r.CPU, r.Cores)
	if r.GPU != "" {
		s = r.GPU + "; " + s
	}
	s += fmt.Sprintf("; scale %s; %s; commit %s", r.Scale, r.Date.Format(time.DateOnly), r.Commit)
	if into := folded[r.Commit]; into != "" {
		s += " in " + into
	}
	for _, name := range slices.Sorted(maps.Keys(r.Documents)) {
		s += fmt.Sprintf("; %s of %s million documents", name, cli.Float(float64(r.Documents[name])/1e6, 3))
	}
	if older := r.Older(); len(older) > 0 {
		s += "; older lists of " + strings.Join(older, ", ")
	}
	if r.Recorded {
		s = "recorded: " + s
	}
	return s
}

// ScaleText prints a scale as 1 or 1/N.
func ScaleText(s float64) string {
	if s >= 1 {
		return "1"
	}
	return fmt.Sprintf("1/%.0f", 1/s)
}

// commit is set by the linker where the build does not know it.
var commit string

// Commit returns the commit that the program was built from, as far as it knows.
func Commit() string {
	if commit != "" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, modified := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = " and changes"
		}
	}
	return revision + modified
}
