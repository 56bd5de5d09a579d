// Package chart writes charts as SVG, with gonum.org/v1/plot: panels of lines, bars,
// points or histograms side by side, with a common legend and linear or logarithmic axes.
package chart

import (
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is panels, up to three in a row, with one legend.
type Figure struct {
	Title  string
	Panels []Panel
	// Notes are paragraphs of small print under the legend.
	Notes []string
}

// Panel is one set of axes.
type Panel struct {
	Title  string
	Kind   Kind
	X, Y   Axis
	Names  []string // of places 0, 1, ... on the x axis of Bars
	Series []Series
}

// Kind is how the series of a panel are drawn.
type Kind uint8

// The kinds.
const (
	Lines     Kind = iota
	Bars           // groups of bars, at X = 0, 1, ...
	Scatter        // points without lines
	Histogram      // bars without gaps, from 0 to Y around X
)

// Axis says how values are laid out.
type Axis struct {
	Label string
	Log   bool      // values must be positive; others are left out
	Ticks []float64 // nil chooses
	Zero  bool      // a linear axis begins at 0
}

// Series is a line. Series with the same name look the same in all panels.
type Series struct {
	Name   string
	Points []Point
	// Beside, unless empty, is the series that this one is compared with: it gets that
	// one's color, and is drawn with less weight.
	Beside string
}

// Point is a point of a line. One that is not finite, or not positive on a
// logarithmic axis, interrupts the line.
type Point struct{ X, Y float64 }

// Sizes in points.
const (
	panelWidth  = vg.Length(300)
	panelHeight = vg.Length(225)
	titleHeight = vg.Length(28)
	lineHeight  = vg.Length(12)
	noteHeight  = vg.Length(10)
	letterWidth = vg.Length(5) // of the legend; of notes it is less

	rowPanels = 3 // most panels in a row
)

// colours are those of Okabe and Ito, which color-blind people can distinguish.
var colours = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff}, color.Black, color.Gray{0x99},
}

// style returns how the series of a name look.
func style(names []string, name string) (draw.LineStyle, draw.GlyphStyle) {
	i := slices.Index(names, name)
	c := colours[i%len(colours)]
	line := draw.LineStyle{Color: c, Width: vg.Points(1.5)}
	if i >= len(colours) {
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
	}
	return line, draw.GlyphStyle{Color: c, Radius: vg.Points(2), Shape: draw.CircleGlyph{}}
}

// style returns how the series looks.
func (s *Series) style(names []string) (draw.LineStyle, draw.GlyphStyle) {
	if s.Beside == "" || !slices.Contains(names, s.Beside) {
		return style(names, s.Name)
	}
	line, glyph := style(names, s.Beside)
	line.Width, line.Dashes = vg.Points(0.7), []vg.Length{vg.Points(2), vg.Points(2)}
	glyph.Shape = draw.RingGlyph{}
	return line, glyph
}

// names returns the names of all series, in order of appearance.
func (f *Figure) names() []string {
	var names []string
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// find returns the first series of a name.
func (f *Figure) find(name string) *Series {
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			if s := &f.Panels[i].Series[j]; s.Name == name {
				return s
			}
		}
	}
	return &Series{Name: name}
}

// WriteTo writes the figure as an SVG document.
func (f *Figure) WriteTo(w io.Writer) (int64, error) {
	names := f.names()
	columns := max(min(len(f.Panels), rowPanels), 1)
	rows := vg.Length((max(len(f.Panels), 1) + columns - 1) / columns)
	width := panelWidth * vg.Length(columns)
	for _, name := range names {
		width = max(width, panelWidth/4+40+letterWidth*vg.Length(len(name)))
	}
	notes := f.small(width)
	foot := noteHeight * vg.Length(len(notes)+1)
	height := titleHeight + panelHeight*rows + lineHeight*vg.Length(len(names)) + foot
	canvas := vgsvg.New(width, height)
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	text := plot.New().Title.TextStyle
	text.XAlign, text.YAlign = draw.XCenter, draw.YTop
	all.FillText(text, vg.Point{X: width / 2, Y: height - vg.Points(6)}, f.Title)
	for i := range f.Panels {
		p, err := f.Panels[i].plot(names)
		if err != nil {
			return 0, err
		}
		x, y := panelWidth*vg.Length(i%columns), height-titleHeight-panelHeight*vg.Length(i/columns+1)
		p.Draw(draw.Crop(all, x+vg.Points(6), x+panelWidth-width-vg.Points(6), y, y+panelHeight-height))
	}
	f.legend(all, names, foot)
	text.Font.Size = vg.Points(8)
	text.XAlign, text.YAlign = draw.XLeft, draw.YBottom
	for i, line := range notes {
		all.FillText(text, vg.Point{X: vg.Points(6), Y: foot - noteHeight*vg.Length(i+1)}, line)
	}
	return canvas.WriteTo(w)
}

