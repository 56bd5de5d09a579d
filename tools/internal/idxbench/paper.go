package idxbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/tools/internal/paper"
	"github.com/pinion-index/pinion/tools/internal/paper/ao"
	"github.com/pinion-index/pinion/tools/internal/paper/ding"
	"github.com/pinion-index/pinion/tools/internal/paper/griffin"
	"github.com/pinion-index/pinion/tools/internal/paper/mallia"
	"github.com/pinion-index/pinion/tools/internal/paper/tatikonda"
)

func papers() []*paper.Paper {
	return []*paper.Paper{ding.Paper(), tatikonda.Paper(), ao.Paper(), griffin.Paper(), mallia.Paper()}
}

type paperFlags struct {
	out    string
	scale  string
	device *cli.Choice
	which  *cli.Choice
	record bool
	failed int // halves that could not be measured
	time   time.Duration
	json   bool
}

func paperCommand() *cobra.Command {
	f := &paperFlags{device: cli.NewChoice("DEVICE", "auto", "cpu", "gpu", "emu", "recorded"), which: cli.NewChoice("HALF", "all", "cpu", "gpu", "own")}
	cmd := &cobra.Command{
		Use:   "paper [NAME...]",
		Short: "Draw the tables and figures of the papers",
		Long: `Draw tables and figures of the five papers with this machine's numbers beside the
papers', and judge the papers' claims. Without a NAME, list them; all draws all of
them, and a paper's name all of its own. Rows that this machine cannot measure come
from recorded runs, and say so.`,
		Example: `  idxbench paper
  idxbench paper ao-tab1 --scale 1/4
  idxbench paper all --out figures`,
		Args: cli.Want("[NAME...]"),
		RunE: func(cmd *cobra.Command, names []string) error {
			f.json, _ = cmd.Flags().GetBool("json")
			if len(names) == 0 {
				return f.list(cmd)
			}
			return f.draw(cmd, names)
		},
	}
	cmd.ValidArgsFunction = cobra.FixedCompletions(paperNames(), cobra.ShellCompDirectiveNoFileComp)
	jsonFlag(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "write NAME.svg, NAME.csv and NAME.json into `DIR`, and papers.md if all are drawn")
	fl.StringVar(&f.scale, "scale", "auto", "`SHARE` of the papers' documents, as 1, 1/N or auto")
	fl.Var(f.device, "device", "what to measure: "+f.device.Words())
	fl.Var(f.which, "half", "which rows to measure: "+f.which.Words()+"; own: with the kernels of the build tag paper")
	fl.BoolVar(&f.record, "record", false, "keep the runs in recorded below --out")
	fl.DurationVar(&f.time, "time", 200*time.Millisecond, "measure each figure for this `TIME`")
	return cmd
}

// drawing is an experiment to draw.
type drawing struct {
	p *paper.Paper
	x *paper.Experiment
}

// paperNames are the names that draw something.
func paperNames() []string {
	all := []string{"all"}
	for _, p := range papers() {
		all = append(all, p.Key)
		for i := range p.Experiments {
			all = append(all, p.Experiments[i].Name)
		}
	}
	return all
}

// paperList lists the names, a line for each paper.
func paperList() string {
	list := "name all, a paper (ding) or one of its tables and figures (ding-fig3):"
	for _, p := range papers() {
		list += fmt.Sprintf("\n  %-9s ", p.Key)
		for i := range p.Experiments {
			list += " " + strings.TrimPrefix(p.Experiments[i].Name, p.Key+"-")
		}
	}
	return list
}

// choose returns the experiments with the names.
func choose(names []string) ([]drawing, error) {
	var out []drawing
	found := map[string]bool{}
	for _, p := range papers() {
		for i := range p.Experiments {
			x := &p.Experiments[i]
			for _, n := range names {
				if n == "all" || n == p.Key || n == x.Name {
					found[n] = true
					if len(out) == 0 || out[len(out)-1].x.Name != x.Name {
						out = append(out, drawing{p, x})
					}
				}
			}
		}
	}
	for _, n := range names {
		if !found[n] {
			return nil, cli.Usage("no table or figure %q%s\n%s", n, cli.DidYouMean(n, paperNames()), paperList())
		}
	}
	return out, nil
}

