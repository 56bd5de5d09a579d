package engine

import (
	"fmt"

	"github.com/pinion-index/pinion/store"
)

// resolve looks up the query's terms and puts them in canonical order.
func (r *execution) resolve() (err error) {
	if err := r.parse(); err != nil {
		return err
	}
	if r.q.Mode == AndOr && r.q.After != 0 {
		return fmt.Errorf("%w: hits after another with a mode whose hits depend on K", ErrInvalid)
	}
	if r.s.remote {
		if err := r.fetch(); err != nil {
			return err
		}
	}
	if r.lookup.Miss == nil {
		r.lookup.Miss = r.prefetchTerms
	}
	if r.terms, err = r.lookup.Resolve(r.s.terms, r.words.Words); err != nil {
		return err
	}
	r.prefetchLists()
	if len(r.terms) > MaxTerms {
		return fmt.Errorf("%w: %d distinct terms, at most %d", ErrTooManyTerms, len(r.terms), MaxTerms)
	}
	r.Names, r.Postings = r.Names[:0], 0
	for i := range r.terms {
		r.Names = append(r.Names, r.terms[i].Bytes)
		r.Postings += r.terms[i].DF
	}
	return nil
}

// AppendLengths appends the document frequency of each term, in the order of terms; see
// query.Searcher.AppendLengths.
func (s *Searcher) AppendLengths(dst []uint64, terms [][]byte) (lengths []uint64, err error) {
	if err = s.hold(); err != nil {
		return dst, err
	}
	defer s.release()
	if len(s.fields) != 1 || s.fields[0].Name != "" {
		return dst, fmt.Errorf("%w: terms without a field", ErrInvalid)
	}
	lengths = dst
	for _, b := range terms {
		n, ok := s.terms.DF(0, b)
		if !ok {
			if n, err = s.lookUp(b); err != nil {
				return dst, err
			}
		}
		lengths = append(lengths, n)
	}
	return lengths, nil
}

// lookUp returns the document frequency of a term that the cache does not have. The snapshot is held.
func (s *Searcher) lookUp(term []byte) (df uint64, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	r := s.execution()
	defer s.runs.Put(r)
	return r.lookup.DF(s.terms, 0, term)
}
