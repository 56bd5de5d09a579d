package segment

import (
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
)

// rangeOf returns n bytes at offset off in sec and checks their pages.
func (s *Segment) rangeOf(sec *section, off, n int64) ([]byte, error) {
	b, err := s.peek(sec, off, n)
	if err == nil && sec.mem != nil {
		err = s.touch(sec, off, n)
	}
	return b, err
}

// peek is rangeOf, except that of a section in memory it checks nothing: callers must touch
// what they use.
func (s *Segment) peek(sec *section, off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > sec.Length-n {
		return nil, s.corrupt(sec, off, "range of %d bytes leaves the section", n)
	}
	if sec.mem != nil {
		return sec.mem[off : off+n], nil
	}
	if v := s.views.termIndex.Load(); v != nil && v.terms != nil && sec.ID == format.SectionTerms {
		return v.terms[off : off+n], nil
	}
	return pageChecks{s}.readPages(sec, off, n)
}

// words returns sec as 64-bit words, of which callers must touch those of a section in
// memory that they use. Others are read whole on first use.
func (s *Segment) words(sec *section, view *atomic.Pointer[[]uint64]) ([]uint64, error) {
	if v := view.Load(); v != nil {
		return *v, nil
	}
	b, err := s.peek(sec, 0, sec.Length)
	if err != nil {
		return nil, err
	}
	w := format.Uint64s(b)
	view.Store(&w)
	return w, nil
}
