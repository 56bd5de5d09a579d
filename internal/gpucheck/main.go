// Command gpucheck runs all GPU tests on a GPU host, and builds the binaries for them, and for
// the benchmarks, on a machine without a GPU.
//
//	gpucheck build --out DIR   builds gpucheck and the tests; with --cgo through cgo
//	gpucheck run               runs them on the GPU host
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/gpu"
)

func main() {
	root := &cobra.Command{Use: "gpucheck", Short: "Test Pinion on a GPU", SilenceErrors: true, SilenceUsage: true,
		Long: `gpucheck build makes binaries for GPU hosts on a machine without a GPU; with --cgo it
needs a C compiler and the CUDA headers (kernels/install-toolkit.sh). gpucheck run, on a
GPU host with nothing but the driver, runs the tests, compares every result with the
CPU's and prints one table last. The benchmarks are paper gpu, which build makes too.`,
		Example: "  gpucheck build --out dist\n  dist/gpucheck run --tests dist --json figures.json"}
	root.AddCommand(buildCommand(), runCommand(), nearestCommand())
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "gpucheck:", err)
		var failed *failure
		if errors.As(err, &failed) {
			os.Exit(1)
		}
		os.Exit(2)
	}
}

// failure is a check that failed, as opposed to bad usage.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func buildCommand() *cobra.Command {
	var out string
	var cgo bool
	c := &cobra.Command{Use: "build", Short: "Build the binaries", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := os.MkdirAll(out, 0o777); err != nil {
				return &failure{err}
			}
			tags, enabled := "gpu", "CGO_ENABLED=0"
			if cgo {
				tags, enabled = "cuda", "CGO_ENABLED=1"
			}
			for _, args := range [][]string{
				{"build", "-tags", tags, "-o", filepath.Join(out, "gpucheck"), "./internal/gpucheck"},
				{"test", "-c", "-tags", tags, "-o", filepath.Join(out, "gpu.test"), "./internal/gpu"},
				{"build", "-tags", tags, "-o", filepath.Join(out, "paper"), "./papers/cmd/paper"},
			} {
				cmd := exec.Command("go", args...)
				cmd.Env = append(os.Environ(), enabled)
				cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
				if err := cmd.Run(); err != nil {
					return &failure{fmt.Errorf("go %s: %w", strings.Join(args, " "), err)}
				}
			}
			return nil
		}}
	c.Flags().StringVar(&out, "out", "dist", "directory for the binaries")
	c.Flags().BoolVar(&cgo, "cgo", false, "with -tags cuda, through cgo (needs CUDA 11.8)")
	return c
}

type runFlags struct {
	small, sanitize       bool
	only, tests, dir, out string
	seed                  uint64
	damaged               int
	limit                 time.Duration
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{Use: "run", Short: "Run the tests", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), f.limit)
			defer cancel()
			return f.run(ctx)
		}}
	c.Flags().BoolVar(&f.small, "small", false, "small data: for the emulator and compute-sanitizer")
	c.Flags().BoolVar(&f.sanitize, "sanitize", false, "run the small ones under compute-sanitizer first")
	c.Flags().StringVar(&f.only, "only", "", "comma-separated parts of "+strings.Join(partNames, ", ")+" (default all)")
	c.Flags().StringVar(&f.tests, "tests", "", "directory with gpu.test, to run it first, and with paper, whose benchmarks --sanitize runs too")
	c.Flags().StringVar(&f.dir, "dir", os.TempDir(), "directory for generated indexes")
	c.Flags().StringVar(&f.out, "json", "", "also write the figures to this file")
	c.Flags().IntVar(&f.damaged, "damaged", damaged, "damaged indexes in part damage")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the queries and of random lists")
	c.Flags().DurationVar(&f.limit, "limit", 8*time.Minute, "give up after this time")
	return c
}

