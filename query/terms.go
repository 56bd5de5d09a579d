package query

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/segment"
)

// term is one distinct term of a query.
type term struct {
	bytes   []byte
	qtf     int
	df      uint64          // over the snapshot
	weight  float32         // as in Score
	entries []segment.Entry // by part; DF is 0 where it does not occur
}

// resolve looks the query's terms up and puts them in canonical order: ascending
// df over the snapshot, then bytes.
func (r *run) resolve() error {
	r.terms, r.entries = r.terms[:0], r.entries[:0]
	for _, t := range r.q.Terms {
		r.terms = append(r.terms, term{bytes: t, qtf: 1})
	}
	sortTerms(r.terms, func(a, b *term) bool { return bytes.Compare(a.bytes, b.bytes) < 0 })
	r.terms = mergeEqual(r.terms)
	if len(r.terms) > MaxTerms {
		return fmt.Errorf("%w: %d distinct terms, at most %d", ErrTooManyTerms, len(r.terms), MaxTerms)
	}
	for i := range r.terms {
		t := &r.terms[i]
		if err := r.lookup(t); err != nil {
			return err
		}
		if t.qtf > 1 {
			t.weight = r.s.scorer.Weight(t.df, t.qtf)
		}
	}
	sortTerms(r.terms, func(a, b *term) bool { return a.df < b.df })
	return nil
}

// sortTerms is a stable sort: by insertion, as queries are short, or else the
// library's.
func sortTerms(terms []term, less func(a, b *term) bool) {
	if len(terms) > 32 {
		slices.SortStableFunc(terms, func(a, b term) int {
			switch {
			case less(&a, &b):
				return -1
			case less(&b, &a):
				return 1
			}
			return 0
		})
		return
	}
	for i := 1; i < len(terms); i++ {
		for j := i; j > 0 && less(&terms[j], &terms[j-1]); j-- {
			terms[j], terms[j-1] = terms[j-1], terms[j]
		}
	}
}

// mergeEqual makes one of neighbours with the same bytes.
func mergeEqual(terms []term) []term {
	kept := 0
	for i := range terms {
		if kept > 0 && bytes.Equal(terms[kept-1].bytes, terms[i].bytes) {
			terms[kept-1].qtf++
			continue
		}
		terms[kept] = terms[i]
		kept++
	}
	return terms[:kept]
}

// lookup fills in everything about a term that occurs once in the query.
func (r *run) lookup(t *term) error {
	hash := xxhash.Sum64(t.bytes)
	if c := r.s.cache.get(hash, t.bytes); c != nil {
		t.df, t.weight, t.entries = c.df, c.weight, c.entries
		return nil
	}
	start := len(r.entries)
	for p := range r.s.parts {
		e, ok, err := r.s.parts[p].seg.Lookup(t.bytes)
		if err != nil {
			return err
		}
		if !ok {
			e = segment.Entry{}
		}
		t.df += uint64(e.DF)
		r.entries = append(r.entries, e)
	}
	t.entries = r.entries[start:len(r.entries):len(r.entries)]
	t.weight = r.s.scorer.Weight(t.df, 1)
	r.s.cache.put(hash, t)
	return nil
}

// termCache keeps what the dictionaries say about terms that are asked for again
// and again: a look-up costs ten times as much. A term is kept when it is asked
// for twice before another one takes its slot, so that rare terms allocate
// nothing. It is safe for concurrent use.
type termCache struct {
	slots []atomic.Pointer[cachedTerm]
	seen  []atomic.Uint64 // hash of the last term asked for that was not kept
}

// cachedTerm does not change.
type cachedTerm struct {
	bytes   []byte
	df      uint64
	weight  float32
	entries []segment.Entry
}

// init sizes the cache to a bounded number of entries.
func (c *termCache) init(parts int) {
	n := 1 << 14
	for n > 64 && n*parts > 1<<16 {
		n /= 2
	}
	c.slots, c.seen = make([]atomic.Pointer[cachedTerm], n), make([]atomic.Uint64, n)
}

func (c *termCache) get(hash uint64, term []byte) *cachedTerm {
	t := c.slots[hash&uint64(len(c.slots)-1)].Load()
	if t == nil || !bytes.Equal(t.bytes, term) {
		return nil
	}
	return t
}

func (c *termCache) put(hash uint64, t *term) {
	i := hash & uint64(len(c.slots)-1)
	if c.seen[i].Swap(hash) == hash {
		c.slots[i].Store(&cachedTerm{bytes.Clone(t.bytes), t.df, t.weight, slices.Clone(t.entries)})
	}
}
