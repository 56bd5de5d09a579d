package svgchart

import (
	"math"
	"strconv"
)

// label returns the label of an axis, which says whether it is logarithmic.
func (a *Axis) label() string {
	if a.Log {
		return a.Label + " (log scale)"
	}
	return a.Label
}

// shows reports whether v can be shown.
func (a *Axis) shows(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.Log || v > 0)
}

// scale maps values to coordinates.
type scale struct {
	lo, hi   float64
	log      bool
	from, to float64 // coordinates of lo and hi
}

// share returns where v lies between lo and hi.
func (s *scale) share(v float64) float64 {
	if s.log {
		return math.Log(v/s.lo) / math.Log(s.hi/s.lo)
	}
	return v/(s.hi-s.lo) - s.lo/(s.hi-s.lo)
}

// at returns the coordinate of v.
func (s *scale) at(v float64) float64 { return s.from + s.share(v)*(s.to-s.from) }

// ranges sets the ends of the axes so that they hold everything.
func (d *drawing) ranges() {
	x, y := &d.x, &d.y
	x.lo, x.hi, y.lo, y.hi = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	point := func(px, py float64) {
		if d.X.shows(px) && d.Y.shows(py) {
			x.lo, x.hi = min(x.lo, px), max(x.hi, px)
			y.lo, y.hi = min(y.lo, py), max(y.hi, py)
		}
	}
	for _, s := range d.Series {
		for _, p := range s.Points {
			point(p.X, p.Y)
		}
	}
	for _, b := range d.Bars {
		point(b.X0, b.Y)
		point(b.X1, b.Y)
		if !d.Y.Log {
			point(b.X0, 0)
		}
	}
	for _, m := range d.Marks {
		point(m.X, m.Y)
	}
	x.settle(&d.X)
	y.settle(&d.Y)
	if len(d.Marks) > 0 { // room for the marks and names at the edges
		x.widen(0.04, 0.14)
		y.widen(0.05, 0.05)
	}
	if len(d.Bars) > 0 {
		y.widen(0, 0.04)
	}
}

// settle makes lo less than hi, and applies what the axis asks for.
func (s *scale) settle(a *Axis) {
	if a.Zero && !a.Log {
		s.lo, s.hi = min(s.lo, 0), max(s.hi, 0)
	}
	if a.Log && a.Least > 0 {
		s.lo = min(a.Least, s.hi)
	}
	switch {
	case s.lo > s.hi: // nothing to show
		s.lo, s.hi = 1, 10
	case s.lo == s.hi && a.Log:
		s.lo, s.hi = max(s.lo/2, math.SmallestNonzeroFloat64), min(s.hi*2, math.MaxFloat64)
	case s.lo == s.hi:
		d := max(math.Abs(s.lo)/10, 1)
		s.lo, s.hi = s.lo-d, s.hi+d
	}
}

// widen moves the ends outwards by shares of the length.
func (s *scale) widen(low, high float64) {
	if s.log {
		l := math.Log(s.hi) - math.Log(s.lo)
		s.lo, s.hi = max(s.lo*math.Exp(-low*l), math.SmallestNonzeroFloat64), min(s.hi*math.Exp(high*l), math.MaxFloat64)
		return
	}
	l := s.hi - s.lo
	s.lo, s.hi = s.lo-low*l, s.hi+high*l
}

// tick is a labeled value.
type tick struct {
	value float64
	label string
}

// ticks returns at most about most ticks.
func (s *scale) ticks(most int) []tick {
	most = max(most, 2)
	if s.log {
		if t := s.logTicks(most); len(t) >= 2 {
			return t
		}
	}
	return s.linearTicks(most)
}

// linearTicks returns multiples of 1, 2 or 5 times a power of ten.
func (s *scale) linearTicks(most int) (out []tick) {
	rough := (s.hi - s.lo) / float64(most)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := power
	for _, f := range []float64{2, 5, 10} {
		if step < rough {
			step = f * power
		}
	}
	if first := math.Ceil(s.lo / step); !math.IsInf(step, 0) && step > 0 {
		for i := 0; i <= 2*most; i++ {
			v := (first + float64(i)) * step
			if v > s.hi+step*1e-9 {
				break
			}
			out = append(out, tick{v, label(v)})
		}
	}
	return out
}

// logTicks returns powers of ten, and up to two decades also twice and five times these.
func (s *scale) logTicks(most int) (out []tick) {
	const slack = 1e-9 // for powers of ten that are not exact
	low, high := math.Ceil(math.Log10(s.lo)-slack), math.Floor(math.Log10(s.hi)+slack)
	factors, step := []float64{1}, max(1, math.Ceil((high-low+1)/float64(most)))
	if s.hi/s.lo < 100 {
		factors, low = []float64{1, 2, 5}, low-1
	}
	for e := low; e <= high; e += step {
		for _, f := range factors {
			if v := f * math.Pow(10, e); v >= s.lo*(1-slack) && v <= s.hi*(1+slack) && v > 0 {
				out = append(out, tick{v, label(v)})
			}
		}
	}
	return out
}

// label prints a value, from 1,000 on with a decimal unit.
func label(v float64) string {
	size, unit := math.Abs(v), ""
	switch {
	case size == 0:
		return "0"
	case size < 1 || size >= 1e18:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	for _, u := range []string{"k", "M", "G", "T", "P"} {
		if size < 1000 {
			break
		}
		v, size, unit = v/1000, size/1000, u
	}
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) + unit
}
