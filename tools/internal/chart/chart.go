// Package chart writes line charts as SVG: panels side by side with a common legend
// and linear or logarithmic axes.
package chart

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Figure is a row of panels with one legend.
type Figure struct {
	Title  string
	Panels []Panel
	// Note is a line of small print under the legend.
	Note string
}

// Panel is one set of axes.
type Panel struct {
	Title  string
	X, Y   Axis
	Series []Series
}

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
}

// Point is a point of a line. One that is not finite, or not positive on a
// logarithmic axis, interrupts the line.
type Point struct{ X, Y float64 }

// Sizes in pixels.
const (
	panelWidth  = 400.0
	panelHeight = 300.0
	left        = 66.0
	right       = 18.0
	top         = 34.0
	bottom      = 52.0
	titleHeight = 38.0
	lineHeight  = 20.0
	charWidth   = 6.8
)

// colours are those of Okabe and Ito, which color-blind people can distinguish.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"}

// WriteTo writes the figure as an SVG document.
func (f *Figure) WriteTo(w io.Writer) (int64, error) {
	names := f.names()
	width := panelWidth * float64(max(len(f.Panels), 1))
	rows := legendRows(names, width)
	height := titleHeight + panelHeight + lineHeight*float64(len(rows)) + 12
	if f.Note != "" {
		height += lineHeight
	}
	s := &svg{}
	s.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" font-family="Helvetica, Arial, sans-serif" font-size="12">`+"\n", width, height, width, height)
	s.printf(`<rect width="%g" height="%g" fill="#ffffff"/>`+"\n", width, height)
	s.text(width/2, 24, "middle", `font-size="15" font-weight="bold"`, f.Title)
	for i := range f.Panels {
		s.printf(`<g transform="translate(%g %g)">`+"\n", panelWidth*float64(i), titleHeight)
		f.Panels[i].draw(s, names)
		s.printf("</g>\n")
	}
	y := titleHeight + panelHeight + 14
	for _, row := range rows {
		s.legend(row, names, width, y)
		y += lineHeight
	}
	if f.Note != "" {
		s.text(width/2, y, "middle", `font-size="10" fill="#666666"`, f.Note)
	}
	s.printf("</svg>\n")
	n, err := io.WriteString(w, s.b.String())
	return int64(n), err
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

// svg builds a document.
type svg struct{ b strings.Builder }

func (s *svg) printf(format string, args ...any) { fmt.Fprintf(&s.b, format, args...) }

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func (s *svg) text(x, y float64, anchor, style, text string) {
	s.printf(`<text x="%.1f" y="%.1f" text-anchor="%s" %s>%s</text>`+"\n", x, y, anchor, style, escape.Replace(text))
}

// legendRows breaks names into rows that fit into width.
func legendRows(names []string, width float64) [][]string {
	var rows [][]string
	used := math.Inf(1)
	for _, n := range names {
		w := legendWidth(n)
		if used+w > width-20 {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], n)
		used += w
	}
	return rows
}

func legendWidth(name string) float64 { return 46 + charWidth*float64(len(name)) }

// legend writes a row of the legend, centred.
func (s *svg) legend(row, names []string, width, y float64) {
	total := 0.0
	for _, n := range row {
		total += legendWidth(n)
	}
	x := (width - total) / 2
	for _, n := range row {
		i := slices.Index(names, n)
		s.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`+"\n", x, y-4, x+26, y-4, stroke(i))
		s.marker(i, x+13, y-4)
		s.text(x+31, y, "start", "", n)
		x += legendWidth(n)
	}
}

// stroke returns the attributes of line number i.
func stroke(i int) string {
	dash := ""
	if n := i / len(colours); n > 0 {
		dash = fmt.Sprintf(` stroke-dasharray="%d 3"`, 7-2*min(n, 3))
	}
	return fmt.Sprintf(`stroke="%s" stroke-width="1.8" fill="none"%s`, colours[i%len(colours)], dash)
}

// marker draws a point of line number i.
func (s *svg) marker(i int, x, y float64) {
	c := colours[i%len(colours)]
	switch i % 4 {
	case 0:
		s.printf(`<circle cx="%.1f" cy="%.1f" r="3.2" fill="%s"/>`+"\n", x, y, c)
	case 1:
		s.printf(`<rect x="%.1f" y="%.1f" width="6" height="6" fill="%s"/>`+"\n", x-3, y-3, c)
	case 2:
		s.printf(`<path d="M%.1f %.1fl4 7h-8z" fill="%s"/>`+"\n", x, y-4.2, c)
	default:
		s.printf(`<path d="M%.1f %.1fl4.2 4.2l-4.2 4.2l-4.2 -4.2z" fill="%s"/>`+"\n", x, y-4.2, c)
	}
}
