package idxbench

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/loadtest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
)

// split divides the different queries of a log at random: half of them are for the test. No
// text is in both; queries that differ in the order of words are the same.
func split(terms [][][]byte, limit int, seed uint64) (train, test [][][]byte) {
	seen := map[string]bool{}
	var all [][][]byte
	for _, t := range terms {
		words := make([]string, len(t))
		for i := range t {
			words[i] = string(t[i])
		}
		slices.Sort(words)
		if text := strings.Join(words, "\x00"); len(t) > 0 && !seen[text] {
			seen[text] = true
			all = append(all, t)
		}
	}
	rand.New(rand.NewPCG(seed, 23)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(limit, len(all))]
	n := len(all) / 2
	return all[n:], all[:n]
}

// calibrator measures queries.
type calibrator struct {
	flags    *calibrateFlags
	searcher *query.Searcher
	gpu      *gpu // nil: only the CPU is measured
	ding     hybrid.Model
	progress *cli.Progress
	done     int64
	hits     []query.Hit // memory

	train, test []recorded
	host        []hostSample
	lone        []batchSample
	going       times // what a batch of one takes more right after another
	step        *StepFit
	load        float64       // Model.Load
	launch      time.Duration // Model.Launch

	alone, crowded time.Duration // of cores for the same queries: one after the other, and all cores at once
}

// hostSample is the time of the cores for a query of a large batch, by number of terms.
type hostSample struct {
	terms float64
	took  time.Duration
}

// mode measures the queries of a mode.
func (c *calibrator) mode(ctx context.Context, name string, train, test [][][]byte) error {
	mode, err := query.ParseMode(name)
	if err != nil {
		return err
	}
	var queries []query.Query
	for i, t := range slices.Concat(train, test) {
		queries = append(queries, query.Query{RawTerms: t, K: c.flags.k[i%len(c.flags.k)], Mode: mode})
	}
	if err := c.bring(ctx, queries); err != nil {
		return err
	}
	cpu, err := c.onCore(ctx, queries)
	if err != nil {
		return err
	}
	alone, err := c.onGPU(ctx, queries)
	if err != nil {
		return err
	}
	for i := range queries {
		r, ok, err := c.measure(ctx, &queries[i], cpu[i], alone[i])
		if err != nil {
			return err
		}
		c.done++
		c.progress.Set(c.done)
		switch {
		case !ok:
		case i < len(train):
			c.train = append(c.train, r)
		default:
			c.test = append(c.test, r)
		}
	}
	if err := c.crowd(ctx, queries, cpu); err != nil {
		return err
	}
	if c.gpu == nil {
		return nil
	}
	if err := c.hosts(ctx, name, queries); err != nil {
		return err
	}
	if err := c.batches(ctx, name); err != nil {
		return err
	}
	if err := c.beside(ctx, queries); err != nil {
		return err
	}
	if mode != query.And {
		return nil
	}
	return c.steps(ctx, queries, len(train))
}

// bring brings the lists of queries to the device, and measures that the first time.
func (c *calibrator) bring(ctx context.Context, queries []query.Query) error {
	if c.gpu == nil {
		return nil
	}
	var took [2]time.Duration
	before := c.gpu.x.Stats().Stored
	for i := range took {
		begin := time.Now()
		if _, err := c.gpu.x.Execute(ctx, queries); err != nil {
			return err
		}
		took[i] = time.Since(begin)
	}
	if bytes := c.gpu.x.Stats().Stored - before; c.load == 0 && bytes > 0 {
		c.load = float64(max(took[0]-took[1], 0)) / float64(bytes)
	}
	return nil
}

// passes returns the time of each query, in the company of the others: the medians of
// several passes over all of them, after the first ones, which find a processor that rests and
// memory that nobody has read.
func (c *calibrator) passes(queries []query.Query, answer func(q *query.Query) error) ([]time.Duration, error) {
	took, err := c.turns(queries, answer)
	if err != nil {
		return nil, err
	}
	return took[0], nil
}

// turns returns passes of each way to answer queries. The ways take turns, so that they meet the same
// clock and the same neighbors on the host.
func (c *calibrator) turns(queries []query.Query, ways ...func(q *query.Query) error) ([][]time.Duration, error) {
	all := make([][]times, len(ways))
	out := make([][]time.Duration, len(ways))
	for w := range ways {
		all[w], out[w] = make([]times, len(queries)), make([]time.Duration, len(queries))
	}
	warm := false
	for begin := time.Now(); len(queries) > 0 && (len(all[0][0]) < 2*c.flags.repeat || time.Since(begin) < passTime); {
		for w, answer := range ways {
			for i := range queries {
				start := time.Now()
				if err := answer(&queries[i]); err != nil {
					return nil, err
				}
				if took := time.Since(start); warm {
					all[w][i] = append(all[w][i], took)
				}
			}
		}
		if !warm {
			warm = time.Since(begin) >= passTime/2
		}
	}
	for w := range all {
		for i, t := range all[w] {
			t.sort()
			out[w][i] = t[len(t)/2]
		}
	}
	return out, nil
}

// passTime is how long passes take at least. The first half does not count.
const passTime = 400 * time.Millisecond

// onCore returns passes on one core.
func (c *calibrator) onCore(ctx context.Context, queries []query.Query) ([]time.Duration, error) {
	return c.passes(queries, c.core(ctx))
}

