package idxbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/store"
)

// Calibration is what `idxbench calibrate` prints.
type Calibration struct {
	Index   string           `json:"index"`
	Device  string           `json:"device"`
	Train   int              `json:"train_texts"` // different queries that the model is fitted to
	Test    int              `json:"test_texts"`  // different queries that it is tested on; none of them is among the others
	Rows    []CalibrationRow `json:"rows"`
	Step    *StepFit         `json:"step,omitempty"` // of single conjunctions; nil if none was measured
	Model   *hybrid.Model    `json:"model"`
	Checks  []CheckRow       `json:"checks,omitempty"`
	File    string           `json:"file"`
	Seconds float64          `json:"seconds"`
}

// CalibrationRow compares predicted and measured times of the queries that the model was
// not fitted to. Errors are relative to the measured time.
type CalibrationRow struct {
	Processor string  `json:"processor"`
	Mode      string  `json:"mode"`
	Train     int     `json:"train"`    // queries
	Features  string  `json:"features"` // that it was fitted to: all, Ding's, or none, with the built-in model
	Test      int     `json:"test"`
	Mean      float64 `json:"mean_us"` // measured, of a test query
	Median    float64 `json:"median_us"`
	MeanError float64 `json:"mean_error"`
	Error     float64 `json:"median_error"`
	// The same of a model that knows Ding's features alone.
	DingMeanError float64 `json:"ding_mean_error"`
	DingError     float64 `json:"ding_median_error"`
}

type calibrateFlags struct {
	index, out, record     string
	queries, modes         []string
	k                      []int
	workers, copies, limit int
	device                 int
	repeat                 int
	seed                   uint64
	rates                  []float64
	time, spin             time.Duration
}

func calibrateCommand() *cobra.Command {
	f := &calibrateFlags{}
	cmd := &cobra.Command{
		Use:   "calibrate --index DIR --queries FILE,...",
		Short: "Fit the cost model of the scheduler over CPU and GPU",
		Long: `Measure what queries cost on one core and on the GPU, and fit the model by which
--device hybrid chooses: from the lengths of the shortest and the second list, the
sum of the lengths and the number of terms (Ding 2009, section 9), and from k and
the bounds and codecs of the lists. Half of the queries, none of whose texts is
among the others, tests the model. Modes with few queries are fitted to Ding's
features alone, or keep the built-in model. Without a GPU only the CPU is measured.
It also fits from which length on single conjunctions are the GPU's (Griffin 2018,
section 3.2), and keeps the default unless the test queries are faster otherwise.

The model holds for this machine, its driver and this commit of the index. It is
kept in the user's folder for caches, where --device hybrid finds it.

With --check, the test queries also run as they arrive, and beside each run stands
the simulation of the same arrivals.`,
		Example: `  idxbench calibrate --index kjv.idx --queries topics.tsv
  idxbench calibrate --index kjv.idx --queries topics.tsv --record costs.csv
  idxbench calibrate --index kjv.idx --queries topics.tsv --check 1000,10000`,
		Args: cli.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := f.run(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return show(cmd, c)
		},
	}
	jsonFlag(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.index, "index", "", "index `DIR` (required)")
	fl.StringSliceVar(&f.queries, "queries", nil, cli.QueryFilesUsage+" (required)")
	cli.Output(fl, &f.out, "out", "", "write the model to `FILE` (default: where --device hybrid finds it)")
	cli.Output(fl, &f.record, "record", "", "write what each query costs to `FILE`, for idxbench load --simulate")
	fl.StringSliceVar(&f.modes, "mode", []string{query.And.String(), query.Or.String(), query.AndOr.String()}, "modes, as `MODE,...`; the others get the built-in model")
	fl.IntSliceVar(&f.k, "k", []int{10}, "how many documents are wanted, as `N,...`: queries take turns")
	cli.Int(fl, &f.workers, "workers", 0, 0, cli.MaxThreads, "workers that the CPU will have (default: one for each CPU)")
	cli.Int(fl, &f.copies, "copies", 256, 2, 4096, "ask the GPU `N` copies of a query at a time")
	cli.Int(fl, &f.limit, "limit", 2000, 8, cli.Any, "measure at most `N` different queries of each mode")
	cli.Int(fl, &f.repeat, "repeat", 3, 1, 1000, "measure each `N` times on the GPU and 2N times on the CPU, and take the median")
	deviceFlag(fl, &f.device)
	fl.Float64SliceVar(&f.rates, "check", nil, "at `R,...` arrivals a second, run the test queries and simulate them")
	fl.DurationVar(&f.time, "time", checkTime, "duration of a run of --check, after warming up for a quarter of it")
	fl.DurationVar(&f.spin, "spin", 0, "how long an idle worker looks for work before it sleeps, negative for not at all (default: the library's)")
	fl.Uint64Var(&f.seed, "seed", 1, "another `N` divides the queries otherwise")
	return cmd
}

