package idxbench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/loadtest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Load is what `idxbench load` prints.
type Load struct {
	Index   string    `json:"index"`
	Queries int       `json:"queries"`
	Mode    string    `json:"mode"`
	Algo    string    `json:"algorithm,omitempty"`
	K       int       `json:"k"`
	CPUs    int       `json:"cpus"`
	GPU     string    `json:"gpu,omitempty"`
	Rows    []LoadRow `json:"rows"`
	Seconds float64   `json:"seconds"`
	summary []string
	missing error // why runs on a GPU were left out

	deadline time.Duration // 0: no answer is late
}

// LoadRow is one run.
type LoadRow struct {
	Device    string  `json:"device"`
	Model     string  `json:"model"`
	Workers   int     `json:"workers"`
	Threshold int     `json:"threshold,omitempty"` // if it is not the default
	Offered   float64 `json:"offered_qps"`         // arrivals per second; 0 means saturation
	Alone     bool    `json:"alone,omitempty"`     // each query was asked some time after the previous one was answered
	Pause     float64 `json:"pause_us,omitempty"`  // of Alone, in microseconds
	loadtest.Result
	Highest bool    `json:"highest,omitempty"` // the highest rate that keeps the deadline
	Shares  *Shares `json:"shares,omitempty"`
}

type loadFlags struct {
	index, partitions, queries string
	dot                        string
	mode                       *cli.Choice
	algo                       string
	k                          int
	params, own                query.Params // as the flags have them, and as queries do
	models, devices            []string
	deadline                   time.Duration
	csv                        bool
	queue, gpuNumber           int
	workers                    []int
	rates                      []float64
	alone                      []time.Duration
	threshold, postings        int
	spin                       time.Duration
	time                       time.Duration
	seed                       uint64
	gone                       map[string]*string // flags that are not there any more
}

