package idxquery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/search"
)

// autoSteps is the value of --steps by which the default rule decides where steps run.
const autoSteps = "auto"

// NewSteps returns what --steps takes: the default rule, or that of Griffin 2018, which decides again after each
// intersection.
func NewSteps() *cli.Choice { return cli.NewChoice("RULE", autoSteps, "griffin") }

// stepFinder answers queries step by step on two processors and traces them.
type stepFinder struct {
	steps *gpu.Stepper
	trace gpu.StepTrace // of the last query
}

// AppendHits implements finder.
func (f *stepFinder) AppendHits(ctx context.Context, dst []search.Hit, q *search.Query) ([]search.Hit, error) {
	r, err := f.Search(ctx, *q)
	return append(dst, r.Hits...), err
}

// Search implements tracer.
func (f *stepFinder) Search(ctx context.Context, q search.Query) (search.Result, error) {
	r, err := f.steps.Search(ctx, q, &f.trace)
	r.Trace = &f.trace.CPU
	return r, err
}

// onSteps answers queries one after the other with a trace. With --device gpu all steps
// that a device supports run there.
func (s *session) onSteps(cmd *cobra.Command, l *pipeline, print printer) error {
	f, release, err := s.stepper(cmd.ErrOrStderr())
	if err != nil {
		if s.f.device.Value == "gpu" {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "answering on the CPU: %v\n", err)
		return s.onThreads(cmd, l, print)
	}
	defer func() { _ = release() }() // all answers have arrived
	w := &worker{s: s, print: print, timed: true}
	n, err := l.run(1, onThreads, func(int) func(*share) error {
		return func(sh *share) error { return w.oneByOne(cmd.Context(), f, sh) }
	})
	l.progress.Stop()
	if err == nil && s.f.queries != "" && n > 0 {
		latencies(cmd.ErrOrStderr(), w.took)
	}
	return err
}

// stepper opens a device for a stepFinder. Lists are copied to it before the first step
// that needs them.
func (s *session) stepper(stderr io.Writer) (f *stepFinder, release func() error, err error) {
	o, err := s.group()
	if err != nil {
		return nil, nil, err
	}
	g, err := o.Group()
	if err != nil {
		return nil, nil, err
	}
	sayCompiling(stderr, g)
	step := hybrid.StepOptions(s.searcher)
	if s.f.steps.Value != autoSteps {
		step.Rule = gpu.Griffin
	}
	step.Load = true
	if s.f.device.Value == "gpu" {
		step.Choose = func(gpu.StepState) gpu.StepChoice { return gpu.StepRest }
	}
	steps, err := gpu.NewStepper(g.Executors()[0], s.searcher, step)
	if err != nil {
		return nil, nil, errors.Join(err, g.Close())
	}
	return &stepFinder{steps: steps}, func() error { return errors.Join(steps.Close(), g.Close()) }, nil
}

// Step is gpu.Step as --json prints it.
type Step struct {
	Processor string   `json:"processor"` // cpu, gpu, or gpu to the end
	Whole     bool     `json:"whole_query"`
	Why       string   `json:"why"`
	Term      cli.Text `json:"term,omitempty"` // of the next list
	Length    int64    `json:"length"`         // of the intermediate result before
	Next      int64    `json:"next"`           // of the next list
	Algorithm string   `json:"algorithm,omitempty"`
	Result    int64    `json:"result"` // docIDs, or hits after the last step
	Moved     int64    `json:"moved_doc_ids"`
	Copied    int64    `json:"copied_postings"`
	Seconds   float64  `json:"seconds"`
}

// StepTerm is a term of the query, in the order in which scores are summed.
type StepTerm struct {
	Term     cli.Text `json:"term"`
	Postings int64    `json:"postings"`
	Resident bool     `json:"resident"` // on the GPU, before the first step
}

func (s *Step) time() time.Duration { return time.Duration(s.Seconds * 1e9) }

// addSteps adds what a stepFinder did to t, whose other fields are of the CPU.
func (t *Trace) addSteps(from *gpu.StepTrace) {
	t.Steps, t.Device = newSteps(from), from.Plan.String()
	for _, term := range from.Plan.Terms {
		t.Terms = append(t.Terms, StepTerm{cli.Text(term.Term), term.Postings, term.Resident})
	}
	if from.Failed != nil {
		t.Failed = from.Failed.Error()
	}
	t.onGPU = !slices.ContainsFunc(from.Steps, func(s gpu.Step) bool { return s.Choice == gpu.StepCPU })
	if t.onGPU {
		t.Algorithm = ""
	}
}

func newSteps(t *gpu.StepTrace) []Step {
	var out []Step
	for _, s := range t.Steps {
		p := Step{Processor: s.Choice.String(), Whole: s.Whole, Why: s.Why.String(), Length: s.State.Length, Next: s.State.Next, Algorithm: s.Algorithm,
			Result: s.Length, Moved: s.Moved, Copied: s.Loaded, Seconds: s.Took.Seconds()}
		if s.State.Next > 0 && s.State.Done < len(t.Plan.Terms) {
			p.Term = cli.Text(t.Plan.Terms[s.State.Done].Term)
		}
		out = append(out, p)
	}
	return out
}

// writeSteps prints where the steps of a query ran, and its terms, in tables that fit out.
func writeSteps(w, out io.Writer, trace *Trace) {
	if trace.Failed != "" {
		fmt.Fprintf(w, "\nthe GPU failed: %s\n", trace.Failed)
	}
	if trace.Device != "" {
		fmt.Fprintf(w, "\nplan: %s", trace.Device)
	}
	if len(trace.Terms) > 0 {
		fmt.Fprintln(w)
		t := cli.NewTable("term", ">postings", "on the GPU")
		for _, s := range trace.Terms {
			there := "no"
			if s.Resident {
				there = "yes"
			}
			t.Row(cli.Quote(s.Term), s.Postings, there)
		}
		t.Limit(out)
		t.WriteTo(w)
	}
	if len(trace.Steps) == 0 {
		return
	}
	fmt.Fprintln(w)
	t := cli.NewTable(">step", "on", "because", ">docIDs", "next list", ">postings", ">ratio", "algorithm", ">result", ">moved", ">copied", ">time")
	for i, s := range trace.Steps {
		ratio := ""
		if s.Next > 0 {
			ratio = cli.Float(gpu.StepState{Length: s.Length, Next: s.Next}.Ratio(), 3)
		}
		term := "-"
		if s.Next > 0 {
			term = cli.Quote(s.Term)
		}
		t.Row(i+1, s.Processor, s.Why, s.Length, term, s.Next, ratio, s.Algorithm, s.Result, s.Moved, s.Copied, cli.Seconds(s.time()))
	}
	t.Limit(out)
	t.WriteTo(w)
}
