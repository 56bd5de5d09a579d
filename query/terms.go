package query

import (
	"bytes"
	"cmp"
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
	for _, b := range r.q.Terms {
		t := term{bytes: b, qtf: 1}
		if err := r.lookup(&t); err != nil {
			return err
		}
		r.terms = append(r.terms, t)
	}
	sortTerms(r.terms)
	r.terms = mergeEqual(r.terms)
	if len(r.terms) > MaxTerms {
		return fmt.Errorf("%w: %d distinct terms, at most %d", ErrTooManyTerms, len(r.terms), MaxTerms)
	}
	for i := range r.terms {
		if t := &r.terms[i]; t.qtf > 1 {
			t.weight = r.s.scorer.Weight(t.df, t.qtf)
		}
	}
	return nil
}

func compareTerms(a, b term) int {
	if a.df != b.df {
		return cmp.Compare(a.df, b.df)
	}
	return bytes.Compare(a.bytes, b.bytes)
}

// sortTerms sorts by insertion, as queries are short, or else as the library does.
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

// mergeEqual makes one of neighbours with the same bytes.
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
// and again: a look-up costs ten times as much. Once the cache is full a term is
// kept only if it is asked for twice in a row among those with its low bits, so
// that rare terms neither allocate nor displace. It is safe for concurrent use.
type termCache struct {
	sets []termSet
	seen []atomic.Uint32 // by set: high bits of the hash of the last term asked for that was not kept
}

// termSet is one cache line: the terms whose hashes have the same low bits.
type termSet [4]struct {
	hash atomic.Uint64
	term atomic.Pointer[cachedTerm]
}

// cachedTerm does not change. As a rule its term and entry lie in itself, as every
// other place in memory costs about as much as all the rest of a look-up.
type cachedTerm struct {
	df      uint64
	weight  float32
	bytes   []byte
	entries []segment.Entry
	short   [24]byte
	one     [1]segment.Entry
}

func newCachedTerm(t *term) *cachedTerm {
	c := &cachedTerm{df: t.df, weight: t.weight}
	c.bytes = append(c.short[:0], t.bytes...)
	c.entries = append(c.one[:0], t.entries...)
	return c
}

// maxCachedEntries bounds a termCache: terms times segments.
const maxCachedEntries = 1 << 15

func (c *termCache) init(parts int) {
	n := 1 << 12
	for n > 16 && 4*n*parts > maxCachedEntries {
		n /= 2
	}
	c.sets, c.seen = make([]termSet, n), make([]atomic.Uint32, n)
}

func (c *termCache) get(hash uint64, term []byte) *cachedTerm {
	set := &c.sets[hash&uint64(len(c.sets)-1)]
	for i := range set {
		if set[i].hash.Load() == hash {
			if t := set[i].term.Load(); t != nil && bytes.Equal(t.bytes, term) {
				return t
			}
		}
	}
	return nil
}

func (c *termCache) put(hash uint64, t *term) {
	i := hash & uint64(len(c.sets)-1)
	way := &c.sets[i][hash>>62]
	for k := range c.sets[i] {
		if w := &c.sets[i][k]; w.term.Load() == nil {
			way = w
			break
		}
	}
	if way.term.Load() != nil && c.seen[i].Swap(uint32(hash>>32)) != uint32(hash>>32) {
		return
	}
	way.term.Store(newCachedTerm(t))
	way.hash.Store(hash)
}
