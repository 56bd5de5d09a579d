package query

import (
	"fmt"

	"github.com/pinion-index/pinion/reader"
)

// StatsOf returns what scoring needs of a snapshot's statistics.
func StatsOf(s *reader.Snapshot) Stats {
	st := s.Stats()
	return Stats{Docs: st.Docs, Tokens: st.Tokens, MaxLen: st.MaxLen}
}

// NewSearcher returns a Searcher over a snapshot, which must stay open while the Searcher is
// used. The error matches ErrInvalid for no snapshot or bad options, ErrParams for bad
// parameters, and reader.ErrClosed for a closed snapshot.
func NewSearcher(s *reader.Snapshot, o Options) (*Searcher, error) {
	if s == nil {
		return nil, fmt.Errorf("%w: no snapshot", ErrInvalid)
	}
	hold, err := s.Retain() // fails if s is closed
	if err != nil {
		return nil, err
	}
	defer hold.Close()
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
