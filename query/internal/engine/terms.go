package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/termcache"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// term is one distinct term of a query.
type term struct {
	bytes   []byte
	qtf     int
	df      uint64  // over the snapshot, without deleted documents
	weight  float32 // as in Score
	fresh   bool    // looked up by this query
	entries []entry // by part; DF is 0 if no document there matches
}

// entry is a term's entry in the dictionary of a part.
type entry struct {
	segment.Entry
	reach reader.Reach
}

// resolve looks up the query's terms and puts them in canonical order: ascending df over the
// snapshot, then bytes.
func (r *execution) resolve() error {
	if err := r.parse(); err != nil {
		return err
	}
	if r.s.remote {
		if err := r.fetch(); err != nil {
			return err
		}
	}
	r.terms, r.entries = r.terms[:0], r.entries[:0]
	first := true
	for i, b := range r.q.Terms {
		t := term{bytes: b, qtf: 1}
		hash := termcache.Hash(b)
		if !r.cached(&t, hash) {
			if first {
				r.prefetchTerms(r.q.Terms[i:])
				first = false
			}
			if err := r.lookup(&t, hash); err != nil {
				return err
			}
			t.fresh = true
		}
		r.terms = append(r.terms, t)
	}
	sortTerms(r.terms)
	if !first {
		r.prefetchLists()
	}
	r.terms = mergeEqual(r.terms)
	if len(r.terms) > MaxTerms {
		return fmt.Errorf("%w: %d distinct terms, at most %d", ErrTooManyTerms, len(r.terms), MaxTerms)
	}
	for i := range r.terms {
		if t := &r.terms[i]; t.qtf > 1 {
			t.weight = r.s.scorer.Weight(t.df, t.qtf)
		}
	}
	r.Names, r.Postings = r.Names[:0], 0
	for i := range r.terms {
		r.Names = append(r.Names, r.terms[i].bytes)
		r.Postings += r.terms[i].df
	}
	return nil
}

func compareTerms(a, b term) int {
	if a.df != b.df {
		return cmp.Compare(a.df, b.df)
	}
	return bytes.Compare(a.bytes, b.bytes)
}

// sortTerms sorts terms in canonical order, by insertion unless there are many.
func sortTerms(terms []term) {
	if len(terms) > 32 {
		slices.SortFunc(terms, compareTerms)
		return
	}
	for i := 1; i < len(terms); i++ {
		j := i
		for j > 0 && (terms[i].df < terms[j-1].df || terms[i].df == terms[j-1].df && compareTerms(terms[i], terms[j-1]) < 0) {
			j--
		}
		if j < i {
			t := terms[i]
			copy(terms[j+1:i+1], terms[j:i])
			terms[j] = t
		}
	}
}

// mergeEqual merges adjacent terms with the same bytes.
func mergeEqual(terms []term) []term {
	kept := 0
	for i := range terms {
		if kept > 0 && terms[kept-1].df == terms[i].df && bytes.Equal(terms[kept-1].bytes, terms[i].bytes) {
			terms[kept-1].qtf++
			continue
		}
		if kept < i {
			terms[kept] = terms[i]
		}
		kept++
	}
	return terms[:kept]
}

// cached fills in df, entries and weight of a term that occurs once in the query, if the
// searcher has them.
func (r *execution) cached(t *term, hash uint64) bool {
	c := r.s.cache.Get(hash, t.bytes)
	if c != nil {
		t.df, t.weight, t.entries = c.df, c.weight, c.entries
	}
	return c != nil
}

// lookup is cached for a term that the searcher does not have.
func (r *execution) lookup(t *term, hash uint64) error {
	start := len(r.entries)
	for p := range r.parts() {
		views := r.parts()[p].Views()
		e, ok, err := views.Lookup(t.bytes) // the query arms faults and holds the snapshot
		if err != nil {
			return err
		}
		live, reach, err := r.parts()[p].Deletes.Of(views, e)
		if err != nil {
			return format.Locate(err, format.Place{List: string(t.bytes), Block: format.NoBlock})
		}
		if !ok || live == 0 {
			e = segment.Entry{}
		}
		t.df += uint64(live)
		r.entries = append(r.entries, entry{e, reach})
	}
	t.entries = r.entries[start:len(r.entries):len(r.entries)]
	t.weight = r.s.scorer.Weight(t.df, 1)
	r.s.cache.Put(hash, t.bytes, func(c *cachedTerm) { c.set(t) })
	return nil
}
