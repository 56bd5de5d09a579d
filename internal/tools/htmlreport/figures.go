package htmlreport

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/internal/tools/svgchart"
)

func count[T ~int | ~int64 | ~uint32 | ~uint64](n T) string { return cli.Count(n) }
func size(n int64) string                                   { return cli.Bytes(n) }

func percent(part, whole float64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*part/whole)
}

// draw returns a chart as HTML. It is made of numbers and escaped titles.
func draw(c *svgchart.Chart) (template.HTML, error) {
	var b strings.Builder
	_, err := c.WriteTo(&b)
	return template.HTML(b.String()), err
}

// histogram draws a histogram. Values of bins that double lie on a logarithmic axis.
func histogram(h *inspect.Histogram) (template.HTML, error) {
	c := &svgchart.Chart{Width: 330, Height: 210, Label: h.Title,
		X: svgchart.Axis{Label: h.Unit}, Y: svgchart.Axis{Label: h.Of, Zero: true}}
	doubling := slices.ContainsFunc(h.Bins, func(b inspect.Bin) bool { return b.To > b.From })
	least, most := math.Inf(1), 0.0
	for _, b := range h.Bins {
		if b.Count > 0 {
			least, most = min(least, float64(b.Count)), max(most, float64(b.Count))
		}
	}
	// Counts over four orders of magnitude leave nothing to see on a linear axis.
	c.Y.Log = most > 1e4*max(least, 1) && doubling
	c.X.Log = doubling
	for _, b := range h.Bins {
		if c.Y.Log && b.Count == 0 {
			continue // nor has an empty bin
		}
		bar := svgchart.Bar{X0: float64(b.From) - 0.5, X1: float64(b.To) + 0.5, Y: float64(b.Count), Title: binTitle(h, b)}
		if doubling {
			if b.To == 0 {
				continue // zero has no logarithm; the table has it
			}
			bar.X0, bar.X1 = float64(b.From), float64(b.To+1)
		}
		c.Bars = append(c.Bars, bar)
	}
	if c.Y.Log {
		c.Y.Least = least / 2
	}
	return draw(c)
}

// binTitle says what a bin counts.
func binTitle(h *inspect.Histogram, b inspect.Bin) string {
	return fmt.Sprintf("%s %s: %s %s (%s)", binRange(b), h.Unit, count(b.Count), h.Of, percent(float64(b.Count), float64(h.Count)))
}

func binRange(b inspect.Bin) string {
	if b.From == b.To {
		return count(b.From)
	}
	return count(b.From) + "–" + count(b.To)
}

// codecs draws sizes against decode times.
func codecs(s inspect.CodecTable, what string) (template.HTML, error) {
	c := &svgchart.Chart{Width: 400, Height: 330, Label: "Bits a posting against nanoseconds to decode one, by codec: " + what,
		X: svgchart.Axis{Label: "bits a posting"}, Y: svgchart.Axis{Label: "ns to decode a posting", Log: true}}
	// Those that matter most get their names first.
	all := append(slices.Clone(s.Codecs), s.Auto)
	slices.SortStableFunc(all, func(a, b inspect.CodecSize) int { return rank(b, s.Auto) - rank(a, s.Auto) })
	for _, x := range all {
		m := svgchart.Mark{X: x.Bits, Y: x.DecodeNS, Name: x.Codec, Title: fmt.Sprintf("%s: %.2f bits, %.2f ns", x.Codec, x.Bits, x.DecodeNS), Color: 5}
		switch rank(x, s.Auto) {
		case 2:
			m.Color = 1
		case 1:
			m.Color = 0
		}
		if x.DecodeNS > 0 {
			c.Marks = append(c.Marks, m)
		}
	}
	return draw(c)
}

// rank is 2 for auto, 1 for what it may take, and 0 for other codecs.
func rank(c, auto inspect.CodecSize) int {
	switch {
	case c.Codec == auto.Codec:
		return 2
	case c.Candidate:
		return 1
	}
	return 0
}

// curve draws the hit rate against the budget.
func curve(p *Plan) (template.HTML, error) {
	c := &svgchart.Chart{Width: 400, Height: 280, Label: "Expected share of hits against the budget of device memory",
		X: svgchart.Axis{Label: "budget, bytes", Log: true}, Y: svgchart.Axis{Label: "% of what the other queries of the log ask for", Zero: true}}
	lists, bytes, queries := svgchart.Series{Name: "lists"}, svgchart.Series{Name: "bytes"}, svgchart.Series{Name: "queries that need no copy"}
	for _, s := range p.Steps {
		x := float64(s.Budget)
		lists.Points = append(lists.Points, svgchart.Point{X: x, Y: 100 * s.Lists})
		bytes.Points = append(bytes.Points, svgchart.Point{X: x, Y: 100 * s.ByteHits})
		queries.Points = append(queries.Points, svgchart.Point{X: x, Y: 100 * s.Queries})
	}
	c.Series = []svgchart.Series{lists, bytes, queries}
	return draw(c)
}
