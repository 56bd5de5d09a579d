package chart

import (
	"math"
	"strings"
)

// scale maps values of an axis to pixels.
type scale struct {
	log      bool
	lo, hi   float64 // values, or their logarithms
	from, to float64 // pixels
}

// usable reports whether v can be shown.
func (s *scale) usable(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!s.log || v > 0)
}

func (s *scale) value(v float64) float64 {
	if s.log {
		return math.Log10(v)
	}
	return v
}

func (s *scale) at(v float64) float64 {
	if s.hi == s.lo {
		return (s.from + s.to) / 2
	}
	return s.from + (s.value(v)-s.lo)/(s.hi-s.lo)*(s.to-s.from)
}

// fit makes a scale for the values of an axis.
func (a *Axis) fit(values []float64, from, to float64) scale {
	s := scale{log: a.Log, from: from, to: to, lo: math.Inf(1), hi: math.Inf(-1)}
	for _, v := range append(values, a.Ticks...) {
		if s.usable(v) {
			s.lo, s.hi = min(s.lo, s.value(v)), max(s.hi, s.value(v))
		}
	}
	if s.lo > s.hi {
		s.lo, s.hi = 0, 1
	}
	switch {
	case a.Log:
		s.lo, s.hi = s.lo-0.03, s.hi+0.03
	case a.Zero:
		s.lo, s.hi = min(s.lo, 0), s.hi*1.05
	}
	return s
}

// ticks chooses where the axis has marks.
func (a *Axis) ticks(s scale) []float64 {
	switch {
	case a.Ticks != nil:
		return a.Ticks
	case a.Log:
		return logTicks(s.lo, s.hi)
	}
	return linearTicks(s.lo, s.hi)
}

func logTicks(lo, hi float64) []float64 {
	steps := []float64{1, 2, 5}
	if hi-lo > 2.2 {
		steps = []float64{1}
	}
	var out []float64
	for e := math.Floor(lo); e <= hi; e++ {
		for _, m := range steps {
			if v := m * math.Pow(10, e); math.Log10(v) >= lo && math.Log10(v) <= hi {
				out = append(out, v)
			}
		}
	}
	return out
}

func linearTicks(lo, hi float64) []float64 {
	if !(hi > lo) {
		return []float64{lo}
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*m) <= 6 {
			step *= m
			break
		}
	}
	var out []float64
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		out = append(out, i*step)
	}
	return out
}

// tickLabel prints a value in a few characters: 2.5k for 2500.
func tickLabel(v float64) string {
	unit := ""
	switch a := math.Abs(v); {
	case a >= 1e9:
		v, unit = v/1e9, "G"
	case a >= 1e6:
		v, unit = v/1e6, "M"
	case a >= 1e4 || a >= 1e3 && math.Mod(a, 100) == 0:
		v, unit = v/1e3, "k"
	}
	return short(v) + unit
}

func (p *Panel) draw(s *svg, names []string) {
	var xs, ys []float64
	for _, line := range p.Series {
		for _, pt := range line.Points {
			xs, ys = append(xs, pt.X), append(ys, pt.Y)
		}
	}
	x := p.X.fit(xs, left, panelWidth-right)
	y := p.Y.fit(ys, panelHeight-bottom, top)
	s.text((left+panelWidth-right)/2, top-10, "middle", `font-weight="bold"`, p.Title)
	for _, v := range p.Y.ticks(y) {
		s.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#e4e4e4"/>`+"\n", left, y.at(v), panelWidth-right, y.at(v))
		s.text(left-6, y.at(v)+4, "end", "", tickLabel(v))
	}
	for _, v := range p.X.ticks(x) {
		s.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#e4e4e4"/>`+"\n", x.at(v), top, x.at(v), panelHeight-bottom)
		s.text(x.at(v), panelHeight-bottom+16, "middle", "", tickLabel(v))
	}
	s.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" stroke="#444444"/>`+"\n", left, top, panelWidth-right-left, panelHeight-bottom-top)
	s.text((left+panelWidth-right)/2, panelHeight-bottom+36, "middle", "", p.X.Label)
	s.printf(`<text transform="translate(%.1f %.1f) rotate(-90)" text-anchor="middle">%s</text>`+"\n", 16.0, (top+panelHeight-bottom)/2, escape.Replace(p.Y.Label))
	for _, line := range p.Series {
		number := 0
		for i, n := range names {
			if n == line.Name {
				number = i
			}
		}
		s.line(line.Points, x, y, number)
	}
}

// line draws the points, and lines between adjacent points that can be shown.
func (s *svg) line(points []Point, x, y scale, number int) {
	var path strings.Builder
	open := false
	for _, p := range points {
		if !x.usable(p.X) || !y.usable(p.Y) {
			open = false
			continue
		}
		if open {
			path.WriteString("L")
		} else {
			path.WriteString("M")
		}
		path.WriteString(short(x.at(p.X)) + " " + short(y.at(p.Y)))
		open = true
	}
	if path.Len() == 0 {
		return
	}
	s.printf(`<path d="%s" %s/>`+"\n", path.String(), stroke(number))
	for _, p := range points {
		if x.usable(p.X) && y.usable(p.Y) {
			s.marker(number, x.at(p.X), y.at(p.Y))
		}
	}
}
