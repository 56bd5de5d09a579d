package query

import (
	"slices"
	"sort"
)

// cluster is a part of a text in which words or left sides overlap, in the same field or in others.
type cluster struct {
	start, end int  // in the text
	some       bool // rules have something of it
	fields     int  // in how many there is a word of it
}

// clustersOf returns those of a text, in order.
func clustersOf(all []searched) []cluster {
	type piece struct {
		start, end, field int
		some              bool
	}
	var pieces []piece
	for i := range all {
		f := &all[i]
		for _, s := range f.steps {
			pieces = append(pieces, piece{s.start, s.end, i, false})
		}
		for _, x := range f.found {
			start, end := f.place(x.from, x.to)
			pieces = append(pieces, piece{start, end, i, true})
		}
	}
	sort.Slice(pieces, func(i, j int) bool {
		return pieces[i].start < pieces[j].start || pieces[i].start == pieces[j].start && pieces[i].end < pieces[j].end
	})
	var clusters []cluster
	for len(pieces) > 0 {
		c := cluster{start: pieces[0].start, end: pieces[0].end}
		fields := map[int]bool{}
		for len(pieces) > 0 && (pieces[0].start < c.end || pieces[0].start == c.start) {
			p := pieces[0]
			c.end, c.some, fields[p.field] = max(c.end, p.end), c.some || p.some, true
			pieces = pieces[1:]
		}
		c.fields = len(fields)
		clusters = append(clusters, c)
	}
	return clusters
}

// covered reports whether rules have all words of a cluster in each field that has several.
func (c *cluster) covered(all []searched) bool {
	for i := range all {
		f := &all[i]
		words, bare := 0, 0
		for k, s := range f.steps {
			if s.start < c.start || s.start >= c.end {
				continue
			}
			if words++; !slices.ContainsFunc(f.found, func(x found) bool { return x.from <= k && k < x.to }) {
				bare++
			}
		}
		if words > 1 && bare > 0 {
			return false
		}
	}
	return true
}

// place returns where steps are in the text.
func (f *searched) place(from, to int) (start, end int) {
	start, end = f.steps[from].start, f.steps[from].end
	for _, s := range f.steps[from:to] {
		start, end = min(start, s.start), max(end, s.end)
	}
	return start, end
}

// node returns what a cluster becomes of which rules have something: the best of what it is, which is own unless that is nil or does not
// stay in some field, and of the sides in each field together.
func (c *cluster) node(all []searched, text string, own Node) Node {
	var sides [][]Node // by field
	leaves := map[string]bool{}
	for i := range all {
		f := &all[i]
		from := sort.Search(len(f.steps), func(i int) bool { return f.steps[i].start >= c.start })
		to := sort.Search(len(f.steps), func(i int) bool { return f.steps[i].start >= c.end })
		var within []found
		for _, x := range f.found {
			if x.from >= from && x.to <= to {
				within = append(within, x)
			}
		}
		if len(within) == 0 {
			continue
		}
		leaves[f.name] = slices.ContainsFunc(within, func(x found) bool { return !x.stays })
		if len(within) == 1 && within[0].from == from && within[0].to == to {
			sides = append(sides, f.others(&within[0]))
		} else {
			sides = append(sides, []Node{Bool{Must: f.nodes(text, from, to)}})
		}
	}
	stays := func(f *searched) bool { return !leaves[f.name] }
	var of []Node
	switch n := countOf(all, stays); {
	case own != nil && n == len(all):
		of = append(of, own)
	case n > 0:
		of = append(of, among(all, stays, text[c.start:c.end], ModeAnd))
	}
	if len(sides) == 1 {
		return bestOf(append(of, sides[0]...))
	}
	var sum Bool
	for _, s := range sides {
		sum.Should = append(sum.Should, bestOf(s))
	}
	return bestOf(append(of, sum))
}

func countOf(all []searched, f func(*searched) bool) (n int) {
	for i := range all {
		if f(&all[i]) {
			n++
		}
	}
	return n
}