// parseScale returns the scale of --scale. Automatic is what a machine of this size draws
// in a few minutes; "auto" is 0 < scale <= 1 otherwise.
func parseScale(s string) (float64, error) {
	switch s {
	case "1":
		return 1, nil
	case "auto":
		if runtime.GOMAXPROCS(0) >= 8 {
			return 1, nil
		}
		return 1. / 4, nil
	}
	part, ok := strings.CutPrefix(s, "1/")
	n, err := strconv.ParseUint(part, 10, 32)
	if !ok || err != nil || n == 0 {
		return 0, cli.Usage("--scale %q is none of auto, 1 and 1/N", s)
	}
	return 1 / float64(n), nil
}

// environment opens what the experiments need. The GPU is left out unless it is wanted and
// there.
func (f *paperFlags) environment(cmd *cobra.Command) (*paper.Env, func() error, error) {
	scale, err := parseScale(f.scale)
	if err != nil {
		return nil, nil, err
	}
	if f.time <= 0 {
		return nil, nil, cli.Usage("--time is above 0")
	}
	e := &paper.Env{Scale: scale, Small: scale < 1./50, Time: f.time, Log: cmd.ErrOrStderr(), Load: replay}
	for n := 1; n < runtime.GOMAXPROCS(0); n *= 2 {
		e.Workers = append(e.Workers, n)
	}
	e.Workers = append(e.Workers, runtime.GOMAXPROCS(0))
	dir, err := os.MkdirTemp("", "pinion-paper-")
	if err != nil {
		return nil, nil, err
	}
	e.Dir = dir
	done := func() error { return errors.Join(e.Close(), os.RemoveAll(dir)) }
	want := f.device.Value
	if want == "auto" || want == "gpu" || want == "emu" {
		dev, err := gpuload.OpenDevice()
		switch {
		case err == nil && (want == "emu") != isEmulator(dev):
			err = errors.Join(fmt.Errorf("--device %s: this program has the device %s", want, dev.Info().Name), dev.Close())
			if want != "auto" || paper.Half(f.which.Value).OnGPU() {
				return nil, nil, errors.Join(err, done())
			}
		case err == nil:
			e.Device = dev
			inner := done
			done = func() error { return errors.Join(inner(), dev.Close()) }
		case want != "auto" || paper.Half(f.which.Value).OnGPU():
			return nil, nil, errors.Join(err, done())
		}
	}
	return e, done, nil
}

// isEmulator reports whether a device is the host emulator.
func isEmulator(d *gpuload.Device) bool {
	return strings.Contains(strings.ToLower(d.Info().Name), "emulator")
}

// checkHalf refuses a --half of which nothing can be measured.
func (f *paperFlags) checkHalf(chosen []drawing) error {
	h, on := f.which.Value, f.device.Value
	if h == "all" {
		return nil
	}
	if gpu := paper.Half(h).OnGPU(); on == "recorded" || on == "cpu" && gpu || (on == "gpu" || on == "emu") && !gpu {
		return cli.Usage("--device %s measures no rows of --half %s", on, h)
	}
	has := func(d drawing) bool { return d.x.Of(paper.Half(h)) != nil }
	if slices.ContainsFunc(chosen, has) {
		return nil
	}
	if all, err := choose([]string{"all"}); err == nil && !slices.ContainsFunc(all, has) {
		return cli.Usage("--half %s: this program was built without the tag paper", h)
	}
	return cli.Usage("what is named has no rows of --half %s", h)
}

