package htmlreport

import (
	"cmp"
	"slices"
	"strings"
)

// box is a rectangle.
type box struct{ X, Y, W, H float64 }

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

const (
	mapWidth, mapHeight = 960, 420
	headHeight          = 18
	maxSegments         = 24 // further ones share a tile
)

// treemap lays out the bytes of segments, in tiles that are drawn in order.
func treemap(segments []Segment) []tile {
	segments = slices.DeleteFunc(slices.Clone(segments), func(s Segment) bool { return s.Bytes == 0 })
	slices.SortStableFunc(segments, func(a, b Segment) int { return cmp.Compare(b.Bytes, a.Bytes) })
	segments = gather(segments)
	var sizes []float64
	for _, s := range segments {
		sizes = append(sizes, float64(s.Bytes))
	}
	var tiles []tile
	for i, b := range squarify(box{0, 0, mapWidth, mapHeight}, sizes) {
		s := segments[i]
		tiles = append(tiles, segmentTiles(s, b, len(segments) > 1)...)
	}
	return tiles
}

// gather makes the segments past the first maxSegments one.
func gather(segments []Segment) []Segment {
	if len(segments) <= maxSegments {
		return segments
	}
	rest := segments[maxSegments-1:]
	sum := Segment{File: count(len(rest)) + " smaller segments"}
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
	return append(slices.Clone(segments[:maxSegments-1]), sum)
}

// segmentTiles lays out one segment in a box, with its name above if named.
func segmentTiles(s Segment, b box, named bool) []tile {
	var tiles []tile
	in := b
	if named {
		tiles = append(tiles, tile{box: b, Name: s.File, Title: s.File + ": " + size(s.Bytes), Head: true})
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
		if room := b.W/6.6 - 1; b.H > 16 {
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