func loadCommand() *cobra.Command {
	f := &loadFlags{params: query.DefaultParams(), mode: cli.NewChoice("MODE", query.ModeAnd.String(), query.ModeOr.String(), query.ModeAndOr.String(), mixed)}
	cmd := &cobra.Command{
		Use:   "load --index DIR --queries FILE",
		Short: "Measure throughput and latency by device and parallel model",
		Long: `Replay a query log, over and over, against a pool of workers. At each rate queries
arrive at random (a Poisson process) whether or not earlier ones are answered, and
latency counts from when a query was due; "refused" are queries that found too many
waiting, and "asked" is how late this program asked them (99th percentile). Rate 0
means saturation: queries are always waiting, and only throughput is measured; gpu
and hybrid are asked groups of up to 2,048 from one goroutine for each CPU. With
--alone, each query is asked that long after the previous one was answered. With
--deadline and no rate, it looks for the highest rate at which at most 1 query in
100,000 is answered later than that.

Before, it asks each processor queries of the log for up to 2.5 s and compares the
answers of the GPU, or of --partitions, with those of the CPU. It waits until a GPU
is ready, and says on standard error what it does.

--device chooses processors: the CPU, the GPU, or both at the same time (hybrid).
Without a GPU, the runs on the CPU that --device names as well are printed before the
error.
`,
		Example: `  idxbench load --index kjv.idx --queries topics.tsv --rate 0,1000,5000
  idxbench load --index kjv.idx --queries topics.tsv --model inter,fgqp --rate 0
  idxbench load --index big.idx --partitions parts.idx --queries long.tsv
  idxbench load --index kjv.idx --queries topics.tsv --device cpu,gpu,hybrid`,
		Args: cli.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.csv && cmd.Flags().Changed("json") {
				return cli.Usage("--csv and --json exclude each other")
			}
			if err := f.vain(cmd.Flags()); err != nil {
				return err
			}
			f.own = idxquery.GivenParams(cmd, f.params)
			r, err := f.run(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if f.csv {
				err = r.csv(cmd.OutOrStdout())
			} else {
				err = cli.Show(cmd, r)
			}
			return cmp.Or(err, r.missing)
		},
	}
	cli.JSONFlag(cmd.Flags())
	fl := cmd.Flags()
	fl.BoolVar(&f.csv, "csv", false, "print CSV instead of a table")
	fl.StringVar(&f.index, "index", "", "index `DIR` (required)")
	fl.StringVar(&f.partitions, "partitions", "", "index `DIR` with the same documents in many segments, for model docp-pi")
	fl.StringVar(&f.queries, "queries", "", cli.QueriesUsage+" (required)")
	fl.StringVar(&f.dot, "dot", "", dotUsage)
	fl.Var(f.mode, "mode", "which documents match: "+f.mode.Words())
	fl.StringVar(&f.algo, "algo", search.Auto.String(), "algorithm of the CPU, as `NAME`; for a mode that it is not for, auto")
	cli.Int(fl, &f.k, "k", 10, 1, cli.Any, "how many documents are wanted")
	paramFlags(fl, &f.params)
	fl.StringSliceVar(&f.models, "model", []string{"inter", "docp-ui", "docp-pi", "fgqp"}, "parallel models, as `NAME,...`")
	fl.StringSliceVar(&f.devices, "device", []string{onCPU}, "processors, as `DEVICE,...` of cpu, gpu, hybrid")
	deviceFlag(fl, &f.gpuNumber)
	fl.DurationVar(&f.deadline, "deadline", 0, "when an answer is late, counted from the arrival (default: never)")
	cli.Int(fl, &f.queue, "queue", 0, 0, cli.Any, "how many queries may wait before others are refused (default: the library's)")
	fl.IntSliceVar(&f.workers, "workers", nil, "numbers of workers, as `N,...` (default: one for each CPU)")
	fl.Float64SliceVar(&f.rates, "rate", nil, "arrivals a second, as `R,...`; 0 for saturation (default: 0, unless --alone is given)")
	fl.DurationSliceVar(&f.alone, "alone", nil, "ask one query at a time, after pauses of `DURATION,...`")
	fl.DurationVar(&f.spin, "spin", 0, "how long an idle worker looks for work before it sleeps, negative for not at all (default: the library's)")
	cli.Int(fl, &f.threshold, "threshold", 0, 0, cli.Any, "pool threshold of fgqp (default: the library's)")
	cli.Int(fl, &f.postings, "task-postings", 0, 0, cli.Any, "postings of a task of fgqp (default: the library's)")
	fl.DurationVar(&f.time, "time", 2*time.Second, "duration of a run, after warming up for a quarter of it")
	fl.Uint64Var(&f.seed, "seed", 1, "another `N` gives other arrival times")
	f.gone = goneFlags(fl, "figures", "simulate", "cost-model")
	return cmd
}

// vain returns an error for a flag that has no effect beside others.
func (f *loadFlags) vain(fl *pflag.FlagSet) error {
	return cli.InVain(fl,
		cli.Vain{Flags: "k1 b", If: f.dot != "", Why: "is BM25's: --dot has scores of its own"},
		cli.Vain{Flags: "partitions", If: !slices.Contains(f.models, pool.Partitions.String()), Why: "goes with --model docp-pi"},
		cli.Vain{Flags: "threshold task-postings", If: !slices.Contains(f.models, pool.FineGrained.String()), Why: "goes with --model fgqp"},
		cli.Vain{Flags: "gpu", If: !slices.ContainsFunc(f.devices, func(d string) bool { return d != onCPU }), Why: "goes with --device gpu or hybrid"})
}