func (f *paperFlags) draw(cmd *cobra.Command, names []string) (err error) {
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	if f.record && f.out == "" {
		return cli.Usage("--record wants --out")
	}
	if err := f.checkHalf(chosen); err != nil {
		return err
	}
	e, done, err := f.environment(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	progress := cli.NewProgress(cmd.ErrOrStderr(), "paper", int64(len(chosen)), cli.ItemRate("figures"))
	defer progress.Stop()
	var reports []*paper.Report
	for i, d := range chosen {
		r, err := f.report(cmd, e, d)
		if err != nil {
			return err
		}
		reports = append(reports, r)
		progress.Set(int64(i + 1))
		if f.out != "" {
			if err := r.Write(f.out); err != nil {
				return err
			}
		}
		if !f.json {
			if i > 0 {
				fmt.Fprintln(cmd.OutOrStdout())
			}
			r.Text(cmd.OutOrStdout())
		}
	}
	switch {
	case f.json:
		err = cli.JSON(cmd.OutOrStdout(), reports)
	case f.out != "" && len(names) == 1 && names[0] == "all":
		err = cli.WriteFile(filepath.Join(f.out, "papers.md"), false, func(w io.Writer) error {
			_, err := w.Write(paper.Page(".", papers(), reports))
			return err
		})
	}
	if err == nil && f.failed > 0 {
		err = fmt.Errorf("%d measurements failed, whose rows are not of this run", f.failed)
	}
	return err
}

// report measures an experiment, or takes recorded runs, as --device says.
func (f *paperFlags) report(cmd *cobra.Command, e *paper.Env, d drawing) (*paper.Report, error) {
	var runs []*paper.Run
	for _, h := range paper.Halves() {
		r, err := f.half(cmd, e, d.x, h)
		if err != nil {
			return nil, err
		}
		if r == nil {
			if r, err = paper.Recorded(d.x.Name, h); err != nil {
				return nil, err
			}
		}
		runs = append(runs, r)
	}
	return paper.NewReport(d.p, d.x, runs...), nil
}

// half measures one half of an experiment if --device asks for it.
func (f *paperFlags) half(cmd *cobra.Command, e *paper.Env, x *paper.Experiment, h paper.Half) (*paper.Run, error) {
	on := f.device.Value
	if half := f.which.Value; half != "all" && half != string(h) {
		return nil, nil
	}
	if on == "recorded" || !h.OnGPU() && (on == "gpu" || on == "emu") || h.OnGPU() && e.Device == nil {
		return nil, nil
	}
	r, err := x.Do(cmd.Context(), e, h)
	if cause := context.Cause(cmd.Context()); cause != nil {
		return nil, cause
	}
	if err != nil {
		if on != "auto" || !errors.Is(err, gpuload.ErrMemory) {
			f.failed++
		}
		return nil, f.leaveOut(cmd, x, h, err)
	}
	if r == nil {
		return nil, nil
	}
	if on == "emu" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: the emulator's answers are right; its times are left out\n", x.Name)
		return nil, nil
	}
	if f.record {
		err = paper.Record(filepath.Join(f.out, "recorded"), r)
	}
	return r, err
}

// leaveOut says what stands in the place of rows that could not be measured.
func (f *paperFlags) leaveOut(cmd *cobra.Command, x *paper.Experiment, h paper.Half, why error) error {
	r, err := paper.Recorded(x.Name, h)
	if err != nil {
		return err
	}
	instead := "are left out"
	if r != nil {
		instead = "are recorded ones"
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: its rows of the half %q %s: %v\n", x.Name, h, instead, why)
	return nil
}

// PaperRow is a line of the list.
type PaperRow struct {
	Name  string `json:"name"`
	In    string `json:"in"`
	Title string `json:"title"`
	State string `json:"state"`
	CPU   string `json:"cpu"`
	GPU   string `json:"gpu"`
	Own   string `json:"own"` // kernels of the build tag paper
}

func (f *paperFlags) list(cmd *cobra.Command) error {
	var rows []PaperRow
	for _, p := range papers() {
		for i := range p.Experiments {
			x := &p.Experiments[i]
			cpu, err := state(x, paper.CPUHalf, x.CPU != nil)
			if err != nil {
				return err
			}
			gpu, err := state(x, paper.GPUHalf, x.GPU != nil)
			if err != nil {
				return err
			}
			own, err := state(x, paper.OwnHalf, x.Own != nil)
			if err != nil {
				return err
			}
			rows = append(rows, PaperRow{x.Name, p.Title + ", " + x.Number, x.Title, paper.State(x), cpu, gpu, own})
		}
	}
	if f.json {
		return cli.JSON(cmd.OutOrStdout(), rows)
	}
	printPapers(cmd.OutOrStdout(), rows)
	return nil
}

func printPapers(w io.Writer, rows []PaperRow) {
	t := cli.NewTable("name", "state", "cpu", "gpu", "own kernels", "title")
	for _, r := range rows {
		t.Row(r.Name, r.State, r.CPU, r.GPU, r.Own, r.Title)
	}
	t.WriteTo(w)
}

// state says what is there of one half of an experiment.
func state(x *paper.Experiment, h paper.Half, measured bool) (string, error) {
	r, err := paper.Recorded(x.Name, h)
	switch {
	case err != nil:
		return "", err
	case r == nil && !measured:
		return "-", nil
	case r == nil:
		return "yes", nil
	case r.Stale() != "":
		return "yes, recorded, stale", nil
	case len(r.Older()) > 0:
		return "yes, recorded, older lists", nil
	}
	return "yes, recorded", nil
}
