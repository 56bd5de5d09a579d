package engine

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
	lengths = dst
	for _, b := range terms {
		hash := termcache.Hash(b)
		n := uint64(0)
		if c := s.cache.Get(hash, b); c != nil {
			n = c.df
		} else if n, err = s.lookupLength(b, hash); err != nil {
			return dst, err
		}
		lengths = append(lengths, n)
	}
	return lengths, nil
}

// lookupLength returns the document frequency of a term that the cache does not have. The
// snapshot is held.
func (s *Searcher) lookupLength(b []byte, hash uint64) (n uint64, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	r := s.runs.Get().(*execution)
	defer s.runs.Put(r)
	r.s, r.entries = s, r.entries[:0]
	t := term{bytes: b, qtf: 1}
	err = r.lookup(&t, hash)
	return t.df, err
}
