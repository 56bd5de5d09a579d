package idxbench

import (
	"maps"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/query"
)

const (
	// ridge keeps coefficients of what the queries do not tell apart near 0. It is relative to
	// the number of samples, in units of standard deviations.
	ridge = 1e-3
	// Least squares are repeated fitRounds times, each error weighted by what it was before, so
	// that their sum tends to that of absolute relative errors. Errors below leastError count
	// by their squares.
	fitRounds  = 8
	leastError = 0.1
	fitStep    = 0.7
)

// fit returns the polynomial whose relative errors are least, for times measured for
// queries with these terms of the polynomial.
func fit(x [][]float64, times []time.Duration) ([]float64, error) {
	mean, scale := standard(x)
	n := len(mean)
	c := mat.NewVecDense(n, nil)
	for round := range fitRounds {
		a, b := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
		row := mat.NewVecDense(n, nil)
		for i := range x {
			for k, v := range x[i] {
				row.SetVec(k, (v-mean[k])*scale[k])
			}
			log := math.Log2(float64(max(times[i], 1)))
			// At first the error is that of the logarithm, then of the time.
			missed, slope, weight := mat.Dot(row, c)-log, 1.0, 1.0
			if round > 0 {
				missed = math.Exp2(min(max(missed, -3), 3)) - 1
				slope = math.Ln2 * (1 + missed)
				weight = 1 / max(math.Abs(missed), leastError)
			}
			a.SymRankOne(a, weight*slope*slope, row)
			b.AddScaledVec(b, -weight*slope*missed, row)
		}
		for k := 1; k < n; k++ {
			a.SetSym(k, k, a.At(k, k)+ridge*float64(len(x)))
			b.SetVec(k, b.AtVec(k)-ridge*float64(len(x))*c.AtVec(k))
		}
		var step mat.VecDense
		if err := step.SolveVec(a, b); err != nil {
			if _, ill := err.(mat.Condition); !ill {
				return nil, err
			}
		}
		size := fitStep
		if round == 0 {
			size = 1
		}
		c.AddScaledVec(c, size, &step)
	}
	out := make([]float64, n)
	for k := range out {
		out[k] = c.AtVec(k) * scale[k]
		if k > 0 {
			out[0] -= out[k] * mean[k]
		}
	}
	return out, nil
}

// standard returns what to subtract from the columns of x, and to multiply them by, so that
// they have mean 0 and deviation 1. Columns that are the same everywhere become 0: x says
// nothing about other values.
func standard(x [][]float64) (mean, scale []float64) {
	n := len(x[0])
	mean, scale = make([]float64, n), make([]float64, n)
	column := make([]float64, len(x))
	for k := range n {
		for i := range x {
			column[i] = x[i][k]
		}
		var deviation float64
		if mean[k], deviation = stat.PopMeanStdDev(column, nil); deviation > 1e-6*(1+math.Abs(mean[k])) {
			scale[k] = 1 / deviation
		}
	}
	mean[0], scale[0] = 0, 1
	return mean, scale
}

// samples are the queries of a mode that a model is fitted to.
type samples struct {
	x, ding         [][]float64 // terms of the polynomials
	cpu, gpu, alone []time.Duration
}

func (s *samples) add(r *recorded) {
	var x [hybrid.Basis]float64
	var d [hybrid.DingBasis]float64
	r.features.ExpandDing(&d)
	s.x, s.ding = append(s.x, r.features.Expand(&x)), append(s.ding, d[:])
	t := r.record.Cost
	s.cpu, s.gpu, s.alone = append(s.cpu, t.CPU), append(s.gpu, t.GPU), append(s.alone, t.Alone)
}

// fitsEach is how many queries of a mode there are at least for each coefficient of a polynomial:
// fewer say little about others.
const fitsEach = 4

// Values of CalibrationRow.Features.
const (
	builtIn  = "built in"
	dings    = "Ding's"
	allTerms = "all"
)

// wholeBasis returns the number of coefficients of a mode's whole polynomial.
func wholeBasis(mode string) int {
	if mode == query.And.String() {
		return hybrid.AndBasis
	}
	return hybrid.Basis
}

