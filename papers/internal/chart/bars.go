package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scatter adds the points of the series.
func (p *Panel) scatter(out *plot.Plot, names []string) error {
	for _, s := range p.Series {
		_, glyph := s.style(names)
		glyph.Radius = vg.Points(1)
		for _, part := range p.parts(s.Points) {
			points, err := plotter.NewScatter(part)
			if err != nil {
				return err
			}
			points.GlyphStyle = glyph
			out.Add(points)
		}
	}
	return nil
}

// bars adds the series side by side, in groups for Bars, and over one another for
// Histogram.
func (p *Panel) bars(out *plot.Plot, names []string) error {
	group := 0.8
	if p.Kind == Histogram {
		group = p.step()
	}
	for i, s := range p.Series {
		line, _ := s.style(names)
		width, left := group, -group/2
		if p.Kind == Bars {
			width /= float64(len(p.Series))
			left += width * float64(i)
		}
		for _, q := range s.Points {
			if !p.X.shows(q.X) || !p.Y.shows(q.Y) {
				continue
			}
			out.Add(&bar{Point: q, left: q.X + left, right: q.X + left + width, style: line, hollow: s.Beside != "", log: p.Y.Log})
		}
	}
	if p.Kind == Bars && len(p.Names) > 0 {
		ticks := make(plot.ConstantTicks, len(p.Names))
		for i, name := range p.Names {
			ticks[i] = plot.Tick{Value: float64(i), Label: name}
		}
		out.X.Tick.Marker = ticks
		out.X.Tick.Label.Font.Size = vg.Points(7)
		if len(p.Names) > 4 {
			out.X.Tick.Label.Rotation = 0.6
			out.X.Tick.Label.XAlign, out.X.Tick.Label.YAlign = draw.XRight, draw.YTop
		}
	}
	return nil
}

// step returns the least distance between points of a series.
func (p *Panel) step() float64 {
	least := 0.0
	for _, s := range p.Series {
		for i := 1; i < len(s.Points); i++ {
			if d := s.Points[i].X - s.Points[i-1].X; d > 0 && (least == 0 || d < least) {
				least = d
			}
		}
	}
	if least == 0 {
		return 1
	}
	return least
}

// bar is a rectangle that stands on the x axis.
type bar struct {
	Point
	left, right float64
	style       draw.LineStyle
	hollow, log bool
}

// Plot implements plot.Plotter.
func (b *bar) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	foot := p.Y.Min
	if !b.log {
		foot = max(foot, 0)
	}
	corners := []vg.Point{{X: x(b.left), Y: y(foot)}, {X: x(b.left), Y: y(b.Y)}, {X: x(b.right), Y: y(b.Y)}, {X: x(b.right), Y: y(foot)}}
	if !b.hollow {
		c.FillPolygon(b.style.Color, c.ClipPolygonXY(corners))
		return
	}
	line := b.style
	line.Width = vg.Points(0.8)
	c.StrokeLines(line, c.ClipLinesXY(append(corners, corners[0]))...)
}

// DataRange implements plot.DataRanger.
func (b *bar) DataRange() (xmin, xmax, ymin, ymax float64) {
	low := min(0, b.Y)
	if b.log {
		low = b.Y / 2
	}
	return b.left, b.right, low, b.Y
}
