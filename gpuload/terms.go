package gpuload

import (
	"slices"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// known is where a term's lists are, and where they were last on the device.
type known struct {
	lists []place // by view
	one   [1]place
}

// occurs reports whether a document that is not deleted has the term.
func (k *known) occurs() bool {
	for i := range k.lists {
		if k.lists[i].n > 0 {
			return true
		}
	}
	return false
}

// place is a list of a known term.
type place struct {
	posting
	list atomic.Pointer[residency.List] // may be evicted by now
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

// copyKnown is terms.Resolver.Copy.
func copyKnown(to, from *known) {
	to.lists = to.one[:]
	if len(from.lists) > 1 {
		to.lists = make([]place, len(from.lists))
	}
	for i := range from.lists {
		to.lists[i].posting = from.lists[i].posting
	}
}

// keep is terms.Resolver.Keep. It decodes the lists of a term that have no extent.
func (r *resolver) keep(k *known, _ []byte, entries []terms.Entry) error {
	views := r.x.views
	if k.lists = k.one[:]; len(views) > 1 {
		k.lists = make([]place, len(views))
	}
	for s := range views {
		parts, n, deleted := r.parts[:0], uint32(0), uint64(0)
		var reach reader.Reach
		for i := range views[s].Parts {
			e := &entries[views[s].First+i]
			if e.DF == 0 {
				continue
			}
			n += e.DF
			deleted += uint64(e.DF - e.Live)
			reach = e.Reach
			parts = append(parts, residency.ListPart{Seg: views[s].First + i, Entry: e.Entry})
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

// distinct looks the terms of a query up, in canonical order. It returns how they are combined. ok is false if no mode
// says that: the device does not answer such a query.
func (r *resolver) distinct(q *query.Query) (found []terms.Term[known], m query.Mode, ok bool, err error) {
	own := &r.parsed
	m, own.Words = q.Mode, own.Words[:0]
	if !r.x.fielded() && q.Node == nil && q.Text == "" {
		for _, b := range q.RawTerms {
			own.Words = append(own.Words, terms.Word{Bytes: b, Boost: 1})
		}
	} else if m, ok, err = r.x.parser.AppendWords(trusted.Caller{}, own, q); !ok || err != nil {
		return nil, m, false, err
	}
	r.brought = q.Frequencies
	found, err = r.find(own.Words)
	r.brought = nil
	if e := r.x.expected.Load(); e != nil {
		for i := range found {
			if found[i].Fresh {
				e.add(r, found[i].Kept)
			}
		}
	}
	return found, m, true, err
}

// find looks words up, in canonical order.
func (r *resolver) find(words []terms.Word) ([]terms.Term[known], error) {
	if l := &r.lookup; l.Keep == nil {
		l.Parts, l.Keep, l.Copy, l.Guard = r.x.dictionaries, r.keep, copyKnown, store.Guard
		if r.x.part {
			r.given = r.givenDF
		}
	}
	if r.lookup.Given = nil; r.brought != nil && r.x.part {
		r.lookup.Given = r.given
	}
	return r.lookup.Resolve(&r.x.terms, words)
}

// givenDF is terms.Resolver.Given.
func (r *resolver) givenDF(field int, term []byte, live uint64) (uint64, error) {
	f := &r.x.fields[field]
	return r.brought.DF(trusted.Caller{}, f.name, term, live, f.scorer.Docs(trusted.Caller{}))
}

// occurring drops terms that no document has. In a collection they may be anywhere among the others: other parts have them.
func (r *resolver) occurring(found []terms.Term[known]) []terms.Term[known] {
	if r.x.part {
		return slices.DeleteFunc(found, func(t terms.Term[known]) bool { return !t.Kept.occurs() })
	}
	for len(found) > 0 && found[0].DF == 0 {
		found = found[1:]
	}
	return found
}

// countTerms returns the number of terms of the dictionaries.
func (x *Executor) countTerms() (n uint64) {
	for _, s := range x.segments {
		n += s.Seg.Meta().Terms
	}
	return n
}
