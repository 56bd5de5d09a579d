package idxbench

import (
	"math"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/pinion-index/pinion/gpuload/hybrid"
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
	x, ding  [][]float64 // terms of the polynomials
	cpu, gpu []time.Duration
}

func (s *samples) add(r *recorded) {
	var x [hybrid.Basis]float64
	var d [hybrid.DingBasis]float64
	r.features.Expand(&x)
	r.features.ExpandDing(&d)
	s.x, s.ding = append(s.x, x[:]), append(s.ding, d[:])
	s.cpu, s.gpu = append(s.cpu, r.record.Cost.CPU), append(s.gpu, r.record.Cost.GPU)
}

// fit sets the parts of m that were measured, and those of c.ding, which knows Ding's
// features alone.
func (c *calibrator) fit(m *hybrid.Model) error {
	c.ding = *m
	c.ding.Modes = map[string]*hybrid.Polynomials{}
	for mode, p := range m.Modes {
		c.ding.Modes[mode] = p
	}
	for _, name := range c.flags.modes {
		var s samples
		for i := range c.train {
			if c.train[i].mode == name {
				s.add(&c.train[i])
			}
		}
		if len(s.x) == 0 {
			continue // no query of the mode matches anything
		}
		for _, to := range []struct {
			m *hybrid.Model
			x [][]float64
		}{{m, s.x}, {&c.ding, s.ding}} {
			p := *to.m.Modes[name]
			var err error
			if p.CPU, err = fit(to.x, s.cpu); err != nil {
				return err
			}
			if c.gpu != nil {
				if p.GPU, err = fit(to.x, s.gpu); err != nil {
					return err
				}
			}
			to.m.Modes[name] = &p
		}
	}
	m.Crowd = max(float64(c.crowded)/float64(max(c.alone, 1)), 1)
	if c.gpu != nil {
		m.Batch, m.Each, m.Depth = fitBatches(c.lone)
		m.Host, m.Load = fitHost(c.host), c.load
	}
	c.ding.Batch, c.ding.Each, c.ding.Depth = m.Batch, m.Each, m.Depth
	if err := c.ding.Prepare(); err != nil {
		return err
	}
	return m.Prepare()
}

// fitBatches returns what batches take that are alone: a fixed time, one for each query, and
// a multiple of their work. Least squares of relative errors find them; none is below 0.
func fitBatches(samples []batchSample) (fixed, each time.Duration, depth float64) {
	var a [3][3]float64
	var b, c [3]float64
	for _, s := range samples {
		took := float64(max(s.took, 1))
		x := [3]float64{1 / took, float64(s.n) / took, float64(s.work) / took}
		for i := range x {
			b[i] += x[i]
			for k := range x {
				a[i][k] += x[i] * x[k]
			}
		}
	}
	for range 2000 { // of one after the other
		for i := range c {
			if a[i][i] == 0 {
				continue
			}
			left := b[i]
			for k := range c {
				if k != i {
					left -= a[i][k] * c[k]
				}
			}
			c[i] = max(left/a[i][i], 0)
		}
	}
	return time.Duration(c[0]), time.Duration(c[1]), c[2]
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
