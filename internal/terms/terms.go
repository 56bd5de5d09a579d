// Package terms resolves the terms of queries for all that execute or predict them: what the dictionaries of a
// snapshot say of each term, in the canonical order in which scores are summed, and a cache of that.
package terms

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/termcache"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Word is a term of a query: what to look for in which field.
type Word struct {
	Bytes []byte
	Field int     // fields count in the order of their names
	Boost float64 // multiplies the weight; 1 changes nothing
	// Group is 0, or the number of one word of a query: words of a field with equal bytes are one term only if
	// their groups are equal.
	Group int32
	// Blend is 0, or a number that words share which all count as occurring in as many documents as the most
	// frequent of them. It is part of what makes terms distinct, as Group is.
	Blend int32
}

// Query is what a query searches for, if a mode that combines terms says it.
type Query struct {
	Words   []Word
	Bytes   []byte           // that words refer to
	Docs    *docset.Global   // unless nil, only these documents match, by their global docIDs
	Columns *filter.Compiled // unless nil, only documents that pass it match
}

// Dot is what a query searches for that is one Dot: terms of a field of impacts, distinct and in the order of their
// bytes, with a weight each. The score of a document is its sum times Factor.
type Dot struct {
	Field   int
	Terms   [][]byte
	Weights []uint32
	Factor  float32
	Docs    *docset.Global   // as in Query
	Columns *filter.Compiled // as in Query
}

// Boosted reports whether w's boost is not 1.
func (w Word) Boosted() bool { return w.Boost != 1 }

// Dictionary looks up the terms of a field in a part.
type Dictionary interface {
	Lookup(term []byte) (segment.Entry, bool, error)
	PrefetchTerms(terms [][]byte)
	PrefetchTermLists(terms [][]byte)
	PrefetchTermPositions(terms [][]byte)
}

// Part is a segment of a snapshot.
type Part struct {
	Views   *segment.Segment
	Deletes *reader.Deletes // nil if none
	// Fields are the dictionaries, by field; nil where the segment does not have the field.
	Fields []Dictionary
}

// Lookup returns a term's entry. ok is false if the segment does not have the term or its field.
func (p *Part) Lookup(field int, term []byte) (e segment.Entry, ok bool, err error) {
	if d := p.Fields[field]; d != nil {
		return d.Lookup(term)
	}
	return e, false, nil
}

// Entry is a term's entry in the dictionary of a part. DF is 0 if no document there that is not deleted holds the term.
type Entry struct {
	segment.Entry
	Live  uint32 // documents that are not deleted
	Reach reader.Reach
}

// Term is a distinct term of a query. Its Boost is the sum of those of its words, in the order of the query.
type Term[X any] struct {
	Word
	Times  int     // in the query
	DF     uint64  // over the snapshot, without deleted documents; of a blend, the greatest
	Weight float32 // as in search.Score
	Fresh  bool    // the cache did not have it
	Kept   *X      // as Resolver.Keep made it; of a term in the cache, that of the cache
}

// Cache is what is known of the terms of a snapshot that queries have. X is what is kept of a term beside its document
// frequency and weight. A Cache is safe for concurrent use after Init.
type Cache[X any] struct {
	weigh  Weigher
	fields []termcache.Cache[known[X]]
}

// Weigher returns the weight of a term for its score, as search.Scorer.Boosted does for a field.
type Weigher func(field int, df uint64, boost float64) float32

type known[X any] struct {
	df     uint64
	weight float32 // with boost 1
	kept   X
}

// Init makes an empty Cache of up to 4*sets terms of fields. sets is a power of two.
func (c *Cache[X]) Init(weigh Weigher, fields, sets int) {
	c.weigh, c.fields = weigh, make([]termcache.Cache[known[X]], fields)
	for n := 1; n < fields && sets > leastSets; n *= 2 {
		sets /= 2
	}
	for f := range c.fields {
		c.fields[f].Init(sets)
	}
}

// leastSets is how many sets of four terms a field has at least.
const leastSets = 16

