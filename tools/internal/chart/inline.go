package chart

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Inline is a panel for an HTML page: an SVG element without a background, in the font of
// the page, whose colours are the page's variables --ink, --grid and --c0 to --c7.
type Inline struct {
	Panel
	Bars          []Bar
	Marks         []Mark
	Width, Height float64 // in points; it scales to the width of what holds it
	Least         float64 // where a logarithmic y axis begins, unless 0
	Label         string  // says what it shows to those who do not see it
}

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

// Colours that stand for those of the page. None is one that SVG leaves out as a default.
var (
	ink   = color.RGBA{1, 2, 3, 255}
	faint = color.RGBA{4, 5, 6, 255}
)

// WriteTo writes the SVG element.
func (c *Inline) WriteTo(w io.Writer) (int64, error) {
	width, height := vg.Length(c.Width), vg.Length(c.Height)
	var names []string
	for _, s := range c.Series {
		names = append(names, s.Name)
	}
	p, err := c.plot(names)
	if err != nil {
		return 0, err
	}
	if len(c.Series) == 0 { // plot has made up ranges
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	}
	over := &overlay{chart: c, height: height}
	p.Add(over)
	over.limit(p)
	c.X.limit(&p.X)
	c.Y.limit(&p.Y)
	for _, a := range []struct {
		*Axis
		out *plot.Axis
	}{{&c.X, &p.X}, {&c.Y, &p.Y}} {
		if a.Log && a.Ticks == nil {
			a.out.Tick.Marker = steps{}
		}
	}
	if c.Least > 0 {
		p.Y.Min = c.Least
	}
	paint(p)
	canvas := vgsvg.New(width, height)
	p.Draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	n, err := io.WriteString(w, c.inline(b.String(), over.titles.String()))
	return int64(n), err
}

// steps are the ticks of a logarithmic axis: powers of ten, and up to two decades also
// twice and five times these. There are none where the axis has no positive range.
type steps struct{}

// Ticks implements plot.Ticker.
func (steps) Ticks(lo, hi float64) (ticks []plot.Tick) {
	if !(0 < lo && lo <= hi && hi <= math.MaxFloat64) {
		return nil
	}
	factors := []float64{1}
	if hi/lo < 100 {
		factors = []float64{1, 2, 5}
	}
	for power := math.Pow(10, math.Floor(math.Log10(lo))); power <= hi; power *= 10 {
		for _, f := range factors {
			if v := f * power; v >= lo && v <= hi {
				ticks = append(ticks, plot.Tick{Value: v, Label: plain(v)})
			}
		}
	}
	return ticks
}

// plain prints a value, without a unit if it is below 1.
func plain(v float64) string {
	if v < 1 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return label(v)
}

// paint gives a plot the colours and the font that inline replaces.
func paint(p *plot.Plot) {
	p.BackgroundColor = nil
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		s.Color, s.Font.Variant = ink, "Sans"
	}
	p.X.Label.TextStyle.Font.Size, p.Y.Label.TextStyle.Font.Size = vg.Points(10), vg.Points(10)
	p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = vg.Points(9), vg.Points(9)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Color, a.Tick.LineStyle.Color = faint, faint
	}
}

// inline makes an SVG element of a document: without a size and a head, with the page's
// colours, and with titles at its end.
func (c *Inline) inline(doc, titles string) string {
	_, body, _ := strings.Cut(doc[strings.Index(doc, "<svg"):], ">")
	replace := []string{
		hex(ink), "var(--ink)", hex(faint), "var(--grid)", hex(color.Gray{128}), "var(--grid)",
		"font-family:Liberation Sans;", "", "font-variant:normal;", "", "font-weight:normal;", "", "font-style:normal;", "", "font-style:normal", "",
	}
	for i, x := range colours {
		replace = append(replace, hex(x), fmt.Sprintf("var(--c%d)", i))
	}
	body = strings.NewReplacer(replace...).Replace(body)
	return fmt.Sprintf(`<svg class="chart" viewBox="0 0 %g %g" role="img" aria-label="%s">`, c.Width, c.Height, html.EscapeString(c.Label)) +
		strings.Replace(body, "</svg>", titles+"</svg>", 1)
}

// hex returns a colour as package vgsvg writes it.
func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8)
}

// overlay draws the bars and marks of a chart and collects their titles.
type overlay struct {
	chart  *Inline
	height vg.Length
	titles strings.Builder
}

