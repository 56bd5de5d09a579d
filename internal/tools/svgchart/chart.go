// Package svgchart writes charts of lines, bars and points as SVG elements of HTML pages,
// with text in the page's font.
//
//	chart.go   Chart, and its layout
//	axis.go    scales, ticks and labels of axes
//	draw.go    what is drawn inside the axes
//	chart.css  how it looks: CSS
//
// Colors are variables of the page, so that it can have others in the dark and in print.
package svgchart

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
)

// CSS has the rules that charts need. The page defines --ink (of text), --axis, --grid,
// and --c0 to --c7.
//
//go:embed chart.css
var CSS string

// Chart is one pair of axes and what is drawn in it.
type Chart struct {
	Label         string // says what it shows to those who do not see it
	X, Y          Axis
	Series        []Series
	Bars          []Bar
	Marks         []Mark
	Width, Height float64 // in CSS pixels; it scales to the width of what holds it
}

// Axis says how values are laid out.
type Axis struct {
	Label string  // what the values are, with their unit; a logarithmic axis says so itself
	Log   bool    // values must be positive; others are left out
	Zero  bool    // a linear axis begins at 0
	Least float64 // where a logarithmic axis begins, unless 0
}

// Series is a line, in the color of its place. Several have a legend.
type Series struct {
	Name   string
	Points []Point
}

// Point is a point of a line. One that its axes cannot show interrupts the line.
type Point struct{ X, Y float64 }

// Bar is a bar of height Y that spans X0 to X1. Its title is shown where the mouse is.
type Bar struct {
	X0, X1, Y float64
	Title     string
}

// Mark is a point with a name beside it. The first ones lie on top and get their names
// first. Color is the number of the page's variable.
type Mark struct {
	X, Y        float64
	Name, Title string
	Color       int
}

const (
	textSize   = 12.0
	lineHeight = 17.0
	letter     = 7.0 // columns of a letter, at most on average
	gap        = 6.0
	colors     = 8
)

// textWidth is about the width of a text.
func textWidth(s string) float64 { return letter * float64(len([]rune(s))) }

// drawing is a chart with its layout.
type drawing struct {
	*Chart
	x, y   scale
	b      strings.Builder
	titles strings.Builder // areas with titles, which lie on top
	taken  []box           // where names must not be
}

// WriteTo writes the SVG element.
func (c *Chart) WriteTo(w io.Writer) (int64, error) {
	d := &drawing{Chart: c, x: scale{log: c.X.Log}, y: scale{log: c.Y.Log}}
	d.ranges()
	d.printf(`<svg class="chart" viewBox="0 0 %s %s" role="img" aria-label="%s">`, num(c.Width), num(c.Height), html.EscapeString(c.Label))
	top := d.legend(lineHeight + gap)
	d.y.from, d.y.to = c.Height-2*lineHeight-gap, top
	ticks := d.y.ticks(int((d.y.from - d.y.to) / (2 * lineHeight)))
	left := 0.0
	for _, t := range ticks {
		left = max(left, textWidth(t.label))
	}
	d.x.from, d.x.to = left+gap+4, c.Width-4
	d.axisY(ticks)
	d.bars()
	d.lines()
	d.axisX()
	d.marks()
	d.b.WriteString(d.titles.String())
	d.b.WriteString("</svg>")
	n, err := io.WriteString(w, d.b.String())
	return int64(n), err
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// num prints a coordinate.
func num(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// text writes a text with its anchor and class.
func (d *drawing) text(x, y float64, anchor, s string) {
	d.printf(`<text x="%s" y="%s" text-anchor="%s">%s</text>`, num(x), num(y), anchor, html.EscapeString(s))
}

func (d *drawing) line(class string, x0, y0, x1, y1 float64) {
	d.printf(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, num(x0), num(y0), num(x1), num(y1))
}

// legend names the series, if there are several, below y, and returns where it ends.
func (d *drawing) legend(y float64) float64 {
	if len(d.Series) < 2 {
		return y
	}
	x := 0.0
	for i, s := range d.Series {
		need := 30 + textWidth(s.Name)
		if x > 0 && x+need > d.Width {
			x, y = 0, y+lineHeight
		}
		d.printf(`<g class="s%d">`, i%colors)
		d.line("line", x, y+lineHeight/2, x+22, y+lineHeight/2)
		d.text(x+27, y+lineHeight/2+4, "start", s.Name)
		d.b.WriteString("</g>")
		x += need + 2*gap
	}
	return y + lineHeight + gap
}

// axisY draws the vertical axis and its grid. Its label stands above it.
func (d *drawing) axisY(ticks []tick) {
	d.text(0, textSize, "start", d.Y.label())
	for _, t := range ticks {
		y := d.y.at(t.value)
		d.line("rule", d.x.from, y, d.x.to, y)
		d.text(d.x.from-gap, y+4, "end", t.label)
	}
	d.line("axis", d.x.from, d.y.from, d.x.from, d.y.to)
}

// axisX draws the horizontal axis. The first and last labels stay inside the chart.
func (d *drawing) axisX() {
	y := d.y.from
	d.line("axis", d.x.from, y, d.x.to, y)
	most := int((d.x.to - d.x.from) / (textWidth("0.000") + 2*gap))
	for _, t := range d.x.ticks(most) {
		x, half := d.x.at(t.value), textWidth(t.label)/2+2
		d.line("axis", x, y, x, y+4)
		d.text(min(max(x, half), d.Width-half), y+lineHeight, "middle", t.label)
	}
	d.text((d.x.from+d.x.to)/2, y+2*lineHeight, "middle", d.X.label())
}
