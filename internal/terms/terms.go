// Package terms resolves the terms of queries for all that execute or predict them: what the dictionaries of a
// snapshot say of each term, in the canonical order in which scores are summed, and a cache of that.
package terms

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/termcache"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Part is a segment of a snapshot.
type Part struct {
	Views   *segment.Segment
	Deletes *reader.Deletes // nil if none
}

// Entry is a term's entry in the dictionary of a part. DF is 0 if no document there that is not deleted holds the term.
type Entry struct {
	segment.Entry
	Live  uint32 // documents that are not deleted
	Reach reader.Reach
}

// Term is a distinct term of a query.
type Term[X any] struct {
	Bytes  []byte
	Times  int     // in the query
	DF     uint64  // over the snapshot, without deleted documents
	Weight float32 // as in query.Score
	Fresh  bool    // the cache did not have it
	Kept   *X      // as Resolver.Keep made it; of a term in the cache, that of the cache
}

// Cache is what is known of the terms of a snapshot that queries have. X is what is kept of a term beside its document
// frequency and weight. A Cache is safe for concurrent use after Init.
type Cache[X any] struct {
	weight func(df uint64, times int) float32
	terms  termcache.Cache[known[X]]
}

type known[X any] struct {
	df     uint64
	weight float32 // of a term that occurs once in a query
	kept   X
}

// Init makes an empty Cache of up to 4*sets terms. weight is query.Scorer.Weight.
func (c *Cache[X]) Init(weight func(df uint64, times int) float32, sets int) {
	c.weight = weight
	c.terms.Init(sets)
}

// Get returns what is kept of a term, or nil if the Cache does not have it.
func (c *Cache[X]) Get(term []byte) *X {
	if k := c.terms.Get(termcache.Hash(term), term); k != nil {
		return &k.kept
	}
	return nil
}

// DF returns the document frequency of a term, if the Cache has it.
func (c *Cache[X]) DF(term []byte) (df uint64, ok bool) {
	if k := c.terms.Get(termcache.Hash(term), term); k != nil {
		return k.df, true
	}
	return 0, false
}

// Drop empties the Cache.
func (c *Cache[X]) Drop() { c.terms.Drop() }

// Resolver looks terms up, for one goroutine.
type Resolver[X any] struct {
	// Parts are the segments of the snapshot, in order.
	Parts []Part
	// Keep sets x to what is kept of a term, of which entries, by part, must be copied.
	Keep func(x *X, term []byte, entries []Entry) error
	// Copy makes to, which is zero, the copy of from that the cache keeps.
	Copy func(to, from *X)
	// Guard, unless nil, calls look, which reads the index. Otherwise the caller guards against faults.
	Guard func(look func() error) error
	// Miss, unless nil, is called before the first term is looked up that the cache does not have, with the words
	// from there on.
	Miss func(words [][]byte)
	// Reuse lets terms that the cache does not have lie in memory that later calls use again.
	Reuse bool

	terms   []Term[X]
	entries []Entry
	spare   []*X
	used    int // of spare
}

// sortedByInsertion is the number of words up to which insertion is the fastest way.
const sortedByInsertion = 32

// Resolve returns the distinct terms of words in canonical order: ascending document frequency over the snapshot,
// then bytes. They are valid until the next call.
func (r *Resolver[X]) Resolve(c *Cache[X], words [][]byte) ([]Term[X], error) {
	all, missed, few := r.terms[:0], false, len(words) <= sortedByInsertion
	r.used = 0
	for i, b := range words {
		hash := termcache.Hash(b)
		var t Term[X]
		if k := c.terms.Get(hash, b); k != nil {
			t = Term[X]{Bytes: b, Times: 1, DF: k.df, Weight: k.weight, Kept: &k.kept}
		} else {
			if !missed && r.Miss != nil {
				r.Miss(words[i:])
			}
			missed = true
			var err error
			if t, err = r.look(c, b, hash); err != nil {
				return nil, err
			}
		}
		if few {
			all = insert(all, &t)
		} else {
			all = append(all, t)
		}
	}
	if !few {
		slices.SortFunc(all, func(a, b Term[X]) int { return cmp.Or(cmp.Compare(a.DF, b.DF), bytes.Compare(a.Bytes, b.Bytes)) })
		all = merge(all)
	}
	if r.terms = all; len(all) < len(words) {
		for i := range all {
			if t := &all[i]; t.Times > 1 {
				t.Weight = c.weight(t.DF, t.Times)
			}
		}
	}
	return all, nil
}

