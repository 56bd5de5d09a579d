package idxbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// deviceFlag adds the flag that names one of several GPUs.
func deviceFlag(fl *pflag.FlagSet, number *int) {
	cli.Int(fl, number, "gpu", allGPUs, allGPUs, cli.Any, "use GPU number `N` alone (default: all)")
	fl.Lookup("gpu").DefValue = "" // the text says what it is
}

// GPU is what `idxbench gpu` prints.
type GPU struct {
	Index   string   `json:"index"`
	Queries int      `json:"queries"`
	Device  gpu.Info `json:"device"`
	Rows    []GPURow `json:"rows"`
}

// GPURow is one figure.
type GPURow struct {
	What  string  `json:"what"` // load, and, or
	Way   string  `json:"way,omitempty"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

func (g *GPU) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s on %s\n\n", g.Index, cli.Number(g.Queries, "query"), g.Device.Name)
	t := cli.NewTable("what", "way", ">value", "unit")
	for _, r := range g.Rows {
		t.Row(r.What, r.Way, cli.Float(r.Value, 4), r.Unit)
	}
	t.WriteTo(w)
	fmt.Fprintln(w, "\nto serve queries of an index on this GPU and the CPU: docs/gpu.md, Serve")
}

type gpuFlags struct {
	index, queries     string
	dot, filter        string // filter: of --dot
	compare, atLeast   int
	memory             int
	strategies         []string
	k, repeats, device int
	gone               map[string]*string // flags that are not there any more
	stderr             io.Writer
}

// namesOf returns the names of values.
func namesOf[T fmt.Stringer](all []T) (names []string) {
	for _, v := range all {
		names = append(names, v.String())
	}
	return names
}

func gpuCommand() *cobra.Command {
	f := &gpuFlags{}
	ways := namesOf(gpu.Strategies())
	cmd := &cobra.Command{
		Use:   "gpu --index DIR --queries FILE",
		Short: "Measure ways to answer queries on a GPU",
		Long: `Load the lists of a query log onto a GPU, and answer the log there in batches of all
queries: as conjunctions for docIDs, by each way to intersect, and as disjunctions for
the best documents. Every result is compared with the CPU's. Of an index with a schema
it measures disjunctions over all fields of text.
It needs an NVIDIA GPU and a build that can use it.`,
		Example: `  idxbench gpu --index kjv.idx --queries topics.tsv
  idxbench gpu --index kjv.idx --queries topics.tsv --strategy probe,mergepath`,
		Args: cli.Want(),
		RunE: cli.Shows(func(cmd *cobra.Command, _ []string) (*GPU, error) {
			if err := cli.InVain(cmd.Flags(),
				cli.Vain{Flags: "filter compare at-least memory", If: f.dot == "", Why: "goes with --dot"},
				cli.Vain{Flags: "strategy", If: f.dot != "", Why: "is of intersections, and --dot adds up"}); err != nil {
				return nil, err
			}
			f.stderr = cmd.ErrOrStderr()
			return f.run(cmd.Context())
		}),
	}
	cli.JSONFlag(cmd.Flags())
	fl := cmd.Flags()
	fl.StringVar(&f.index, "index", "", "index `DIR` (required)")
	fl.StringVar(&f.queries, "queries", "", cli.QueriesUsage+" (required)")
	fl.StringSliceVar(&f.strategies, "strategy", nil, "ways to intersect, as `NAME,...` of "+strings.Join(ways, ", ")+" (default all, and disjunctions)")
	cli.CompleteList(cmd, "strategy", ways)
	cli.Int(fl, &f.k, "k", 10, 1, 1024, "how many documents of a disjunction are wanted")
	fl.StringVar(&f.dot, "dot", "", dotUsage)
	fl.StringVar(&f.filter, "filter", "", "with --dot, only documents that pass `FILTER` may be hits, as in idxquery")
	cli.Int(fl, &f.compare, "compare", 1<<30, 0, cli.Any, "with --dot, compare the first `N` queries with the CPU")
	cli.Int(fl, &f.atLeast, "at-least", 1<<14, 1, cli.Any, "with --dot, repeat the log until it has about `N` queries")
	cli.Int(fl, &f.memory, "memory", 0, 0, cli.Any, "with --dot, the most device memory for lists, in bytes")
	cli.Int(fl, &f.repeats, "repeat", 9, 1, cli.Any, "answer the log `N` times and take the median")
	cli.Int(fl, &f.device, "gpu", 0, 0, cli.Any, "measure GPU number `N`")
	f.gone = goneFlags(fl, "part", "accumulate")
	return cmd
}

// parseNames parses names, or all there are.
func parseNames[T any](names []string, all []T, parse func(string) (T, error)) (out []T, err error) {
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		v, err := parse(name)
		if err != nil {
			return nil, cli.Usage("%w", err)
		}
		out = append(out, v)
	}
	return out, nil
}

func (f *gpuFlags) run(ctx context.Context) (out *GPU, err error) {
	switch {
	case *f.gone["part"] != "":
		return nil, moved("gpu --part", paperProgram+" gpu --part "+*f.gone["part"])
	case *f.gone["accumulate"] != "":
		return nil, moved("gpu --accumulate", paperProgram+" ding-tab2")
	case f.index == "":
		return nil, cli.Usage("--index is missing")
	case f.queries == "":
		return nil, cli.Usage("--queries is missing")
	}
	strategies, err := parseNames(f.strategies, gpu.Strategies(), func(name string) (s gpu.Strategy, err error) {
		err = s.UnmarshalText([]byte(name))
		return s, err
	})
	if err != nil {
		return nil, err
	}
	cpu, snapshot, closeIndex, err := openSearcher(f.index)
	if err != nil {
		return nil, err
	}
	defer closeIndex()
	if f.dot != "" {
		return f.runDots(ctx, cpu, snapshot)
	}
	log, err := readQueries(f.queries, snapshot)
	if err != nil {
		return nil, err
	}
	log = slices.DeleteFunc(log, func(q question) bool { return q.empty() })
	fields := !snapshot.Schema().IsImplicit()
	if fields && len(f.strategies) > 0 {
		return nil, cli.Usage("--strategy: ways to intersect are measured on an index of documents of one text")
	}
	dev, err := gpu.OpenDeviceNumber(f.device)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	b := &gpuBench{flags: f, dev: dev, snapshot: snapshot, cpu: cpu, out: &GPU{Index: f.index, Queries: len(log), Device: dev.Info()}}
	if !fields {
		if err := b.intersections(ctx, asked(log, query.ModeAnd, 1<<30), strategies); err != nil {
			return nil, err
		}
	}
	if len(f.strategies) == 0 {
		if err := b.disjunctions(ctx, asked(log, query.ModeOr, f.k)); err != nil {
			return nil, fmt.Errorf("or: %w", err)
		}
	}
	return b.out, nil
}

// runDots is run for queries that are vectors.
func (f *gpuFlags) runDots(ctx context.Context, cpu *search.Searcher, snapshot *reader.Snapshot) (out *GPU, err error) {
	queries, err := readDots(f.queries, f.dot, f.k)
	if err != nil {
		return nil, err
	}
	if f.filter != "" {
		only, err := query.ParseFilter(snapshot.Schema(), f.filter)
		if err != nil {
			return nil, cli.Usage("%w", err)
		}
		for i := range queries {
			queries[i].Node = query.Bool{Must: []query.Node{queries[i].Node}, Filter: []query.Node{only}}
		}
	}
	dev, err := gpu.OpenDeviceNumber(f.device)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	b := &gpuBench{flags: f, dev: dev, snapshot: snapshot, cpu: cpu, out: &GPU{Index: f.index, Queries: len(queries), Device: dev.Info()}}
	return b.out, b.dots(ctx, queries)
}

// asked returns the queries of a log.
func asked(log []question, mode query.Mode, k int) []search.Query {
	queries := make([]search.Query, len(log))
	for i := range log {
		queries[i] = log[i].ask(mode, k)
	}
	return queries
}

// gpuBench measures on one device.
type gpuBench struct {
	flags    *gpuFlags
	dev      *gpu.Device
	snapshot *reader.Snapshot
	cpu      *search.Searcher
	out      *GPU
}

// executor opens the device for queries and loads their lists.
func (b *gpuBench) executor(ctx context.Context, queries []search.Query, o gpu.Options) (*gpu.Executor, error) {
	if o.CPU = b.cpu; b.flags.dot == "" {
		o.Scorer = b.cpu.Scorer()
	}
	x, err := gpu.New(b.dev, b.snapshot, o)
	if err != nil {
		return nil, err
	}
	if b.dev.Info().Compiles && len(b.out.Rows) == 0 {
		fmt.Fprintln(b.flags.stderr, compiling)
	}
	start := time.Now()
	if err = x.Ready(ctx); err == nil {
		start = time.Now()
		err = x.Preload(ctx, queries)
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	if took := time.Since(start); len(b.out.Rows) == 0 {
		b.out.Rows = append(b.out.Rows, GPURow{What: "load", Value: float64(x.Stats().BytesLoaded) / 1e6 / took.Seconds(), Unit: "MB/s"})
	}
	return x, nil
}

// compiling is what is said where nothing is measured until a driver has compiled.
const compiling = "the driver compiles the kernels for this GPU, once on a machine and for up to a minute: a run would measure the CPU before"

// rate adds the median rate of answering n queries.
func (b *gpuBench) rate(what, way string, n int, answer func() error) error {
	var took times
	for range b.flags.repeats {
		start := time.Now()
		if err := answer(); err != nil {
			return fmt.Errorf("%s, %s: %w", what, way, err)
		}
		took = append(took, time.Since(start))
	}
	took.sort()
	b.out.Rows = append(b.out.Rows, GPURow{What: what, Way: way, Value: float64(n) / 1e3 / took.at(0.5).Seconds(), Unit: "thousand queries/s"})
	return nil
}

// intersections measures conjunctions for docIDs.
func (b *gpuBench) intersections(ctx context.Context, queries []search.Query, ways []gpu.Strategy) error {
	want, err := b.cpu.Execute(ctx, queries)
	if err != nil {
		return err
	}
	docs := make([][]uint32, len(want))
	for i, r := range want {
		for _, h := range r.Hits {
			docs[i] = append(docs[i], h.Doc)
		}
		slices.Sort(docs[i])
	}
	elements := slices.Contains(ways, gpu.Element) // what the device rewrites in another codec has none
	ways = slices.DeleteFunc(slices.Clone(ways), func(how gpu.Strategy) bool { return how == gpu.Element })
	if err := b.intersectBy(ctx, queries, docs, ways, gpu.Options{}); err != nil || !elements {
		return err
	}
	return b.intersectBy(ctx, queries, docs, []gpu.Strategy{gpu.Element}, gpu.Options{AsStored: true})
}

// intersectBy measures some ways on lists that are kept as o says.
func (b *gpuBench) intersectBy(ctx context.Context, queries []search.Query, want [][]uint32, ways []gpu.Strategy, o gpu.Options) (err error) {
	if len(ways) == 0 {
		return nil
	}
	x, err := b.executor(ctx, queries, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	for _, how := range ways {
		if err := b.intersect(ctx, x, queries, want, how); err != nil {
			return fmt.Errorf("%v: %w", how, err)
		}
	}
	return nil
}

func (b *gpuBench) intersect(ctx context.Context, x *gpu.Executor, queries []search.Query, want [][]uint32, how gpu.Strategy) error {
	c, err := x.NewConjunction(ctx, queries, 0, how)
	if err != nil {
		return err
	}
	defer c.Close()
	var m gpu.Matches
	err = b.rate("and", how.String(), len(queries), func() (err error) {
		if err = c.Start(); err == nil {
			m, err = c.Finish()
		}
		return err
	})
	for i, docs := range want {
		if err == nil && !slices.Equal(docs, m.Of(i)) {
			err = fmt.Errorf("query %q: the GPU finds %s, the CPU %d", name(&queries[i]), cli.Number(len(m.Of(i)), "document"), len(docs))
		}
	}
	return err
}

// disjunctions measures ranked disjunctions.
func (b *gpuBench) disjunctions(ctx context.Context, queries []search.Query) (err error) {
	want, err := b.cpu.Execute(ctx, queries)
	if err != nil {
		return err
	}
	x, err := b.executor(ctx, queries, gpu.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	var got []search.Result
	if err := b.rate("or", "", len(queries), func() (err error) { got, err = x.Execute(ctx, queries); return err }); err != nil {
		return err
	}
	for i := range want {
		if !slices.Equal(got[i].Hits, want[i].Hits) {
			return fmt.Errorf("query %q: the GPU answers %v, the CPU %v", name(&queries[i]), got[i].Hits, want[i].Hits)
		}
	}
	return nil
}