func (f *loadFlags) check() error {
	switch gone := f.gone; {
	case *gone["figures"] != "":
		return moved("load --figures", paperProgram+" tatikonda --out "+*gone["figures"])
	case *gone["simulate"] != "":
		return moved("load --simulate", paperProgram+" ding-fig7")
	case *gone["cost-model"] != "":
		return cli.Usage("idxbench load --cost-model is not there any more: the scheduler learns what queries cost from those that it answers")
	case f.index == "":
		return cli.Usage("--index is missing")
	case f.queries == "":
		return cli.Usage("--queries is missing")
	case f.own.Check() != nil:
		return cli.Usage("%w", f.own.Check())
	}
	if err := f.checkDevices(); err != nil {
		return err
	}
	switch {
	case f.time <= 0:
		return cli.Usage("--time is above 0")
	case f.threshold < 0 || f.postings < 0:
		return cli.Usage("--threshold and --task-postings are not negative")
	case len(f.models) == 0:
		return cli.Usage("--model names at least one")
	}
	for _, d := range f.alone {
		if d <= 0 {
			return cli.Usage("--alone is above 0")
		}
	}
	for _, n := range f.workers {
		if n < 1 || n > 1024 {
			return cli.Usage("--workers are 1 to 1024")
		}
	}
	for _, r := range f.rates {
		if !(r >= 0 && r <= 1e7) {
			return cli.Usage("--rate is 0 to 10000000")
		}
	}
	var a search.Algorithm
	switch err := a.UnmarshalText([]byte(f.algo)); {
	case err != nil:
		return cli.Usage("%w", err)
	case a == search.FilterFirst:
		return errUnfiltered
	}
	for _, m := range f.models {
		if _, err := pool.ParseModel(m); err != nil {
			return cli.Usage("%w", err)
		}
	}
	return nil
}

// loader runs load over open indexes.
type loader struct {
	f           *loadFlags
	whole, cut  *search.Searcher // cut is for docp-pi
	snapshot    *reader.Snapshot
	queries     []search.Query
	gpu         *gpuGroup
	out         *Load
	stderr      io.Writer
	progress    *cli.Progress
	done, total int64
}

func (f *loadFlags) run(ctx context.Context, stderr io.Writer) (out *Load, err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	l := &loader{f: f, stderr: stderr}
	var closeIndex func()
	if l.whole, l.snapshot, closeIndex, err = openSearcher(f.index); err != nil {
		return nil, err
	}
	defer closeIndex()
	l.cut = l.whole
	if f.partitions != "" {
		var closeParts func()
		if l.cut, _, closeParts, err = openSearcher(f.partitions); err != nil {
			return nil, err
		}
		defer closeParts()
	}
	log := 0
	if l.queries, log, err = f.read(l.snapshot); err != nil {
		return nil, err
	}
	rand.New(rand.NewPCG(f.seed, 7)).Shuffle(len(l.queries), func(i, j int) { l.queries[i], l.queries[j] = l.queries[j], l.queries[i] })
	cpus := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(cpus)
	l.out = &Load{Index: f.index, Queries: log, Mode: f.mode.Value, Algo: f.algo, K: f.k, CPUs: cpus, deadline: f.deadline}
	start := time.Now()
	closeGPU, err := l.openGPU()
	if err != nil {
		return nil, err
	}
	defer closeGPU()
	if err := l.warm(ctx); err != nil {
		return nil, err
	}
	l.progress = cli.NewProgress(stderr, "load", 0, cli.ItemRate("runs"))
	defer l.progress.Stop()
	err = l.rates(ctx)
	l.out.Seconds = time.Since(start).Seconds()
	return l.out, err
}

// mixed is the mode of a log in which conjunctions and disjunctions take turns.
const mixed = "mixed"

// read reads the queries of the log, and returns how many it has.
func (f *loadFlags) read(s *reader.Snapshot) (queries []search.Query, n int, err error) {
	if f.dot != "" {
		queries, err = readDots(f.queries, f.dot, f.k)
		return queries, len(queries), err
	}
	log, err := readQueries(f.queries, s)
	if err == nil {
		queries, err = f.ask(log)
	}
	return queries, len(log), err
}

