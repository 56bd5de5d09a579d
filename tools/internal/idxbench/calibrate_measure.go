package idxbench

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
	"github.com/pinion-index/pinion/tools/internal/cli"
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
		queries = append(queries, query.Query{Terms: t, K: c.flags.k[i%len(c.flags.k)], Mode: mode})
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
	if err := c.crowd(ctx, queries); err != nil {
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
	return c.beside(ctx, queries)
}

// batchSample is a batch that was alone on the GPU, and what its queries take.
type batchSample struct {
	mode query.Mode
	load hybrid.Load
	took time.Duration
}

// batches measures batches of different queries of a mode, one at a time.
func (c *calibrator) batches(ctx context.Context, mode string) error {
	var all []*recorded
	for _, some := range [][]recorded{c.train, c.test} {
		for i := range some {
			if some[i].mode == mode {
				all = append(all, &some[i])
			}
		}
	}
	at := 0
	for n := 2; n <= 4096 && n <= 16*len(all); n *= 2 {
		for range batchesOfSize {
			some := make([]query.Query, n)
			s := batchSample{}
			for i := range some {
				r := all[at%len(all)]
				some[i], s.mode = r.query, r.query.Mode
				s.load.Add(s.mode, r.record.Cost)
				at++
			}
			var err error
			if s.took, err = c.median(func() error {
				_, err := c.gpu.x.Execute(ctx, some)
				return err
			}); err != nil {
				return err
			}
			c.lone = append(c.lone, s)
		}
	}
	return nil
}

