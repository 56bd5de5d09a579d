package engine

import (
	"fmt"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
	"github.com/pinion-index/pinion/store"
)

// known is what a Searcher keeps of a term: its entries in the dictionaries, by part, and what follows from them. A single
// entry is inline, to save a cache miss.
type known struct {
	entries []terms.Entry
	one     [1]terms.Entry
	info    atomic.Pointer[TermInfo] // nil until it is asked for
}

type term = terms.Term[known]

// keep is terms.Resolver.Keep.
func keep(k *known, _ []byte, entries []terms.Entry) error {
	k.entries = append(k.entries[:0], entries...)
	k.info.Store(nil)
	return nil
}

// copyKnown is terms.Resolver.Copy.
func copyKnown(to, from *known) { to.entries = append(to.one[:0], from.entries...) }

// maxCachedEntries bounds a Searcher's cache: terms times segments.
const maxCachedEntries = 1 << 15

// cacheSets returns the number of sets, of four terms, for that many segments.
func cacheSets(parts int) int {
	n := 1 << 12
	for n > 16 && 4*n*parts > maxCachedEntries {
		n /= 2
	}
	return n
}

// dictionaries returns parts as terms are looked up in them.
func dictionaries(parts []posting.Part) []terms.Part {
	all := make([]terms.Part, len(parts))
	for i := range parts {
		all[i] = terms.Part{Views: parts[i].Views(), Deletes: parts[i].Deletes}
	}
	return all
}

// use makes r ready to look up terms of s.
func (r *execution) use(s *Searcher) {
	r.s = s
	l := &r.lookup
	if l.Parts = s.dictionaries; l.Keep == nil {
		l.Keep, l.Copy, l.Reuse = keep, copyKnown, true
	}
}

// resolve looks up the query's terms and puts them in canonical order.
func (r *execution) resolve() (err error) {
	if err := r.parse(); err != nil {
		return err
	}
	if r.s.remote {
		if err := r.fetch(); err != nil {
			return err
		}
	}
	if r.lookup.Miss == nil {
		r.lookup.Miss = r.prefetchTerms
	}
	if r.terms, err = r.lookup.Resolve(r.s.terms, r.q.Terms); err != nil {
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
	defer store.CatchFault(store.ArmFault(), &err)
	r := s.runs.Get().(*execution)
	defer s.runs.Put(r)
	r.use(s)
	lengths = dst
	for _, b := range terms {
		t, err := r.lookup.Find(s.terms, b)
		if err != nil {
			return dst, err
		}
		lengths = append(lengths, t.DF)
	}
	return lengths, nil
}
