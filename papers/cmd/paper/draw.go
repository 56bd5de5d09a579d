package main

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

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

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
func (f *flags) environment(cmd *cobra.Command) (*paper.Env, func() error, error) {
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
		dev, err := gpu.OpenDevice()
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
func isEmulator(d *gpu.Device) bool {
	return strings.Contains(strings.ToLower(d.Info().Name), "emulator")
}

// checkHalf refuses a --half of which nothing can be measured.
func (f *flags) checkHalf(chosen []drawing) error {
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
	return cli.Usage("what is named has no rows of --half %s", h)
}

func (f *flags) draw(cmd *cobra.Command, names []string) (err error) {
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
		err = cli.WriteFile(filepath.Join(f.out, "results.md"), false, func(w io.Writer) error {
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
func (f *flags) report(cmd *cobra.Command, e *paper.Env, d drawing) (*paper.Report, error) {
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
func (f *flags) half(cmd *cobra.Command, e *paper.Env, x *paper.Experiment, h paper.Half) (*paper.Run, error) {
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
		if on != "auto" || !errors.Is(err, gpu.ErrMemory) {
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
func (f *flags) leaveOut(cmd *cobra.Command, x *paper.Experiment, h paper.Half, why error) error {
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
