package svgchart

import (
	"fmt"
	"html"
	"slices"
)

// box is a rectangle.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) overlaps(c box) bool { return b.x0 < c.x1 && c.x0 < b.x1 && b.y0 < c.y1 && c.y0 < b.y1 }

// title puts an invisible area with a title over a rectangle.
func (d *drawing) title(b box, text string) {
	fmt.Fprintf(&d.titles, `<rect class="hit" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`,
		num(b.x0), num(b.y0), num(b.x1-b.x0), num(b.y1-b.y0), html.EscapeString(text))
}

// bars draws the bars from the horizontal axis, or from 0.
func (d *drawing) bars() {
	foot := d.y.from
	if !d.Y.Log {
		foot = d.y.at(max(d.y.lo, 0))
	}
	for _, b := range d.Bars {
		if !d.X.shows(b.X0) || !d.X.shows(b.X1) || !d.Y.shows(b.Y) || d.Y.Log && b.Y <= d.y.lo {
			continue
		}
		x0, x1, y := d.x.at(b.X0), d.x.at(b.X1), d.y.at(b.Y)
		if x1-x0 > 3 {
			x0, x1 = x0+0.5, x1-0.5
		}
		if y0, y1 := min(y, foot), max(y, foot); y1 > y0 {
			d.printf(`<rect class="s0 solid" x="%s" y="%s" width="%s" height="%s"/>`, num(x0), num(y0), num(max(x1-x0, 0.5)), num(max(y1-y0, 0.1)))
			d.title(box{x0, d.y.to, x1, d.y.from}, b.Title)
		}
	}
}

// lines draws the series, each interrupted where a point cannot be shown.
func (d *drawing) lines() {
	for i, s := range d.Series {
		d.printf(`<g class="s%d">`, i%colors)
		path, dots := "", ""
		pen := "M"
		for _, p := range s.Points {
			if !d.X.shows(p.X) || !d.Y.shows(p.Y) {
				pen = "M"
				continue
			}
			x, y := num(d.x.at(p.X)), num(d.y.at(p.Y))
			path += pen + x + " " + y
			pen = "L"
			dots += fmt.Sprintf(`<circle class="solid" cx="%s" cy="%s" r="2.5"><title>%s</title></circle>`,
				x, y, html.EscapeString(s.Name+": "+label(p.X)+", "+label(p.Y)))
		}
		if path != "" {
			d.printf(`<path class="line" d="%s"/>`, path)
		}
		d.b.WriteString(dots)
		d.b.WriteString("</g>")
	}
}

const dot = 4.0 // radius of a mark

// marks draws the marks, the first ones last, and then their names.
func (d *drawing) marks() {
	shown := func(m Mark) bool { return d.X.shows(m.X) && d.Y.shows(m.Y) }
	for _, m := range slices.Backward(d.Marks) {
		if !shown(m) {
			continue
		}
		x, y := d.x.at(m.X), d.y.at(m.Y)
		d.printf(`<circle class="s%d solid" cx="%s" cy="%s" r="%s"/>`, m.Color%colors, num(x), num(y), num(dot))
		d.title(box{x - 7, y - 7, x + 7, y + 7}, m.Title)
		d.taken = append(d.taken, box{x - dot, y - dot, x + dot, y + dot})
	}
	for _, m := range d.Marks {
		if shown(m) {
			d.name(d.x.at(m.X), d.y.at(m.Y), m.Name)
		}
	}
}

// name writes a name beside a mark where it hides nothing. If there is no such place, the
// name is left out; the mark has its title.
func (d *drawing) name(x, y float64, name string) {
	w, h := textWidth(name), textSize
	for _, at := range [][2]float64{
		{x + dot + 2, y - h/2}, {x - dot - 2 - w, y - h/2}, {x - w/2, y - dot - 1 - h}, {x - w/2, y + dot + 1},
	} {
		b := box{at[0], at[1], at[0] + w, at[1] + h}
		if b.x0 < d.x.from || b.x1 > d.Width || b.y0 < d.y.to || b.y1 > d.y.from || slices.ContainsFunc(d.taken, b.overlaps) {
			continue
		}
		d.text(b.x0, b.y1-2, "start", name)
		d.taken = append(d.taken, b)
		return
	}
}