// Find returns one term, as Resolve does.
func (r *Resolver[X]) Find(c *Cache[X], term []byte) (Term[X], error) {
	hash := termcache.Hash(term)
	if k := c.terms.Get(hash, term); k != nil {
		return Term[X]{Bytes: term, Times: 1, DF: k.df, Weight: k.weight, Kept: &k.kept}, nil
	}
	r.used = 0
	return r.look(c, term, hash)
}

// Size returns how many elements r has memory for.
func (r *Resolver[X]) Size() int { return max(cap(r.terms), cap(r.spare), cap(r.entries)) }

// look looks a term up that the cache does not have, and puts it there.
func (r *Resolver[X]) look(c *Cache[X], b []byte, hash uint64) (t Term[X], err error) {
	t = Term[X]{Bytes: b, Times: 1, Fresh: true, Kept: r.room()}
	if r.Guard != nil {
		err = r.Guard(func() error { return r.read(&t) })
	} else {
		err = r.read(&t)
	}
	if err != nil {
		return t, err
	}
	t.Weight = c.weight(t.DF, 1)
	c.terms.Put(hash, b, func(k *known[X]) {
		k.df, k.weight = t.DF, t.Weight
		r.Copy(&k.kept, t.Kept)
	})
	return t, nil
}

// read reads the dictionaries' entries of t.
func (r *Resolver[X]) read(t *Term[X]) error {
	r.entries = r.entries[:0]
	for i := range r.Parts {
		p := &r.Parts[i]
		e, ok, err := p.Views.Lookup(t.Bytes)
		if err != nil {
			return err
		}
		live, reach, err := p.Deletes.Of(p.Views, e)
		if err != nil {
			return format.Locate(err, format.Place{List: string(t.Bytes), Block: format.NoBlock})
		}
		if !ok || live == 0 {
			e, live = segment.Entry{}, 0
		}
		t.DF += uint64(live)
		r.entries = append(r.entries, Entry{e, live, reach})
	}
	return r.Keep(t.Kept, t.Bytes, r.entries)
}

// room returns memory for what is kept of a term.
func (r *Resolver[X]) room() *X {
	if !r.Reuse {
		return new(X)
	}
	if r.used == len(r.spare) {
		r.spare = append(r.spare, new(X))
	}
	r.used++
	return r.spare[r.used-1]
}

// insert adds a term to terms in canonical order, or counts it if it is one of them.
func insert[X any](terms []Term[X], t *Term[X]) []Term[X] {
	at := len(terms)
	for ; at > 0; at-- {
		before := &terms[at-1]
		if before.DF > t.DF {
			continue
		}
		if before.DF < t.DF {
			break
		}
		c := bytes.Compare(before.Bytes, t.Bytes)
		if c == 0 {
			before.Times++
			before.Fresh = before.Fresh || t.Fresh
			return terms
		}
		if c < 0 {
			break
		}
	}
	terms = append(terms, *t)
	if at < len(terms)-1 {
		copy(terms[at+1:], terms[at:])
		terms[at] = *t
	}
	return terms
}

// merge merges adjacent terms with the same bytes.
func merge[X any](terms []Term[X]) []Term[X] {
	kept := 0
	for i := range terms {
		if kept > 0 && terms[kept-1].DF == terms[i].DF && bytes.Equal(terms[kept-1].Bytes, terms[i].Bytes) {
			terms[kept-1].Times++
			terms[kept-1].Fresh = terms[kept-1].Fresh || terms[i].Fresh
			continue
		}
		if kept < i {
			terms[kept] = terms[i]
		}
		kept++
	}
	return terms[:kept]
}
