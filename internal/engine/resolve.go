package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/terms"
)

// resolving is a search whose terms, filters and fields are looked up.
type resolving struct{ *execution }

// resolve looks up the query's terms and puts them in canonical order, and reads what scoring them needs.
func (r resolving) resolve() (err error) {
	if (r.q.Frequencies != nil) != r.s.given {
		return ErrFrequencies
	}
	if err := r.parse(); err != nil {
		return err
	}
	if r.q.Mode == AndOr && r.q.After != nil {
		return fmt.Errorf("%w: hits after another with a mode whose hits depend on K", ErrInvalid)
	}
	if r.s.remote {
		if err := r.fetch(); err != nil {
			return err
		}
	}
	if err := r.checkTerms(); err != nil {
		return err
	}
	if r.lookup.Miss == nil {
		r.lookup.Miss, r.lookup.Stop = r.prefetchTerms, r.ended
	}
	if r.terms, err = r.lookup.Resolve(r.s.terms, r.words.Words); err != nil {
		return err
	}
	r.prefetchLists()
	if t := r.words.Tree; t != nil {
		if err := r.resolveSets(t); err != nil {
			return err
		}
	}
	if r.words.Columns != nil || r.q.Filter != nil {
		if err := r.resolveFilters(); err != nil {
			return err
		}
	}
	if r.words.Tree != nil {
		r.resolveTree()
	}
	r.Names, r.Postings = r.Names[:0], 0
	for i := range r.terms {
		r.Names = append(r.Names, r.terms[i].Bytes)
		r.Postings += r.postings(&r.terms[i])
	}
	if r.q.K > 0 {
		if err := r.findTies(); err != nil {
			return err
		}
	}
	if err := r.readLengths(); err != nil || r.Tree == nil {
		return err
	}
	return nearing(r).resolveNear()
}

// checkTerms returns ErrTooManyTerms for more than MaxTerms distinct terms, before anything is looked up.
func (r resolving) checkTerms() error {
	words := r.words.Words
	if len(words) <= MaxTerms {
		return nil
	}
	type key struct {
		bytes        string
		field        int
		group, blend int32
	}
	seen := make(map[key]bool, MaxTerms)
	for i, w := range words {
		if i%many == 0 && r.Stopped() {
			return r.Err
		}
		if seen[key{string(w.Bytes), w.Field, w.Group, w.Blend}] = true; len(seen) > MaxTerms {
			return fmt.Errorf("%w: more than %d distinct terms", ErrTooManyTerms, MaxTerms)
		}
	}
	return nil
}

// ended is terms.Resolver.Stop.
func (r resolving) ended() error {
	if r.Stopped() {
		return r.Err
	}
	return nil
}

// givenDF is terms.Resolver.Given.
func (r resolving) givenDF(field int, term []byte, live uint64) (uint64, error) {
	return r.q.Frequencies.DF(field, term, live, r.s.fields[field].Scorer.Stats().Docs)
}

// Frequencies calls f with each distinct term of q, and how many documents that are not deleted have it.
func (s *Searcher) Frequencies(ctx context.Context, q *Query, f func(field int, term []byte, df uint64)) (err error) {
	if err = s.hold(); err != nil {
		return err
	}
	defer s.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	r := s.execution()
	defer func() {
		r.giveBack()
	}()
	r.begin(ctx, s, q)
	if r.lookup.Given = nil; s.docFreq != nil {
		return ErrFrequencies
	}
	if err := (resolving{r}).parse(); err != nil {
		return err
	}
	words := append(r.words.Words, r.words.Others...)
	for i := range words {
		words[i].Boost, words[i].Group, words[i].Blend = 1, 0, 0
	}
	resolving{r}.prefetchTerms(words)
	all, err := r.lookup.Resolve(s.terms, words)
	if err != nil {
		return err
	}
	for i := range all {
		f(all[i].Field, all[i].Bytes, all[i].DF)
	}
	return nil
}

// WordFrequencies returns how many documents that are not deleted have each of words.
func (s *Searcher) WordFrequencies(ctx context.Context, words []terms.Word) (all []uint64, err error) {
	if err = s.hold(); err != nil {
		return nil, err
	}
	defer s.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	r := s.execution()
	defer func() {
		r.giveBack()
	}()
	r.begin(ctx, s, &Query{})
	if s.docFreq != nil {
		return nil, ErrFrequencies
	}
	resolving{r}.prefetchTerms(words)
	all = make([]uint64, len(words))
	for i := range words {
		if i%many == 0 && r.Stopped() {
			return nil, r.Err
		}
		if all[i], err = r.lookup.DF(s.terms, words[i].Field, words[i].Bytes); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// postings returns how many documents that are not deleted have a term.
func (r resolving) postings(t *term) (n uint64) {
	if r.s.OwnStatistics() {
		return t.DF
	}
	for i := range t.Kept.entries {
		n += uint64(t.Kept.entries[i].Live)
	}
	return n
}

// readLengths reads the lengths of the documents in the fields of the terms, which queries before have not. A query
// without hits needs none, and without a schema Init has read them.
func (r resolving) readLengths() error {
	if r.q.K == 0 || !r.s.fielded() {
		return nil
	}
	for p := range r.s.parts {
		part := &r.parts()[p]
		for i := range r.terms {
			t := &r.terms[i]
			if f := &part.Fields[t.Field]; f.Unread() && t.Kept.entries[p].DF > 0 {
				if err := f.Read(part.Views()); err != nil {
					return format.Locate(err, format.Place{List: f.Label(t.Bytes), Block: format.NoBlock})
				}
			}
		}
	}
	return nil
}

// AppendLengths appends the document frequency of each term in the field of that name, in the order
// of terms; see search.Searcher.AppendLengths.
func (s *Searcher) AppendLengths(dst []uint64, field string, terms [][]byte) (lengths []uint64, err error) {
	if err = s.hold(); err != nil {
		return dst, err
	}
	defer s.release()
	f := slices.IndexFunc(s.fields, func(f Field) bool { return f.Name == field })
	switch {
	case f < 0 && field == "":
		return dst, fmt.Errorf("%w: terms without a field", ErrInvalid)
	case f < 0:
		return dst, fmt.Errorf("%w: no field %q is indexed", ErrInvalid, field)
	}
	lengths = dst
	for _, b := range terms {
		n, ok := s.terms.DF(f, b)
		if !ok {
			if n, err = s.lookUp(f, b); err != nil {
				return dst, err
			}
		}
		lengths = append(lengths, n)
	}
	return lengths, nil
}

// AppendWordLengths is AppendLengths for terms of fields.
func (s *Searcher) AppendWordLengths(dst []uint64, words []terms.Word) (lengths []uint64, err error) {
	if err = s.hold(); err != nil {
		return dst, err
	}
	defer s.release()
	lengths = dst
	for _, w := range words {
		n, ok := s.terms.DF(w.Field, w.Bytes)
		if !ok {
			if n, err = s.lookUp(w.Field, w.Bytes); err != nil {
				return dst, err
			}
		}
		lengths = append(lengths, n)
	}
	return lengths, nil
}

// lookUp returns the document frequency of a term that the cache does not have. The snapshot is held.
func (s *Searcher) lookUp(field int, term []byte) (df uint64, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	r := s.execution()
	defer r.giveBack()
	return r.lookup.DF(s.terms, field, term)
}