// Get returns what is kept of a term, or nil if the Cache does not have it.
func (c *Cache[X]) Get(field int, term []byte) *X {
	if k := c.fields[field].Get(termcache.Hash(term), term); k != nil {
		return &k.kept
	}
	return nil
}

// DF returns the document frequency of a term, if the Cache has it.
func (c *Cache[X]) DF(field int, term []byte) (df uint64, ok bool) {
	if k := c.fields[field].Get(termcache.Hash(term), term); k != nil {
		return k.df, true
	}
	return 0, false
}

// Drop empties the Cache.
func (c *Cache[X]) Drop() {
	for f := range c.fields {
		c.fields[f].Drop()
	}
}

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
	// DocFreq, unless nil, returns the document frequency of a term, which is then that of other documents than those
	// of Parts.
	DocFreq func(field int, term []byte) (uint64, error)
	// Given, unless nil, returns the document frequency that a term counts with, whatever the cache knows: that of
	// documents that those of Parts, of which live have the term, are a part of.
	Given func(field int, term []byte, live uint64) (uint64, error)
	// Weigh, unless nil, is the Weigher in place of that of the cache.
	Weigh Weigher
	// Miss, unless nil, is called before the first term is looked up that the cache does not have, with the words
	// from there on.
	Miss func(words []Word)
	// Stop, unless nil, is asked now and then for the error with which Resolve is to end, nil for none.
	Stop func() error
	// Reuse lets terms that the cache does not have lie in memory that later calls use again.
	Reuse bool

	terms   []Term[X]
	entries []Entry
	spare   []*X
	used    int // of spare
}

// sortedByInsertion is the number of words up to which insertion is the fastest way.
const sortedByInsertion = 32

// stopEvery is after how many words Stop is asked.
const stopEvery = 256

// Resolve returns the distinct terms of words in canonical order: ascending document frequency over the snapshot,
// then field, bytes and group. They are valid until the next call.
func (r *Resolver[X]) Resolve(c *Cache[X], words []Word) ([]Term[X], error) {
	all := slices.Grow(r.terms[:0], len(words))
	missed, boosted, blends, few := false, false, int32(0), len(words) <= sortedByInsertion
	weigh := c.weigh
	if r.Weigh != nil {
		weigh = r.Weigh
	}
	r.used = 0
	for i := range words {
		if i%stopEvery == stopEvery-1 && r.Stop != nil {
			if err := r.Stop(); err != nil {
				return nil, err
			}
		}
		w := &words[i]
		hash := termcache.Hash(w.Bytes)
		boosted, blends = boosted || w.Boost != 1, max(blends, w.Blend)
		all = all[:len(all)+1]
		t := &all[len(all)-1]
		if k := c.fields[w.Field].Get(hash, w.Bytes); k != nil {
			t.Word, t.Times, t.DF, t.Weight, t.Fresh, t.Kept = *w, 1, k.df, k.weight, false, &k.kept
		} else {
			if !missed && r.Miss != nil {
				r.Miss(words[i:])
			}
			missed = true
			var err error
			if *t, err = r.look(c, w, hash); err != nil {
				return nil, err
			}
		}
		if r.Given != nil {
			df, err := r.Given(t.Field, t.Bytes, t.DF)
			if err != nil {
				return nil, err
			}
			t.DF, t.Weight = df, weigh(t.Field, df, 1)
		} else if r.Weigh != nil {
			t.Weight = weigh(t.Field, t.DF, 1)
		}
		if few {
			all = place(all)
		}
	}
	if !few {
		if boosted { // the sum of several boosts depends on their order
			sort.Stable(byCanonical[X](all))
		} else {
			sort.Sort(byCanonical[X](all))
		}
		all = merge(all)
	}
	if r.terms = all; len(all) < len(words) || boosted {
		for i := range all {
			if t := &all[i]; t.Times > 1 || t.Boost != 1 {
				t.Weight = weigh(t.Field, t.DF, t.Boost)
			}
		}
	}
	if blends > 0 {
		blend(all, int(blends), weigh)
	}
	return all, nil
}

