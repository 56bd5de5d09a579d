package query

import "github.com/pinion-index/pinion/reader"

// StatsOf returns what scoring needs of a snapshot's statistics.
func StatsOf(s *reader.Snapshot) Stats {
	st := s.Stats()
	return Stats{Docs: st.Docs, Tokens: st.Tokens, MaxLen: st.MaxLen}
}

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
	x, err := newSearcher(parts, StatsOf(s), o)
	if err != nil {
		return nil, err
	}
	x.parser.init(s.Analyzer())
	return x, nil
}