// small breaks the notes into lines that fit a width.
func (f *Figure) small(width vg.Length) (lines []string) {
	most := int(width / (letterWidth * 0.9))
	for _, note := range f.Notes {
		line := ""
		for _, word := range strings.Fields(note) {
			if line != "" && len(line)+1+len(word) > most {
				lines, line = append(lines, line), "   "
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		lines = append(lines, line)
	}
	return lines
}

// legend draws the names below the panels and above the foot.
func (f *Figure) legend(all draw.Canvas, names []string, foot vg.Length) {
	l := plot.NewLegend()
	l.TextStyle.Font.Size = vg.Points(9)
	l.Left, l.Top, l.Padding = true, false, vg.Points(2)
	for _, name := range names {
		line, glyph := f.find(name).style(names)
		l.Add(name, &plotter.Line{LineStyle: line}, &plotter.Scatter{GlyphStyle: glyph})
	}
	l.Draw(draw.Crop(all, panelWidth/4, 0, foot, 0))
}

// plot turns the panel into a plot.
func (p *Panel) plot(names []string) (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text = p.Title
	out.Title.TextStyle.Font.Size = vg.Points(min(10, 480/float64(max(len(p.Title), 1))))
	p.X.apply(&out.X)
	p.Y.apply(&out.Y)
	out.Add(plotter.NewGrid())
	var err error
	switch p.Kind {
	case Bars, Histogram:
		err = p.bars(out, names)
	case Scatter:
		err = p.scatter(out, names)
	default:
		err = p.lines(out, names)
	}
	if err != nil {
		return nil, err
	}
	p.X.limit(&out.X)
	p.Y.limit(&out.Y)
	return out, nil
}

func (p *Panel) lines(out *plot.Plot, names []string) error {
	for _, s := range p.Series {
		line, glyph := s.style(names)
		for _, part := range p.parts(s.Points) {
			l, points, err := plotter.NewLinePoints(part)
			if err != nil {
				return err
			}
			l.LineStyle, points.GlyphStyle = line, glyph
			out.Add(l, points)
		}
	}
	return nil
}

// parts cuts a line where it is interrupted.
func (p *Panel) parts(points []Point) (parts []plotter.XYs) {
	whole := false
	for _, q := range points {
		if !p.X.shows(q.X) || !p.Y.shows(q.Y) {
			whole = false
			continue
		}
		if !whole {
			parts, whole = append(parts, nil), true
		}
		last := &parts[len(parts)-1]
		*last = append(*last, plotter.XY(q))
	}
	return parts
}

// shows reports whether v can be shown.
func (a *Axis) shows(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.Log || v > 0)
}

// apply sets up an axis.
func (a *Axis) apply(out *plot.Axis) {
	out.Label.Text = a.Label
	out.Tick.Marker = labels{plot.DefaultTicks{}}
	if a.Log {
		out.Scale, out.Tick.Marker = plot.LogScale{}, labels{plot.LogTicks{Prec: -1}}
	}
	if a.Ticks != nil {
		ticks := make(plot.ConstantTicks, len(a.Ticks))
		for i, v := range a.Ticks {
			ticks[i] = plot.Tick{Value: v, Label: label(v)}
		}
		out.Tick.Marker = ticks
	}
}

// limit sets the ends of an axis when all points have been added.
func (a *Axis) limit(out *plot.Axis) {
	for _, v := range a.Ticks {
		out.Min, out.Max = min(out.Min, v), max(out.Max, v)
	}
	switch {
	case out.Min > out.Max: // no points
		out.Min, out.Max = 1, 10
	case out.Min == out.Max && a.Log:
		out.Min, out.Max = out.Min/2, out.Max*2
	case out.Min == out.Max:
		out.Min, out.Max = out.Min-1, out.Max+1
	}
	if a.Zero && !a.Log {
		out.Min = min(out.Min, 0)
	}
}

// labels shortens the labels of ticks.
type labels struct{ plot.Ticker }

func (t labels) Ticks(lo, hi float64) []plot.Tick {
	ticks := t.Ticker.Ticks(lo, hi)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = label(ticks[i].Value)
		}
	}
	return ticks
}

// label prints a value, from 1,000 on with a decimal unit.
func label(v float64) string {
	if math.Abs(v) < 1 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strings.ReplaceAll(humanize.SIWithDigits(v, 1, ""), " ", "")
}