// blend gives all terms of a blend, of which there are n, the greatest document frequency of them, and restores
// the order.
func blend[X any](all []Term[X], n int, weigh Weigher) {
	greatest := make([]uint64, n+1)
	for i := range all {
		t := &all[i]
		greatest[t.Blend] = max(greatest[t.Blend], t.DF)
	}
	for i := range all {
		if t := &all[i]; t.Blend > 0 && t.DF < greatest[t.Blend] {
			t.DF = greatest[t.Blend]
			t.Weight = weigh(t.Field, t.DF, t.Boost)
		}
	}
	sort.Sort(byCanonical[X](all))
}

// byCanonical orders terms canonically: equal ones are one term.
type byCanonical[X any] []Term[X]

func (t byCanonical[X]) Len() int      { return len(t) }
func (t byCanonical[X]) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t byCanonical[X]) Less(i, j int) bool {
	a, b := &t[i], &t[j]
	return a.DF < b.DF || a.DF == b.DF && compare(&a.Word, &b.Word) < 0
}

// compare orders words of the same document frequency.
func compare(a, b *Word) int {
	if a.Field != b.Field {
		return cmp.Compare(a.Field, b.Field)
	}
	if c := bytes.Compare(a.Bytes, b.Bytes); c != 0 {
		return c
	}
	if a.Group != b.Group {
		return cmp.Compare(a.Group, b.Group)
	}
	return cmp.Compare(a.Blend, b.Blend)
}

// DF returns the document frequency of a term.
func (r *Resolver[X]) DF(c *Cache[X], field int, term []byte) (uint64, error) {
	if df, ok := c.DF(field, term); ok {
		return df, nil
	}
	r.used = 0
	t, err := r.look(c, &Word{Bytes: term, Field: field, Boost: 1}, termcache.Hash(term))
	return t.DF, err
}

// Size returns how many elements r has memory for.
func (r *Resolver[X]) Size() int { return max(cap(r.terms), cap(r.spare), cap(r.entries)) }

// look looks a word up that the cache does not have, and puts it there. Its weight is that with boost 1.
func (r *Resolver[X]) look(c *Cache[X], w *Word, hash uint64) (t Term[X], err error) {
	t = Term[X]{Word: *w, Times: 1, Fresh: true, Kept: r.room()}
	if r.Guard != nil {
		err = r.Guard(func() error { return r.read(&t) })
	} else {
		err = r.read(&t)
	}
	if err == nil && r.DocFreq != nil {
		t.DF, err = r.DocFreq(t.Field, t.Bytes)
	}
	if err != nil {
		return t, err
	}
	t.Weight = c.weigh(t.Field, t.DF, 1)
	c.fields[t.Field].Put(hash, t.Bytes, func(k *known[X]) {
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
		e, ok, err := p.Lookup(t.Field, t.Bytes)
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

// place moves the last of terms to its place in the canonical order of the others, or drops it and counts it if it is
// one of them.
func place[X any](terms []Term[X]) []Term[X] {
	last := len(terms) - 1
	at, t := last, &terms[last]
	for ; at > 0; at-- {
		before := &terms[at-1]
		if before.DF > t.DF {
			continue
		}
		if before.DF < t.DF {
			break
		}
		c := compare(&before.Word, &t.Word)
		if c == 0 {
			before.Times++
			before.Boost += t.Boost
			before.Fresh = before.Fresh || t.Fresh
			*t = Term[X]{}
			return terms[:last]
		}
		if c < 0 {
			break
		}
	}
	if at < last {
		own := *t
		copy(terms[at+1:], terms[at:last])
		terms[at] = own
	}
	return terms
}

// merge merges adjacent terms that are the same.
func merge[X any](terms []Term[X]) []Term[X] {
	kept := 0
	for i := range terms {
		if kept > 0 && terms[kept-1].DF == terms[i].DF && compare(&terms[kept-1].Word, &terms[i].Word) == 0 {
			terms[kept-1].Times++
			terms[kept-1].Boost += terms[i].Boost
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
