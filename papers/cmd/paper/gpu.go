package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/papers/internal/gpubench"
)

// benchmarks are what paper gpu prints.
type benchmarks struct {
	Device gpu.Info       `json:"device"`
	Rows   []gpubench.Row `json:"rows"`
}

type gpuFlags struct {
	parts, models       []string
	strategies          []string
	dir, times, profile string
	small               bool
	device              int
	seed                uint64
}

// part is what paper gpu measures under a name.
type part struct {
	name    string
	measure func(ctx context.Context, b *gpubench.Bench, dir string) error
}

var parts = []part{
	{"memory", func(_ context.Context, b *gpubench.Bench, _ string) error { return b.Memory() }},
	{"decode", func(_ context.Context, b *gpubench.Bench, _ string) error { return b.Decode() }},
	{"collections", func(ctx context.Context, b *gpubench.Bench, dir string) error { return b.Collections(ctx, dir) }},
	{"strategies", func(ctx context.Context, b *gpubench.Bench, dir string) error { return b.Intersections(ctx, dir) }},
	{"steps", func(ctx context.Context, b *gpubench.Bench, dir string) error { return b.Steps(ctx, dir) }},
}

func partNames() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

func gpuCommand() *cobra.Command {
	f := &gpuFlags{}
	cmd := &cobra.Command{
		Use:   "gpu",
		Short: "Measure decoding, intersection and queries on a GPU",
		Long: `Measure memory, decoding, loading, intersection, ranked queries and steps of single
queries on a GPU, with the bound or goal beside each figure. Every result is compared
with the CPU's. It generates the collections.`,
		Example: `  go run ./papers/cmd/paper gpu
  go run ./papers/cmd/paper gpu --part memory,collections --model bd
  go run ./papers/cmd/paper gpu --part steps --model gov2`,
		Args: cli.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := f.run(cmd)
			if err != nil {
				return err
			}
			if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
				return cli.JSON(cmd.OutOrStdout(), r)
			}
			gpubench.Print(cmd.OutOrStdout(), r.Rows)
			return nil
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.Bool("json", false, "print JSON instead of a table")
	fl.StringSliceVar(&f.parts, "part", partNames(), "what to measure, as `PART,...`")
	fl.StringSliceVar(&f.models, "model", nil, "collections, as `NAME,...` of "+strings.Join(gpubench.Collections, ", ")+" (default all)")
	fl.StringSliceVar(&f.strategies, "strategy", nil, "ways to intersect in part strategies, as `NAME,...` of "+strings.Join(gpubench.StrategyNames(), ", ")+" (default all)")
	fl.StringVar(&f.dir, "dir", os.TempDir(), "generate indexes below `DIR`")
	cli.Int(fl, &f.device, "gpu", 0, 0, cli.Any, "measure GPU number `N`")
	cli.Output(fl, &f.times, "times", "", "write collection, way, query, two shortest lengths and nanoseconds of each query of part steps to `FILE`")
	cli.Output(fl, &f.profile, "cpuprofile", "", "write a profile of the host's part of ranked queries to `FILE`")
	fl.BoolVar(&f.small, "small", false, "little data: a check, not a measurement")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the queries and of random lists")
	return cmd
}

// known returns a usage error unless all names are among those that there are.
func known(what string, names, all []string) error {
	for _, n := range names {
		if !slices.Contains(all, n) {
			return cli.Usage("no %s %q; there are %s", what, n, strings.Join(all, ", "))
		}
	}
	return nil
}

func (f *gpuFlags) run(cmd *cobra.Command) (out *benchmarks, err error) {
	if err := known("part", f.parts, partNames()); err != nil {
		return nil, err
	}
	if err := known("collection", f.models, gpubench.Collections); err != nil {
		return nil, err
	}
	if err := known("strategy", f.strategies, gpubench.StrategyNames()); err != nil {
		return nil, err
	}
	dev, err := gpu.OpenDeviceNumber(f.device)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	b := &gpubench.Bench{Device: dev, Log: cmd.ErrOrStderr(), Small: f.small, Models: f.models, Strategies: f.strategies, Seed: f.seed}
	measure := func() error {
		for _, p := range parts {
			if !slices.Contains(f.parts, p.name) {
				continue
			}
			if err := p.measure(cmd.Context(), b, f.dir); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
		return nil
	}
	err = written(f.times, &b.Times, func() error { return written(f.profile, &b.Profile, measure) })
	return &benchmarks{dev.Info(), b.Rows()}, err
}

// written calls f while w is a file that is written, if there is a path.
func written(path string, w *io.Writer, f func() error) error {
	if path == "" {
		return f()
	}
	return cli.WriteFile(path, false, func(to io.Writer) error { *w = to; return f() })
}
