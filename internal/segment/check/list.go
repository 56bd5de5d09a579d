package check

import "github.com/pinion-index/pinion/segment"

// ListChecker checks single lists of any segments, as Segment does at level Postings. The zero
// value is ready to use. It is not safe for concurrent use.
type ListChecker struct{ lv listVerifier }

// List returns the list of e, an entry of s, or what is wrong with it. The list is valid
// until the next call.
func (c *ListChecker) List(s *segment.Segment, e segment.Entry) (*segment.List, error) {
	lv := &c.lv
	if f := s.FieldOf(e); lv.s != s || lv.field != f {
		lens, err := s.Field(f).Lengths()
		if err != nil {
			return nil, err
		}
		lv.v, lv.s, lv.field, lv.least = &verifier{s: s}, s, f, 0
		lv.lens, lv.loose = lens, s.Meta().ForeignLengths || lens.Coded()
		lv.weights = s.Fields()[f].HasImpacts()
	}
	l := &lv.list
	if err := s.Lists().Init(l, e); err != nil {
		return nil, err
	}
	if l.Kind != segment.KindExtent {
		return l, lv.checkFreqs(l.Small())
	}
	if err := l.VerifyChecksum(); err != nil {
		return nil, err
	}
	if err := Extent(l, s.Meta().Docs); err != nil {
		return nil, err
	}
	return l, lv.extent()
}
