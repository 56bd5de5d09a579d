package idxbench

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/pinion-index/pinion/gpuload/hybrid"
)

// ridge keeps coefficients of features that the queries do not tell apart near 0. It is
// relative to the number of samples.
const ridge = 1e-4

// fit returns the polynomial that is nearest, by least squares of logarithms, to times
// measured for queries with these features.
func fit(features []hybrid.Features, times []time.Duration) ([]float64, error) {
	rows := len(features)
	a, b := mat.NewDense(rows+hybrid.Basis, hybrid.Basis, nil), mat.NewVecDense(rows+hybrid.Basis, nil)
	var x [hybrid.Basis]float64
	for i := range features {
		features[i].Expand(&x)
		a.SetRow(i, x[:])
		b.SetVec(i, math.Log2(float64(max(times[i], 1))))
	}
	for i := 1; i < hybrid.Basis; i++ {
		a.Set(rows+i, i, math.Sqrt(ridge*float64(rows)))
	}
	var c mat.VecDense
	if err := c.SolveVec(a, b); err != nil {
		if _, ill := err.(mat.Condition); !ill {
			return nil, err
		}
	}
	return slices.Clone(c.RawVector().Data), nil
}

// fit sets the parts of m that were measured.
func (c *calibrator) fit(m *hybrid.Model) error {
	for _, name := range c.flags.modes {
		var features []hybrid.Features
		var cpu, gpu []time.Duration
		for _, r := range c.train {
			if r.mode == name {
				features, cpu, gpu = append(features, r.features), append(cpu, r.record.Cost.CPU), append(gpu, r.record.Cost.GPU)
			}
		}
		if len(features) == 0 {
			continue // no query of the mode matches anything
		}
		p := &hybrid.Polynomials{}
		var err error
		if p.CPU, err = fit(features, cpu); err != nil {
			return err
		}
		if p.GPU, err = fit(features, gpu); err != nil {
			return err
		}
		m.Modes[name] = p
	}
	var fixed times
	for i := range c.train {
		fixed = append(fixed, max(c.train[i].record.Alone-c.train[i].record.Cost.GPU, 0))
	}
	fixed.sort()
	m.Batch = fixed.at(0.5)
	m.Host = fitHost(c.host)
	m.Crowd = max(float64(c.crowded)/float64(max(c.alone, 1)), 1)
	return m.Prepare()
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