func (f *calibrateFlags) check() error {
	switch {
	case f.index == "":
		return cli.Usage("--index is missing")
	case len(f.queries) == 0:
		return cli.Usage("--queries is missing")
	case len(f.modes) == 0 || len(f.k) == 0:
		return cli.Usage("--mode and --k name at least one")
	}
	if f.time <= 0 {
		return cli.Usage("--time is above 0")
	}
	for _, r := range f.rates {
		if !(r > 0 && r <= 1e7) {
			return cli.Usage("--check is above 0 and at most 10000000")
		}
	}
	for _, k := range f.k {
		if k < 1 || k > 1024 {
			return cli.Usage("--k is 1 to 1024")
		}
	}
	for i, m := range f.modes {
		if _, err := query.ParseMode(m); err != nil {
			return cli.Usage("%w", err)
		}
		if slices.Contains(f.modes[:i], m) {
			return cli.Usage("--mode names %s twice", m)
		}
	}
	return nil
}

func (f *calibrateFlags) run(ctx context.Context, stderr io.Writer) (out *Calibration, err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	s, snapshot, closeIndex, err := openSearcher(f.index)
	if err != nil {
		return nil, err
	}
	defer closeIndex()
	var terms [][][]byte
	for _, path := range f.queries {
		some, err := readQueries(path, snapshot)
		if err != nil {
			return nil, err
		}
		terms = append(terms, some...)
	}
	train, test := split(terms, f.limit, f.seed)
	if len(train) == 0 || len(test) == 0 {
		return nil, fmt.Errorf("%s: too few different queries to fit and to test a model", strings.Join(f.queries, ", "))
	}
	g, err := newGPU(s, snapshot, f.device)
	switch {
	case errors.Is(err, gpuload.ErrNoDevice) && f.device == allGPUs:
		fmt.Fprintf(stderr, "idxbench: measuring the CPU alone: %v\n", err)
	case err != nil:
		return nil, err
	default:
		defer g.close()
	}
	if f.workers == 0 {
		f.workers = runtime.GOMAXPROCS(0)
	}
	start := time.Now()
	out = &Calibration{Index: f.index, Device: g.name(), Train: len(train), Test: len(test)}
	m := *hybrid.DefaultModel()
	m.Version = hybrid.ModelVersion
	m.Key = hybrid.KeyOf(snapshot, out.Device, f.workers)
	m.Modes = map[string]*hybrid.Polynomials{}
	for mode, p := range hybrid.DefaultModel().Modes {
		m.Modes[mode] = p
	}
	p := cli.NewProgress(stderr, "calibrate", int64(len(f.modes)*(len(train)+len(test))), cli.ItemRate("queries"))
	defer p.Stop()
	c := &calibrator{flags: f, searcher: s, gpu: g, progress: p}
	for _, name := range f.modes {
		if err := c.mode(ctx, name, train, test); err != nil {
			return nil, err
		}
	}
	if err := c.fit(&m); err != nil {
		return nil, err
	}
	c.setSteps(&m)
	out.Model, out.Rows, out.Step = &m, c.rows(&m), c.step
	if len(c.train) > 0 && (len(f.rates) > 0 || f.record != "") { // for simulations
		if err := c.wakes(ctx, &m); err != nil {
			return nil, err
		}
	}
	if out.Checks, err = c.check(ctx, &m); err != nil {
		return nil, err
	}
	out.Seconds = time.Since(start).Seconds()
	return out, f.write(out, c, &m)
}

// readModel reads a file that calibrate wrote. If it is of an old version, it says so.
func readModel(path string, stderr io.Writer) (*hybrid.Model, error) {
	m, err := hybrid.ReadModel(path)
	if err == nil && m.Old() != nil {
		fmt.Fprintf(stderr, "idxbench: %s: %v\n", path, m.Old())
	}
	return m, err
}

