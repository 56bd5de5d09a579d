package query

import "github.com/pinion-index/pinion/reader"

// NewSearcher returns a Searcher over a snapshot, which must stay open meanwhile.
func NewSearcher(s *reader.Snapshot, o Options) (*Searcher, error) {
	var parts []part
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		if err != nil {
			return nil, err
		}
		p := part{seg: seg}
		if d.Count() > 0 {
			p.deletes, p.deleted = d.Bits(), int(d.Count())
		}
		parts = append(parts, p)
	}
	x, err := newSearcher(parts, o)
	if err != nil {
		return nil, err
	}
	x.parser.init(s.Analyzer())
	return x, nil
}
