package idxbench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/cli"
	figures "github.com/pinion-index/pinion/internal/gpubench"
)

// deviceFlag adds the flag that names one of several GPUs.
func deviceFlag(fl *pflag.FlagSet, number *int) {
	cli.Int(fl, number, "gpu", allGPUs, allGPUs, cli.Any, "use GPU number `N` alone (default: all)")
	fl.Lookup("gpu").DefValue = "" // the text says what it is
}

// GPU is what `idxbench gpu` prints.
type GPU struct {
	Device gpuload.Info  `json:"device"`
	Rows   []figures.Row `json:"rows"`
}

func (g *GPU) text(w io.Writer) {
	figures.Print(w, g.Rows)
	fmt.Fprintln(w, "\nto serve queries of an index on this GPU and the CPU: docs/gpu.md, Serve")
}

type gpuFlags struct {
	parts, models []string
	strategies    []string
	accumulations []string
	dir           string
	small         bool
	queries       int
	device        int
	seed          uint64
}

func gpuCommand() *cobra.Command {
	f := &gpuFlags{}
	cmd := &cobra.Command{
		Use:   "gpu",
		Short: "Measure decoding, scoring and batches on a GPU",
		Long: `Measure memory, decoding, loading, intersection and ranked queries on a GPU, with
the bound or goal beside each figure. Every result is compared with the CPU's. It
needs an NVIDIA GPU and a build that can use it. It generates the collections.`,
		Example: `  idxbench gpu
  idxbench gpu --part memory,decode --json
  idxbench gpu --part collections --model bd --accumulate shared,global
  idxbench gpu --part check --queries 100000`,
		Args: cli.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			g, err := f.run(cmd)
			if err != nil {
				return err
			}
			return show(cmd, g)
		},
	}
	jsonFlag(cmd)
	cmd.Flags().StringSliceVar(&f.parts, "part", []string{"memory", "decode", "collections"}, "what to measure, as `PART,...` of "+strings.Join(gpuParts, ", "))
	cli.CompleteList(cmd, "part", gpuParts)
	cmd.Flags().StringSliceVar(&f.models, "model", nil, "collections, as `NAME,...` of "+strings.Join(figures.Collections, ", ")+" (default all)")
	cli.CompleteList(cmd, "model", figures.Collections)
	cmd.Flags().StringVar(&f.dir, "dir", os.TempDir(), "generate indexes below `DIR`")
	cmd.Flags().StringSliceVar(&f.strategies, "strategy", nil, "ways to intersect in part strategies, as `NAME,...` of "+strings.Join(figures.StrategyNames(), ", ")+" (default all)")
	cmd.Flags().StringSliceVar(&f.accumulations, "accumulate", nil, "ways to answer disjunctions in part collections, as `NAME,...` of "+strings.Join(figures.AccumulationNames(), ", ")+" (default all)")
	cli.Int(cmd.Flags(), &f.queries, "queries", 2000, 1, cli.Any, "random queries for each codec in part check: `N`")
	cli.Int(cmd.Flags(), &f.device, "gpu", 0, 0, cli.Any, "measure GPU number `N`")
	cmd.Flags().BoolVar(&f.small, "small", false, "little data: a check, not a measurement")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the queries and of random lists")
	return cmd
}

// gpuParts are the words of --part.
var gpuParts = []string{"memory", "decode", "collections", "strategies", "check"}

// known returns a usage error unless all names are among those that there are.
func known(what string, names, all []string) error {
	for _, n := range names {
		if !slices.Contains(all, n) {
			return cli.Usage("no %s %q; there are %s", what, n, strings.Join(all, ", "))
		}
	}
	return nil
}

func (f *gpuFlags) run(cmd *cobra.Command) (g *GPU, err error) {
	var ways []gpuload.Accumulation
	for _, name := range f.accumulations {
		a, err := gpuload.ParseAccumulation(name)
		if err != nil {
			return nil, cli.Usage("no way %q to answer disjunctions; there are %s", name, strings.Join(figures.AccumulationNames(), ", "))
		}
		ways = append(ways, a)
	}
	if err := known("part", f.parts, gpuParts); err != nil {
		return nil, err
	}
	if err := known("collection", f.models, figures.Collections); err != nil {
		return nil, err
	}
	if err := known("strategy", f.strategies, figures.StrategyNames()); err != nil {
		return nil, err
	}
	dev, err := gpuload.OpenDeviceNumber(f.device)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	b := &figures.Bench{Device: dev, Log: cmd.ErrOrStderr(), Small: f.small, Models: f.models, Accumulations: ways, Seed: f.seed}
	for _, p := range f.parts {
		switch p {
		case "memory":
			err = b.Memory()
		case "decode":
			err = b.Decode()
		case "strategies":
			b.Strategies = f.strategies
			err = b.Intersections(cmd.Context(), f.dir)
		case "check":
			err = b.Check(cmd.Context(), f.dir, f.queries)
		case "collections":
			err = b.Collections(cmd.Context(), f.dir)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
	}
	return &GPU{Device: dev.Info(), Rows: b.Rows()}, nil
}