// write writes the files.
func (f *calibrateFlags) write(out *Calibration, c *calibrator, m *hybrid.Model) (err error) {
	if f.record != "" {
		if err := c.record(f.record, m); err != nil {
			return err
		}
	}
	if out.File = f.out; out.File == "" {
		if out.File, err = m.Key.File(); err != nil {
			return fmt.Errorf("%w: --out names a file for the model", err)
		}
		if err = os.MkdirAll(filepath.Dir(out.File), 0o777); err != nil {
			return err
		}
	}
	return cli.WriteFile(out.File, false, m.Write)
}

// final returns what a query was measured and is predicted to cost.
func (c *calibrator) final(r *recorded, m *hybrid.Model) hybrid.Record {
	out := r.record
	out.Predicted = m.Predict(&r.features)
	if c.gpu == nil {
		out.Cost.GPU, out.Cost.Alone = out.Predicted.GPU, out.Predicted.Alone
	}
	// What the host does for a query can be measured for many at a time only.
	out.Cost.Host = out.Predicted.Host
	return out
}

// record writes what each query was measured and is predicted to cost.
func (c *calibrator) record(path string, m *hybrid.Model) error {
	var all []recorded
	for _, r := range slices.Concat(c.train, c.test) {
		r.record = c.final(&r, m)
		all = append(all, r)
	}
	return cli.WriteFile(path, false, func(w io.Writer) error { return writeCosts(w, all) })
}

// fewText says which modes have too few queries for all features.
func (c *Calibration) fewText(w io.Writer) {
	said := ""
	for _, r := range c.Rows {
		if r.Mode == said || r.Features == allTerms {
			continue
		}
		said = r.Mode
		what := "the built-in model stays"
		if r.Features == dings {
			what = "Ding's features alone are fitted"
		}
		fmt.Fprintf(w, "\n%s for %s, too few: %s; from %d on Ding's features are fitted, from %d on all", cli.Number(r.Train, "query"), r.Mode, what, fitsEach*hybrid.DingBasis, fitsEach*wholeBasis(r.Mode))
	}
	if said != "" {
		fmt.Fprintln(w)
	}
}

func (c *Calibration) text(w io.Writer) {
	device := "on " + c.Device
	if c.Device == noGPU {
		device = "without a GPU"
	}
	fmt.Fprintf(w, "%s %s: fitted to %s, tested on %s others, in %s\n\n", c.Index, device, cli.Number(c.Train, "query"), cli.Count(c.Test), cli.Seconds(time.Duration(c.Seconds*float64(time.Second))))
	t := cli.NewTable("processor", "mode", ">fitted to", "features", ">tested on", ">mean, us", ">median, us", ">mean error", ">median error", ">Ding's alone: mean", ">median")
	for _, r := range c.Rows {
		t.Row(r.Processor, r.Mode, r.Train, r.Features, r.Test, cli.Float(r.Mean, 3), cli.Float(r.Median, 3), cli.Float(100*r.MeanError, 3)+" %", cli.Float(100*r.Error, 3)+" %", cli.Float(100*r.DingMeanError, 3)+" %", cli.Float(100*r.DingError, 3)+" %")
	}
	t.WriteTo(w)
	c.fewText(w)
	if c.Device != noGPU {
		for _, name := range slices.Sorted(maps.Keys(c.Model.Batches)) {
			if more := c.Model.Batches[name].More; len(more) > 0 {
				of := more[len(more)-1]
				fmt.Fprintf(w, "\nof %s, a batch with %s of work takes %s more than the query in it that takes longest alone", name, cli.Seconds(of.Work), cli.Seconds(of.Time))
			}
		}
		fmt.Fprintf(w, "\na batch of one takes %s; a MB of lists that is not there takes %s; the cores work %s for a query\nthat the GPU answers, and %s for each term\n",
			cli.Seconds(c.Model.Batch), cli.Seconds(time.Duration(1e6*c.Model.Load)), cli.Seconds(c.Model.Host[0]), cli.Seconds(c.Model.Host[1]))
	}
	fmt.Fprintf(w, "\nwith all cores busy a query takes %s times as long\n", cli.Float(c.Model.Crowd, 3))
	c.stepsText(w)
	c.checkText(w)
	fmt.Fprintf(w, "wrote %s\n", c.File)
}
