package idxbench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/internal/cli"
	figures "github.com/pinion-index/pinion/internal/gpubench"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

type stepsFlags struct {
	index, dir string
	times      string
	cost       string
	queries    []string
	models     []string
	mode       *cli.Choice
	k          int
	small      bool
	seed       uint64
}

func stepsCommand() *cobra.Command {
	f := &stepsFlags{mode: cli.NewChoice("MODE", query.And.String(), query.Or.String())}
	cmd := &cobra.Command{
		Use:   "steps [--index DIR --queries FILE,...]",
		Short: "Measure single queries on two processors",
		Long: `Measure the latency of single queries on the CPU, on a GPU, and step by step on
both: with all lists on the device, and with memory for a quarter of them. All answers
are compared. Without --index it generates collections with long lists. The way
hybrid decides as --device hybrid does where a query is alone.`,
		Example: `  idxbench steps --model gov2
  idxbench steps --index big.idx --queries long.tsv
  idxbench steps --index big.idx --queries long.tsv --cost-model model.json`,
		Args: cli.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (f.index == "") != (len(f.queries) == 0) {
				return cli.Usage("--index and --queries need each other")
			}
			if f.cost != "" && f.index == "" {
				return cli.Usage("--cost-model needs --index: a model is of one index")
			}
			g, err := f.run(cmd)
			if err != nil {
				return err
			}
			return show(cmd, g)
		},
	}
	jsonFlag(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.index, "index", "", "index `DIR`")
	fl.StringSliceVar(&f.queries, "queries", nil, cli.QueryFilesUsage)
	cli.Int(fl, &f.k, "k", 10, 1, cli.Any, "how many documents are wanted")
	fl.Var(f.mode, "mode", "with --index: which documents match: "+f.mode.Words())
	fl.StringSliceVar(&f.models, "model", nil, "collections to generate, as `NAME,...` of "+strings.Join(figures.StepCollections, ", ")+" (default both)")
	cli.CompleteList(cmd, "model", figures.StepCollections)
	fl.StringVar(&f.dir, "dir", os.TempDir(), "generate indexes below `DIR`")
	cli.Output(fl, &f.times, "times", "", "write collection, way, query, two shortest lengths and nanoseconds of each query to `FILE`")
	fl.StringVar(&f.cost, "cost-model", "", "with --index: cost model from `FILE`, as idxbench calibrate writes it (default: the one that it wrote for this machine and index, or built in)")
	fl.BoolVar(&f.small, "small", false, "little data: a check, not a measurement")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the queries that are drawn")
	return cmd
}

func (f *stepsFlags) run(cmd *cobra.Command) (g *GPU, err error) {
	if err := known("collection", f.models, figures.StepCollections); err != nil {
		return nil, err
	}
	var model *hybrid.Model
	if f.cost != "" {
		var err error
		if model, err = readModel(f.cost, cmd.ErrOrStderr()); err != nil {
			return nil, err
		}
	}
	dev, err := gpuload.OpenDevice()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	b := &figures.Bench{Device: dev, Log: cmd.ErrOrStderr(), Small: f.small, Models: f.models, Seed: f.seed,
		Hybrid: func(s *reader.Snapshot, cpu *query.Searcher) gpuload.StepOptions {
			m := model
			if m == nil {
				var why error
				if m, why = hybrid.ModelFor(hybrid.KeyOf(s, dev.Info().Name, runtime.GOMAXPROCS(0))); why != nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "idxbench: costs are built in: %v\n", why)
				}
			}
			return cmp.Or(m, hybrid.DefaultModel()).StepOptions(cpu)
		}}
	measure := func(w io.Writer) error {
		b.Times = w
		if f.index == "" {
			return b.Steps(cmd.Context(), f.dir)
		}
		return f.overIndex(cmd.Context(), b)
	}
	if f.times == "" {
		err = measure(nil)
	} else {
		err = cli.WriteFile(f.times, false, measure)
	}
	if err != nil {
		return nil, err
	}
	return &GPU{Device: dev.Info(), Rows: b.Rows()}, nil
}

func (f *stepsFlags) overIndex(ctx context.Context, b *figures.Bench) error {
	s, end, err := cli.Snapshot(f.index)
	if err != nil {
		return err
	}
	defer end()
	mode, err := query.ParseMode(f.mode.Value)
	if err != nil {
		return err
	}
	for _, path := range f.queries {
		terms, err := readQueries(path, s)
		if err != nil {
			return err
		}
		queries := make([]query.Query, len(terms))
		for i := range terms {
			queries[i] = query.Query{RawTerms: terms[i], K: f.k, Mode: mode}
		}
		if err := b.StepsOver(ctx, filepath.Base(path)+", "+mode.String(), s, queries); err != nil {
			return err
		}
	}
	return nil
}