// featuresFor returns which features so many queries of a mode are enough for.
func featuresFor(mode string, queries int) string {
	switch {
	case queries >= fitsEach*wholeBasis(mode):
		return allTerms
	case queries >= fitsEach*hybrid.DingBasis:
		return dings
	}
	return builtIn
}

// fit sets the parts of m that were measured, and those of c.ding, which knows Ding's
// features alone. Modes of too few queries keep the built-in model.
func (c *calibrator) fit(m *hybrid.Model) error {
	c.ding = *m
	c.ding.Modes, c.ding.Batches = maps.Clone(m.Modes), map[string]*hybrid.BatchTimes{}
	m.Batches = map[string]*hybrid.BatchTimes{}
	for _, name := range c.flags.modes {
		var s samples
		for i := range c.train {
			if c.train[i].mode == name {
				s.add(&c.train[i])
			}
		}
		x := s.x
		if len(x) == 0 {
			continue // no query of the mode matches anything
		}
		switch featuresFor(name, len(x)) {
		case builtIn:
			continue
		case dings:
			x = s.ding
		}
		for _, to := range []struct {
			m *hybrid.Model
			x [][]float64
		}{{m, x}, {&c.ding, s.ding}} {
			p := *to.m.Modes[name]
			var err error
			if p.CPU, err = fit(to.x, s.cpu); err != nil {
				return err
			}
			to.m.Modes[name] = &p
			if c.gpu == nil {
				continue
			}
			if p.GPU, err = fit(to.x, s.gpu); err != nil {
				return err
			}
			b := c.fitBatches(name)
			if b.Alone, err = fit(to.x, s.alone); err != nil {
				return err
			}
			to.m.Batches[name] = &b
		}
	}
	m.Crowd = float64(c.crowded) / float64(max(c.alone, 1))
	if c.gpu != nil {
		m.Batch, m.Host, m.Load, m.Launch = c.fixed(), fitHost(c.host), c.load, c.launch
	}
	c.ding.Batch = m.Batch
	if err := c.ding.Prepare(); err != nil {
		return err
	}
	return m.Prepare()
}

// fixed returns what a batch takes beside its queries: the median of batches of one query, in
// the mode in which that is least.
func (c *calibrator) fixed() (least time.Duration) {
	for _, mode := range c.flags.modes {
		var all times
		for i := range c.train {
			if r := &c.train[i]; r.mode == mode {
				all = append(all, r.record.Cost.Alone)
			}
		}
		all.sort()
		if len(all) > 0 && (least == 0 || all.at(0.5) < least) {
			least = all.at(0.5)
		}
	}
	return least
}

// fitBatches returns what batches of a mode take more than the query in them that takes
// longest alone: medians by the number of queries, made to ascend.
func (c *calibrator) fitBatches(mode string) (b hybrid.BatchTimes) {
	bySize := map[int][2]times{} // work of the others, time
	for _, s := range c.lone {
		if s.mode.String() == mode {
			of := &s.load[s.mode]
			v := bySize[of.Queries]
			v[0], v[1] = append(v[0], of.Work-of.Longest.GPU), append(v[1], s.took-of.Longest.Alone)
			bySize[of.Queries] = v
		}
	}
	last := hybrid.MoreTime{}
	for _, n := range slices.Sorted(maps.Keys(bySize)) {
		v := bySize[n]
		v[0].sort()
		v[1].sort()
		next := hybrid.MoreTime{Work: v[0].at(0.5), Time: max(v[1].at(0.5), last.Time)}
		if next.Work > last.Work {
			b.More = append(b.More, next)
			last = next
		}
	}
	return b
}

// fitHost returns the time of the cores for a query and for each of its terms, by least
// squares; neither is below 0.
func fitHost(samples []hostSample) (host [2]time.Duration) {
	if len(samples) == 0 {
		return host
	}
	var x, y []float64
	for _, s := range samples {
		x, y = append(x, s.terms), append(y, float64(s.took))
	}
	each, mean := stat.Mean(y, nil), stat.Mean(x, nil)
	if len(samples) > 1 && stat.Variance(x, nil) > 0 {
		alpha, beta := stat.LinearRegression(x, y, nil, false)
		if alpha >= 0 && beta >= 0 {
			return [2]time.Duration{time.Duration(alpha), time.Duration(beta)}
		}
	}
	return [2]time.Duration{0, time.Duration(each / max(mean, 1))}
}