func (f *runFlags) run(ctx context.Context) error {
	var rows []row
	if f.tests != "" {
		path, err := filepath.Abs(filepath.Join(f.tests, "gpu.test")) // programs are not searched for in "."
		if err != nil {
			return &failure{err}
		}
		row, err := command(ctx, "tests", "PASS", path)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if f.sanitize {
		self, err := os.Executable()
		if err != nil {
			return &failure{err}
		}
		for _, tool := range []string{"memcheck", "racecheck"} {
			programs := [][]string{{self, "run", "--small", "--dir", f.dir}}
			if f.tests != "" {
				programs = append(programs, []string{filepath.Join(f.tests, "paper"), "gpu", "--small", "--dir", f.dir})
			}
			for _, p := range programs {
				row, err := command(ctx, "compute-sanitizer "+tool+", "+filepath.Base(p[0]), summaries[tool], "compute-sanitizer",
					append([]string{"--tool", tool, "--error-exitcode", "9"}, p...)...)
				if err != nil {
					return err
				}
				rows = append(rows, row)
			}
		}
	}
	dev, err := gpu.OpenDevice()
	if err != nil {
		return &failure{err}
	}
	b := &bench{device: dev, log: os.Stderr, small: f.small, seed: f.seed}
	info := dev.Info()
	fmt.Fprintf(os.Stderr, "%s, %d multiprocessors, %.1f GiB of memory free\n", info.Name, info.Multiprocessors, float64(info.Memory)/(1<<30))
	err = f.parts(ctx, b)
	rows = append(rows, b.rows...)
	if err = errors.Join(err, dev.Close()); err != nil {
		err = &failure{err}
	}
	if f.out != "" {
		text, e := json.MarshalIndent(rows, "", "  ")
		if e = errors.Join(e, os.WriteFile(f.out, text, 0o666)); e != nil {
			err = errors.Join(err, &failure{e})
		}
	}
	show(os.Stdout, rows)
	return err
}

// partNames are the parts of a run, in order.
var partNames = []string{"check", "damage"}

// The number of random queries per codec in part check.
const (
	checked      = 100_000
	checkedSmall = 100
)

// The number of damaged indexes in part damage.
const (
	damaged      = 20_000
	damagedSmall = 200
)

// wants reports whether part name is to run.
func (f *runFlags) wants(name string) bool {
	return f.only == "" || slices.Contains(strings.Split(f.only, ","), name)
}

func (f *runFlags) check() error {
	for name := range strings.SplitSeq(f.only, ",") {
		if f.only != "" && !slices.Contains(partNames, name) {
			return fmt.Errorf("no part %q; there are %s", name, strings.Join(partNames, ", "))
		}
	}
	return nil
}

func (f *runFlags) parts(ctx context.Context, b *bench) error {
	n, trials := checked, f.damaged
	if f.small {
		n = checkedSmall
		if trials == damaged {
			trials = damagedSmall
		}
	}
	run := map[string]func() error{
		"check":  func() error { return b.checks(ctx, f.dir, n) },
		"damage": func() error { return b.damages(ctx, f.dir, trials) },
	}
	for _, name := range partNames {
		if !f.wants(name) {
			continue
		}
		start := time.Now()
		fmt.Fprintln(os.Stderr, name)
		if err := run[name](); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(os.Stderr, "  %.1f s\n", time.Since(start).Seconds())
	}
	return nil
}

// summaries are the outputs of compute-sanitizer's tools without findings.
var summaries = map[string]string{"memcheck": "ERROR SUMMARY: 0 errors", "racecheck": "RACECHECK SUMMARY: 0 hazards"}

// command runs a program, whose output must contain want, and prints the time it took.
func command(ctx context.Context, name, want, path string, args ...string) (row, error) {
	start := time.Now()
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	if err != nil {
		return row{}, &failure{fmt.Errorf("%s: %w\n%s", name, err, tail(out))}
	}
	if !strings.Contains(string(out), want) {
		return row{}, &failure{fmt.Errorf("%s: no %q in the output\n%s", name, want, tail(out))}
	}
	return row{Name: name + ": passed", Value: time.Since(start).Seconds(), Unit: "s"}, nil
}

func tail(b []byte) []byte {
	if len(b) > 4000 {
		return b[len(b)-4000:]
	}
	return b
}