// limit widens the axes to hold the bars and marks.
func (o *overlay) limit(p *plot.Plot) {
	point := func(x, y float64) {
		if o.chart.X.Log && x <= 0 || o.chart.Y.Log && y <= 0 {
			return // has no place
		}
		p.X.Min, p.X.Max = min(p.X.Min, x), max(p.X.Max, x)
		p.Y.Min, p.Y.Max = min(p.Y.Min, y), max(p.Y.Max, y)
	}
	for _, b := range o.chart.Bars {
		point(b.X0, b.Y)
		point(b.X1, b.Y)
	}
	for _, m := range o.chart.Marks {
		point(m.X, m.Y)
	}
	if len(o.chart.Marks) > 0 { // room for the marks and names at the edges
		o.chart.X.widen(&p.X, 0.04, 0.14)
		o.chart.Y.widen(&p.Y, 0.05, 0.05)
	}
	if len(o.chart.Bars) > 0 {
		o.chart.Y.widen(&p.Y, 0, 0.04)
	}
}

// widen moves the ends of an axis outwards by shares of its length.
func (a *Axis) widen(out *plot.Axis, low, high float64) {
	if a.Log {
		l := math.Log(out.Max / out.Min)
		out.Min, out.Max = out.Min*math.Exp(-low*l), out.Max*math.Exp(high*l)
		return
	}
	l := out.Max - out.Min
	out.Min, out.Max = out.Min-low*l, out.Max+high*l
}

// Plot implements plot.Plotter.
func (o *overlay) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, b := range o.chart.Bars {
		if !o.chart.Y.shows(b.Y) || b.Y <= p.Y.Min {
			continue
		}
		x0, x1, y0, y1 := x(b.X0), x(b.X1), y(p.Y.Min), y(b.Y)
		if x1-x0 > 3 {
			x0, x1 = x0+0.5, x1-0.5
		}
		c.FillPolygon(colours[0], []vg.Point{{X: x0, Y: y0}, {X: x0, Y: y1}, {X: x1, Y: y1}, {X: x1, Y: y0}})
		o.title(x0, c.Min.Y, x1, c.Max.Y, b.Title)
	}
	var taken []vg.Rectangle
	for _, m := range slices.Backward(o.chart.Marks) {
		at := vg.Point{X: x(m.X), Y: y(m.Y)}
		c.DrawGlyph(draw.GlyphStyle{Color: colours[m.Color], Radius: dot, Shape: draw.CircleGlyph{}}, at)
		o.title(at.X-6, at.Y-6, at.X+6, at.Y+6, m.Title)
		taken = append(taken, around(at))
	}
	for _, m := range o.chart.Marks {
		taken = name(c, p.X.Tick.Label, vg.Point{X: x(m.X), Y: y(m.Y)}, m.Name, taken)
	}
}

const dot = vg.Length(3.5) // radius of a mark

func around(p vg.Point) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: p.X - dot, Y: p.Y - dot}, Max: vg.Point{X: p.X + dot, Y: p.Y + dot}}
}

// name writes a name beside a point where it hides nothing in taken, and adds its place to
// that. If there is no such place, the name is left out; the mark has its title.
func name(c draw.Canvas, style text.Style, at vg.Point, name string, taken []vg.Rectangle) []vg.Rectangle {
	style.XAlign, style.YAlign = draw.XLeft, draw.YBottom
	w, h := 1.15*style.Width(name), style.Height(name) // the page's font may be wider
	for _, min := range []vg.Point{
		{X: at.X + dot + 2, Y: at.Y - h/2}, {X: at.X - dot - 2 - w, Y: at.Y - h/2},
		{X: at.X - w/2, Y: at.Y + dot + 1}, {X: at.X - w/2, Y: at.Y - dot - 1 - h},
	} {
		r := vg.Rectangle{Min: min, Max: vg.Point{X: min.X + w, Y: min.Y + h}}
		hides := func(t vg.Rectangle) bool {
			return r.Min.X < t.Max.X && t.Min.X < r.Max.X && r.Min.Y < t.Max.Y && t.Min.Y < r.Max.Y
		}
		if r.Min.X < c.Min.X || r.Max.X > c.Max.X || slices.ContainsFunc(taken, hides) {
			continue
		}
		c.FillText(style, min, name)
		return append(taken, r)
	}
	return taken
}

// title puts an invisible area with a title over a rectangle.
func (o *overlay) title(x0, y0, x1, y1 vg.Length, text string) {
	fmt.Fprintf(&o.titles, `<rect class="hit" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`,
		x0, o.height-y1, x1-x0, y1-y0, html.EscapeString(text))
}