// core answers on one core.
func (c *calibrator) core(ctx context.Context) func(q *query.Query) error {
	return func(q *query.Query) (err error) {
		c.hits, err = c.searcher.AppendHits(ctx, c.hits[:0], q)
		return err
	}
}

// onGPU returns passes in batches of one query.
func (c *calibrator) onGPU(ctx context.Context, queries []query.Query) ([]time.Duration, error) {
	if c.gpu == nil {
		return make([]time.Duration, len(queries)), nil
	}
	return c.passes(queries, func(q *query.Query) error {
		_, err := c.gpu.x.Execute(ctx, []query.Query{*q})
		return err
	})
}

// crowd measures queries on all cores at once that take one core the times alone.
func (c *calibrator) crowd(ctx context.Context, queries []query.Query, alone []time.Duration) error {
	for _, t := range alone {
		c.alone += t
	}
	p, err := pool.New(c.searcher, pool.Options{Workers: c.flags.workers})
	if err != nil {
		return err
	}
	defer p.Close()
	most := 0.0
	for range c.flags.repeat { // others use the host, too
		var row LoadRow
		if err := loadtest.Saturate(ctx, cpuTarget{p}, queries, backlog, 200*time.Millisecond, &row.Result); err != nil {
			return err
		}
		most = max(most, row.Throughput)
	}
	c.crowded += time.Duration(float64(c.flags.workers) * float64(len(queries)) / max(most, 1) * float64(time.Second))
	return nil
}

// measure measures one query, which takes a core the time cpu and the GPU the time alone. ok
// is false if no document can match, so that there is nothing to predict.
func (c *calibrator) measure(ctx context.Context, q *query.Query, cpu, alone time.Duration) (r recorded, ok bool, err error) {
	infos, err := c.searcher.AppendTermInfo(nil, q.RawTerms)
	if err != nil {
		return r, false, err
	}
	r.features, r.mode, r.query = hybrid.FeaturesOf(q, infos), q.Mode.String(), *q
	if r.features.Terms == 0 || q.Mode == query.And && r.features.Shortest == 0 {
		return r, false, nil
	}
	r.record.Mode, r.record.Cost.CPU, r.record.Cost.Alone = q.Mode, cpu, alone
	if c.gpu == nil {
		return r, true, nil
	}
	one, busyOne, err := c.batch(ctx, q, 1)
	if err != nil {
		return r, false, err
	}
	n := c.flags.copies
	many, busyMany, err := c.batch(ctx, q, n)
	if err != nil {
		return r, false, err
	}
	if busyMany > 0 { // otherwise the device does not say when its kernels run
		r.record.Cost.GPU = share(busyOne, busyMany, n)
	} else {
		r.record.Cost.GPU = share(one, many, n)
	}
	return r, true, nil
}

// share returns the time of one of n copies, given the times of one and of all. At least a
// quarter of the time is theirs, whatever one copy took.
func share(one, all time.Duration, n int) time.Duration {
	return max((all-one)/time.Duration(n-1), all/time.Duration(4*n), 1)
}

// median measures f --repeat times, after once.
func (c *calibrator) median(f func() error) (time.Duration, error) {
	all := make(times, 0, c.flags.repeat)
	for i := range c.flags.repeat + 1 {
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		if i > 0 {
			all = append(all, time.Since(start))
		}
	}
	all.sort()
	return all[len(all)/2], nil
}

// predictions are what rows compare: what was measured, and what the model says.
var predictions = []struct {
	name  string
	onGPU bool
	of    func(hybrid.Cost) time.Duration
}{
	{"CPU", false, func(c hybrid.Cost) time.Duration { return c.CPU }},
	{"GPU, in a batch", true, func(c hybrid.Cost) time.Duration { return c.GPU }},
	{"GPU, alone", true, func(c hybrid.Cost) time.Duration { return c.Alone }},
}

// rows compares predictions with measurements.
func (c *calibrator) rows(m *hybrid.Model) (rows []CalibrationRow) {
	for _, mode := range c.flags.modes {
		for _, p := range predictions {
			row := CalibrationRow{Processor: p.name, Mode: mode}
			var took times
			var errs, ding []float64
			for i := range c.train {
				if c.train[i].mode == mode {
					row.Train++
				}
			}
			row.Features = featuresFor(mode, row.Train)
			for i := range c.test {
				if r := &c.test[i]; r.mode == mode {
					was := p.of(r.record.Cost)
					missed := func(m *hybrid.Model) float64 {
						return math.Abs(float64(p.of(m.Predict(&r.features))-was)) / float64(max(was, 1))
					}
					took, errs, ding = append(took, was), append(errs, missed(m)), append(ding, missed(&c.ding))
				}
			}
			if row.Test = len(took); row.Test == 0 || p.onGPU && c.gpu == nil {
				continue
			}
			took.sort()
			slices.Sort(errs)
			slices.Sort(ding)
			row.Mean, row.Median = float64(took.mean())/1e3, float64(took.at(0.5))/1e3
			row.MeanError, row.Error = stat.Mean(errs, nil), errs[len(errs)/2]
			row.DingMeanError, row.DingError = stat.Mean(ding, nil), ding[len(ding)/2]
			rows = append(rows, row)
		}
	}
	return rows
}
