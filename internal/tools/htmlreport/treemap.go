package htmlreport

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/tools/inspect"
)

// box is a rectangle.
type box struct{ X, Y, W, H float64 }

// round moves the sides of b to tenths, so that coordinates are short.
func (b *box) round() {
	tenth := func(v float64) float64 { return math.Round(10*v) / 10 }
	x, y := tenth(b.X), tenth(b.Y)
	*b = box{x, y, tenth(tenth(b.X+b.W) - x), tenth(tenth(b.Y+b.H) - y)}
}

// squarify divides a box into boxes with areas in proportion to sizes, which must be
// positive and descending, as close to squares as it gets (Bruls, Huizing and van Wijk
// 2000, section 3).
func squarify(in box, sizes []float64) []box {
	total := 0.0
	for _, s := range sizes {
		total += s
	}
	out := make([]box, 0, len(sizes))
	for len(sizes) > 0 {
		scale := in.W * in.H / total // area of a unit
		side := min(in.W, in.H)
		n, row := 1, sizes[0]
		for n < len(sizes) && worst(sizes[:n+1], row+sizes[n], side, scale) <= worst(sizes[:n], row, side, scale) {
			row += sizes[n]
			n++
		}
		thick := row * scale / side
		at := 0.0
		for _, s := range sizes[:n] {
			long := side * s / row
			if in.W >= in.H {
				out = append(out, box{in.X, in.Y + at, thick, long})
			} else {
				out = append(out, box{in.X + at, in.Y, long, thick})
			}
			at += long
		}
		if in.W >= in.H {
			in.X, in.W = in.X+thick, max(in.W-thick, 1e-9)
		} else {
			in.Y, in.H = in.Y+thick, max(in.H-thick, 1e-9)
		}
		sizes, total = sizes[n:], max(total-row, 1e-9)
	}
	return out
}

// worst returns the greatest ratio of sides in a row of boxes along a side.
func worst(sizes []float64, sum, side, scale float64) float64 {
	area := sum * scale
	most, least := sizes[0]*scale, sizes[len(sizes)-1]*scale
	return max(side*side*most/(area*area), area*area/(side*side*least))
}

// tile is a box of the treemap with a name.
type tile struct {
	box
	Kind         Kind
	Name, Detail string
	Title        string // for the whole
	Head         bool   // frames the tiles of a segment
}

const headHeight = 18

// treeMap is a treemap for windows of some width.
type treeMap struct {
	Class         string
	segments      int // at most; further ones share a tile
	Width, Height float64
	Titles        bool   // shown where the mouse is, which narrow windows seldom have
	Tiles         []tile // drawn in order
}

// maps returns a treemap for wide windows and one for narrow ones, or none if there are
// no bytes.
func maps(segments []Segment) []treeMap {
	out := []treeMap{{Class: "wide", Width: 800, Height: 360, segments: 24, Titles: true}, {Class: "narrow", Width: 340, Height: 480, segments: 8}}
	for i := range out {
		m := &out[i]
		if m.Tiles = m.treemap(segments); len(m.Tiles) == 0 {
			return nil
		}
		for j := range m.Tiles {
			m.Tiles[j].round()
		}
	}
	return out
}

// treemap lays out the bytes of segments.
func (m *treeMap) treemap(segments []Segment) []tile {
	segments = slices.DeleteFunc(slices.Clone(segments), func(s Segment) bool { return s.Bytes == 0 })
	slices.SortStableFunc(segments, func(a, b Segment) int { return cmp.Compare(b.Bytes, a.Bytes) })
	segments = gather(segments, m.segments)
	var sizes []float64
	for _, s := range segments {
		sizes = append(sizes, float64(s.Bytes))
	}
	var tiles []tile
	for i, b := range squarify(box{0, 0, m.Width, m.Height}, sizes) {
		s := segments[i]
		tiles = append(tiles, segmentTiles(s, b, len(segments) > 1)...)
	}
	return tiles
}

// gather returns at most most segments, the last one of which stands for the rest.
func gather(segments []Segment, most int) []Segment {
	if len(segments) <= most {
		return segments
	}
	rest := segments[most-1:]
	sum := Segment{SegmentSummary: inspect.SegmentSummary{File: count(len(rest)) + " smaller segments"}}
	for _, s := range rest {
		sum.Bytes += s.Bytes
		for _, p := range s.Parts {
			i := slices.IndexFunc(sum.Parts, func(q Part) bool { return q.Name == p.Name })
			if i < 0 {
				i = len(sum.Parts)
				sum.Parts = append(sum.Parts, Part{Kind: p.Kind, Name: p.Name})
			}
			sum.Parts[i].Bytes += p.Bytes
		}
	}
	return append(slices.Clone(segments[:most-1]), sum)
}

// segmentTiles lays out one segment in a box, with its name above if named.
func segmentTiles(s Segment, b box, named bool) []tile {
	var tiles []tile
	in := b
	if named {
		head := tile{box: b, Title: s.File + ": " + size(s.Bytes), Head: true}
		if b.H > 2*headHeight && b.W/8.5-1 >= float64(len(s.File)) {
			head.Name = s.File
		}
		tiles = append(tiles, head)
		if b.H > 2*headHeight {
			in.Y, in.H = in.Y+headHeight, in.H-headHeight
		}
	}
	parts := slices.DeleteFunc(slices.Clone(s.Parts), func(p Part) bool { return p.Bytes <= 0 })
	slices.SortStableFunc(parts, func(a, b Part) int { return cmp.Compare(b.Bytes, a.Bytes) })
	var sizes []float64
	for _, p := range parts {
		sizes = append(sizes, float64(p.Bytes))
	}
	for i, b := range squarify(in, sizes) {
		p := parts[i]
		t := tile{box: b, Kind: p.Kind, Title: s.File + ", " + p.Name + ": " + size(p.Bytes) + ", " + percent(float64(p.Bytes), float64(s.Bytes)) + " of the segment"}
		if room := b.W/7.4 - 1; b.H > 16 {
			// "freqs" does where "freqs: newpfd" has no room; the title has all of it.
			short, _, _ := strings.Cut(p.Name, ":")
			for _, name := range []string{p.Name, short} {
				if t.Name == "" && room >= float64(len(name)) {
					t.Name = name
				}
			}
			if n := size(p.Bytes); t.Name != "" && b.H > 34 && room >= float64(len(n)) {
				t.Detail = n
			}
		}
		tiles = append(tiles, t)
	}
	return tiles
}