// ask makes queries of a log, those without terms left out.
func (f *loadFlags) ask(log []question) (queries []search.Query, err error) {
	modes := []query.Mode{query.ModeAnd, query.ModeOr}
	if f.mode.Value != mixed {
		var m query.Mode
		if err := m.UnmarshalText([]byte(f.mode.Value)); err != nil {
			return nil, err
		}
		modes = []query.Mode{m}
	}
	var algo search.Algorithm
	if err = algo.UnmarshalText([]byte(f.algo)); err != nil {
		return nil, err
	}
	for i := range log {
		if !log[i].empty() {
			q := log[i].ask(modes[i%len(modes)], f.k)
			q.Algorithm, q.Params = algo, f.own
			queries = append(queries, q)
		}
	}
	if len(queries) == 0 {
		return nil, fmt.Errorf("no query of %s has a term", f.queries)
	}
	return queries, nil
}

func openSearcher(dir string) (*search.Searcher, *reader.Snapshot, func(), error) {
	s, end, err := cli.Snapshot(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	q, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		end()
		return nil, nil, nil, cli.Opening(err)
	}
	return q, s, func() { q.Close(); end() }, nil
}

// rates measures what --model, --workers, --rate and --alone name.
func (l *loader) rates(ctx context.Context) error {
	workers := l.f.workers
	if len(workers) == 0 {
		workers = []int{l.out.CPUs}
	}
	var runs []run
	for _, rate := range l.f.rates {
		runs = append(runs, run{rate: rate})
	}
	for _, pause := range l.f.alone {
		runs = append(runs, run{alone: true, pause: pause})
	}
	if len(runs) == 0 {
		runs = []run{{rate: 0}}
	}
	find := l.f.finds()
	for _, r := range l.targets() {
		for _, r.workers = range workers {
			for _, how := range runs {
				one := r
				one.rate, one.alone, one.pause, one.threshold = how.rate, how.alone, how.pause, l.f.threshold
				row, err := l.measure(ctx, one, l.queries, l.f.time)
				if err != nil {
					return err
				}
				l.out.Rows = append(l.out.Rows, row)
				if find {
					if row, err = l.highest(ctx, one, row.Throughput); err != nil {
						return err
					}
					l.out.Rows = append(l.out.Rows, row)
				}
			}
		}
	}
	return nil
}

func (l *Load) Text(w io.Writer) {
	gpu := ""
	if l.GPU != "" {
		gpu = ", " + l.GPU
	}
	fmt.Fprintf(w, "%s: %s, %s, top %d, %s%s; latencies in microseconds, rate 0 is saturation\n", l.Index, cli.Number(l.Queries, "query"), l.Mode, l.K, cli.Number(l.CPUs, "CPU"), gpu)
	if len(l.Rows) > 0 {
		t := cli.NewTable("model", ">workers", ">threshold", ">rate", ">queries/s", ">CPUs", ">mean", ">p50", ">p95", ">p99", ">p99.9", ">max", ">late", ">refused", ">asked")
		for i := range l.Rows {
			t.Row(l.Rows[i].cells()...)
		}
		fmt.Fprintln(w)
		t.WriteTo(w)
	}
	l.sharesText(w)
	for i, line := range l.summary {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, line)
	}
}

func (r *LoadRow) cells() []any {
	some := func(n int) string {
		if n == 0 {
			return "-"
		}
		return fmt.Sprint(n)
	}
	rate := cli.Float(r.Offered, 3)
	if r.Alone {
		rate = "after " + (time.Duration(r.Pause) * time.Microsecond).String()
	}
	if r.Highest {
		rate = "highest: " + rate
	}
	name := r.Model
	if r.Device != onCPU {
		name = r.Device
	}
	out := []any{name, r.Workers, some(r.Threshold), rate, cli.Float(r.Throughput, 4), cli.Float(r.CPUs, 3)}
	for _, v := range []float64{r.Mean, r.P50, r.P95, r.P99, r.P999, r.Max} {
		if r.Mean == 0 {
			out = append(out, "-")
			continue
		}
		out = append(out, cli.Float(v, 3))
	}
	asked := "-"
	if r.Offered > 0 && !r.Alone && r.Mean > 0 {
		asked = cli.Float(r.Asked, 3)
	}
	return append(out, some(int(r.Missed)), some(int(r.Shed)), asked)
}
