package query

import (
	"github.com/pinion-index/pinion/internal/termcache"
	"github.com/pinion-index/pinion/store"
)

// AppendLengths appends the document frequency of each term in the snapshot, in the order
// of terms. It uses and fills the cache of the queries. The error matches reader.ErrClosed
// or format.ErrCorrupt.
func (s *Searcher) AppendLengths(dst []uint64, terms [][]byte) (lengths []uint64, err error) {
	if err = s.hold(); err != nil {
		return dst, err
	}
	defer s.release()
	defer store.CatchFault(store.ArmFault(), &err)
	r := s.runs.Get().(*run)
	defer s.runs.Put(r)
	r.s = s
	lengths = dst
	for _, b := range terms {
		r.entries = r.entries[:0]
		t := term{bytes: b, qtf: 1}
		if hash := termcache.Hash(b); !r.cached(&t, hash) {
			if err := r.lookup(&t, hash); err != nil {
				return dst, err
			}
		}
		lengths = append(lengths, t.df)
	}
	return lengths, nil
}
