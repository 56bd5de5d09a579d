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
	r := s.runs.Get().(*run)
	defer s.runs.Put(r)
	r.s, r.entries = s, r.entries[:0]
	t := term{bytes: b, qtf: 1}
	err = r.lookup(&t, hash)
	return t.df, err
}

// Lengths are the lengths of a query's posting lists, in documents of the snapshot that are not deleted. A term
// that occurs twice in the query counts once.
type Lengths struct {
	Terms            int    // distinct terms, those that are in no document included
	Shortest, Second uint64 // of the two shortest lists; Second is 0 if there is only one
	Sum              uint64 // of all lists
}

// lengths returns those of the query, whose terms are resolved.
func (r *run) lengths() Lengths {
	l := Lengths{Terms: len(r.terms), Shortest: r.terms[0].df}
	if l.Terms > 1 {
		l.Second = r.terms[1].df
	}
	for i := range r.terms {
		l.Sum += r.terms[i].df
	}
	return l
}
