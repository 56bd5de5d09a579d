package segment

import "github.com/pinion-index/pinion/format"

// asked collects what is read soon. A mapped file is told of each range at once, other Data
// of all of them together.
type asked struct {
	s      *Segment
	ranges []Range
}

// ask returns what collects ranges. It does nothing for Data that no hint helps.
func (s *Segment) ask() asked { return asked{s: s} }

func (a *asked) add(off, n int64) {
	switch {
	case a.s.ahead != nil:
		a.s.ahead.WillNeed(off, n)
	case a.s.remote != nil:
		a.ranges = append(a.ranges, Range{Off: off, Len: n})
	}
}

// send asks for what was added.
func (a *asked) send() {
	if len(a.ranges) > 0 {
		a.s.remote.Fetch(a.ranges)
	}
}

// need adds n bytes at off of sec and the checksums of their pages, of a mapped file unless
// they were read before. Lists are asked for again: long ones may have left memory since.
func (a *asked) need(sec *section, off, n int64) {
	s := a.s
	if !s.hinted() || off < 0 || n <= 0 || off >= sec.Length {
		return
	}
	lo, hi := sec.Offset+off, sec.Offset+min(off+n, sec.Length)
	page, end := lo/format.PageSize, (hi-1)/format.PageSize+1
	p := &s.pages
	if s.ahead != nil && p.good != nil && sec != &s.postings && p.unchecked(page, end) == end {
		return
	}
	a.add(lo, hi-lo)
	first, _ := p.Group(page)
	last, _ := p.Group(end - 1)
	for i := first; p.good != nil && i <= last; i++ {
		const size = format.PageSumSize * (format.PageGroup + 1)
		if p.groups[i].Load() == nil {
			a.add(p.sums.Offset+i*size, min(size, p.sums.Length-i*size))
		}
	}
}

// hinted reports whether the Data can be told what is read next.
func (s *Segment) hinted() bool { return s.ahead != nil || s.remote != nil }

// table adds a section that is read whole, unless it was read before.
func (a *asked) table(sec *section, known bool) {
	if !known {
		a.need(sec, 0, sec.Length)
	}
}

// units adds n bytes at off of sec. Reads of them are shared with those of what lies beside
// them.
func (a *asked) units(sec *section, off, n int64) {
	from := len(a.ranges)
	if a.need(sec, off, n); from < len(a.ranges) {
		a.ranges[from].Guess = true
	}
}
