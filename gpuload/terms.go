package gpuload

import (
	"bytes"
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/termcache"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// known is what the dictionaries say of a term, and where its lists were last on the
// device.
type known struct {
	df     uint64  // without deleted documents
	weight float32 // of a term that occurs once in a query
	lists  []place // by view
	one    [1]place
}

// place is a list of a known term.
type place struct {
	posting
	list atomic.Pointer[residency.List] // may be evicted by now
}

// queryTerm is a distinct term of a query.
type queryTerm struct {
	*known
	bytes []byte
	qtf   int // occurrences in the query
}

const maxKnown = 1 << 18 // terms times views in an Executor's cache, 200 to 300 bytes each

// knownSets returns the number of sets of the cache, for an index of that many terms and
// views.
func knownSets(terms uint64, views int) int {
	n := 1 << 16
	for n > 16 && (4*n*views > maxKnown || uint64(2*n) > terms) {
		n /= 2
	}
	return n
}

// term looks a term up.
func (r *resolver) term(b []byte) (*known, error) {
	hash := termcache.Hash(b)
	if k := r.x.terms.Get(hash, b); k != nil {
		return k, nil
	}
	k := new(known)
	if err := r.lookup(k, b); err != nil {
		return nil, err
	}
	r.x.terms.Put(hash, b, func(v *known) {
		v.df, v.weight = k.df, k.weight
		v.lists = v.one[:]
		if len(k.lists) > 1 {
			v.lists = make([]place, len(k.lists))
		}
		for i := range k.lists {
			v.lists[i].posting = k.lists[i].posting
		}
	})
	if e := r.x.expected.Load(); e != nil {
		e.add(r, k)
	}
	return k, nil
}

// lookup looks a term up in the dictionaries, and decodes its lists that have no extent.
func (r *resolver) lookup(k *known, b []byte) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	views := r.x.views
	if k.lists = k.one[:]; len(views) > 1 {
		k.lists = make([]place, len(views))
	}
	for s := range views {
		parts, n, deleted := r.parts[:0], uint32(0), uint64(0)
		var reach reader.Reach
		for i := range views[s].Parts {
			p := &views[s].Parts[i]
			e, ok, err := p.Seg.Lookup(b)
			if err != nil {
				return err
			}
			live, some, err := p.Deletes.Of(p.Seg, e)
			if err != nil {
				return format.Locate(err, format.Place{List: string(b), Block: format.NoBlock})
			}
			if !ok || live == 0 {
				continue
			}
			k.df += uint64(live)
			n += e.DF
			deleted += uint64(e.DF - live)
			reach = some
			parts = append(parts, residency.ListPart{Seg: views[s].First + i, Entry: e})
		}
		if r.parts = parts; n == 0 {
			continue
		}
		if err := r.open(&k.lists[s].posting, &views[s], parts, n); err != nil {
			return err
		}
		if k.lists[s].reach = reach; len(views[s].Parts) > 1 {
			k.lists[s].reach = reachOf(deleted)
		}
	}
	k.weight = r.x.scorer.Weight(k.df, 1)
	return nil
}

// reachOf is the reach of a joined list with postings of so many deleted documents, any of
// which may be among those that reach its k-th impacts.
func reachOf(deleted uint64) (r reader.Reach) {
	for i, k := range format.KthValues() {
		r[i] = uint16(uint64(k) - min(uint64(k), deleted))
	}
	return r
}

// open sets o to a term's n postings in parts of v.
func (r *resolver) open(o *posting, v *residency.View, parts []residency.ListPart, n uint32) error {
	o.n = n
	w, ok := v.WantOf(parts, n)
	if ok {
		o.want = w
		return nil
	}
	o.small = new(format.Postings)
	for _, p := range parts {
		s := &v.Parts[p.Seg-v.First]
		if err := s.Seg.InitList(&r.list, p.Entry); err != nil {
			return err
		}
		at := o.small.Len()
		*o.small = o.small.Append(r.list.Small())
		for i := range o.small.Docs[at:] {
			o.small.Docs[at+i] += s.Base - v.Base
		}
	}
	return nil
}

// distinct looks the terms of a query up and puts them into package query's canonical
// order: ascending df in the snapshot, then bytes.
func (r *resolver) distinct(terms [][]byte) ([]queryTerm, error) {
	r.terms = r.terms[:0]
	for _, b := range terms {
		k, err := r.term(b)
		if err != nil {
			return nil, err
		}
		if len(terms) <= sortedByInsertion {
			r.insert(k, b)
		} else {
			r.terms = append(r.terms, queryTerm{known: k, bytes: b, qtf: 1})
		}
	}
	if len(terms) > sortedByInsertion {
		slices.SortFunc(r.terms, compareTerms)
		kept := r.terms[:0]
		for _, t := range r.terms {
			if n := len(kept); n > 0 && compareTerms(kept[n-1], t) == 0 {
				kept[n-1].qtf++
				continue
			}
			kept = append(kept, t)
		}
		r.terms = kept
	}
	return r.terms, nil
}

// sortedByInsertion is the number of terms up to which insertion is the fastest way.
const sortedByInsertion = 32

func compareTerms(a, b queryTerm) int {
	if a.df != b.df {
		return cmp.Compare(a.df, b.df)
	}
	return bytes.Compare(a.bytes, b.bytes)
}

// insert adds a term to the sorted terms, or counts it if it is one of them.
func (r *resolver) insert(k *known, b []byte) {
	at := len(r.terms)
	for ; at > 0; at-- {
		before := &r.terms[at-1]
		if before.df > k.df {
			continue
		}
		if before.df < k.df {
			break
		}
		c := bytes.Compare(before.bytes, b)
		if c == 0 {
			before.qtf++
			return
		}
		if c < 0 {
			break
		}
	}
	r.terms = append(r.terms, queryTerm{})
	copy(r.terms[at+1:], r.terms[at:])
	r.terms[at] = queryTerm{known: k, bytes: b, qtf: 1}
}

// countTerms returns the number of terms of the dictionaries.
func (x *Executor) countTerms() (n uint64) {
	for _, s := range x.segments {
		n += s.Seg.Meta().Terms
	}
	return n
}