// beside measures small batches that many goroutines ask for: what is left of a batch's time
// when the rest overlaps with others.
func (c *calibrator) beside(ctx context.Context, queries []query.Query) error {
	const goroutines, size = 2 * submitters, 8
	var batches atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, goroutines)
	begin, work := time.Now(), time.Duration(0)
	for i := range errs {
		group.Go(func() {
			some := make([]query.Query, size)
			for at := i * len(queries) / goroutines; errs[i] == nil && time.Since(begin) < 100*time.Millisecond; at += size {
				for k := range some {
					some[k] = queries[(at+k)%len(queries)]
				}
				_, errs[i] = c.gpu.x.Execute(ctx, some)
				batches.Add(1)
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	n := 0
	for _, all := range [][]recorded{c.train, c.test} {
		for i := range all {
			if all[i].record.Mode == queries[0].Mode {
				work += all[i].record.Cost.GPU
				n++
			}
		}
	}
	each := time.Since(begin)/time.Duration(batches.Load()) - size*work/time.Duration(max(n, 1))
	if each = max(each, 0); c.launch == 0 || each < c.launch {
		c.launch = each
	}
	return nil
}

// batchesOfSize is how many batches of each size and mode are measured.
const batchesOfSize = 8

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
	all := make([]times, len(queries))
	warm := false
	for begin := time.Now(); len(all) > 0 && (len(all[0]) < 2*c.flags.repeat || time.Since(begin) < passTime); {
		for i := range queries {
			start := time.Now()
			if err := answer(&queries[i]); err != nil {
				return nil, err
			}
			if took := time.Since(start); warm {
				all[i] = append(all[i], took)
			}
		}
		if !warm {
			warm = time.Since(begin) >= passTime/2
		}
	}
	out := make([]time.Duration, len(queries))
	for i := range all {
		all[i].sort()
		out[i] = all[i][len(all[i])/2]
	}
	return out, nil
}

// passTime is how long passes take at least. The first half does not count.
const passTime = 400 * time.Millisecond

// onCore returns passes on one core.
func (c *calibrator) onCore(ctx context.Context, queries []query.Query) ([]time.Duration, error) {
	return c.passes(queries, func(q *query.Query) (err error) {
		c.hits, err = c.searcher.AppendHits(ctx, c.hits[:0], q)
		return err
	})
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

// crowd measures the queries on all cores at once.
func (c *calibrator) crowd(ctx context.Context, queries []query.Query) error {
	alone := time.Duration(math.MaxInt64)
	for range c.flags.repeat + 1 { // the first finds caches that have held other things
		begin := time.Now()
		for i := range queries {
			var err error
			if c.hits, err = c.searcher.AppendHits(ctx, c.hits[:0], &queries[i]); err != nil {
				return err
			}
		}
		alone = min(alone, time.Since(begin))
	}
	c.alone += alone
	p, err := pool.New(c.searcher, pool.Options{Workers: c.flags.workers})
	if err != nil {
		return err
	}
	defer p.Close()
	var row LoadRow
	const d = 500 * time.Millisecond
	if err := saturate(ctx, cpuTarget{p}, queries, d, &row); err != nil {
		return err
	}
	c.crowded += time.Duration(float64(c.flags.workers) * float64(len(queries)) / max(row.Throughput, 1) * float64(time.Second))
	return nil
}

// measure measures one query, which takes a core the time cpu and the GPU the time alone. ok
// is false if no document can match, so that there is nothing to predict.
func (c *calibrator) measure(ctx context.Context, q *query.Query, cpu, alone time.Duration) (r recorded, ok bool, err error) {
	infos, err := c.searcher.AppendTermInfo(nil, q.Terms)
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

// batch asks the GPU n copies of a query. It returns how long that took, and how long the
// device was busy.
func (c *calibrator) batch(ctx context.Context, q *query.Query, n int) (took, busy time.Duration, err error) {
	queries := slices.Repeat([]query.Query{*q}, n)
	var all times
	took, err = c.median(func() error {
		before := c.gpu.x.Stats().Busy
		_, err := c.gpu.x.Execute(ctx, queries)
		all = append(all, c.gpu.x.Stats().Busy-before)
		return err
	})
	all.sort()
	return took, all[len(all)/2], err
}

// submitters is how many goroutines ask for batches at the same time, as a scheduler does.
const submitters = 4

// hosts measures what the cores do for large batches: of queries with few terms, and of
// those with many. It also corrects the times on the device: copies of a query find their
// lists in its caches, different queries less often.
func (c *calibrator) hosts(ctx context.Context, mode string, queries []query.Query) error {
	byTerms := slices.Clone(queries)
	slices.SortStableFunc(byTerms, func(a, b query.Query) int { return len(a.Terms) - len(b.Terms) })
	half := len(byTerms) / 2
	device := 0.0
	for _, some := range [][]query.Query{byTerms[:half], byTerms[half:]} {
		if len(some) == 0 {
			continue
		}
		terms := 0
		for i := range some {
			terms += len(some[i].Terms)
		}
		var rounds atomic.Int64
		begin, used, busy := time.Now(), cputime.Process(), c.gpu.x.Stats().Busy
		var group sync.WaitGroup
		errs := make([]error, submitters)
		for i := range errs {
			group.Go(func() {
				for errs[i] == nil {
					_, errs[i] = c.gpu.x.Execute(ctx, some)
					if rounds.Add(1) >= submitters && time.Since(begin) > 200*time.Millisecond {
						return
					}
				}
			})
		}
		group.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		took := time.Since(begin)
		if busy = c.gpu.x.Stats().Busy - busy; busy > 0 {
			took = min(took, busy)
		}
		device += float64(took) / float64(rounds.Load())
		c.host = append(c.host, hostSample{float64(terms) / float64(len(some)), (cputime.Process() - used) / time.Duration(int(rounds.Load())*len(some))})
	}
	c.correct(mode, device)
	return nil
}

// correct makes the times on the device of a mode's queries add up to what all of them
// took.
func (c *calibrator) correct(mode string, device float64) {
	sum := 0.0
	each := func(f func(r *recorded)) {
		for _, all := range [][]recorded{c.train, c.test} {
			for i := range all {
				if all[i].mode == mode {
					f(&all[i])
				}
			}
		}
	}
	each(func(r *recorded) { sum += float64(r.record.Cost.GPU) })
	if sum == 0 {
		return
	}
	each(func(r *recorded) {
		r.record.Cost.GPU = max(time.Duration(float64(r.record.Cost.GPU)*device/sum), 1)
	})
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
