package gpu

import (
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// resolver is the state of one goroutine in resolve. It allocates for many queries at
// once; otherwise ten thousand queries would need fifty thousand allocations.
type resolver struct {
	x        *Executor
	list     segment.List
	parts    []residency.ListPart
	lookup   terms.Resolver[known]
	given    func(field int, term []byte, live uint64) (uint64, error) // givenDF, if x is of a part
	brought  *query.Frequencies                                        // by the query; or nil
	parsed   terms.Query
	weights  []float32
	fields   []uint16
	postings []posting
	dots     terms.Dot
	tree     *algorithm.Expr // of the query whose terms distinct has looked up, if no mode says how they are combined
	taken    []dot
	weighted []kernels.ImpactTerm
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
	views := r.x.docs.Views
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
		if err := s.Seg.Lists().Init(&r.list, p.Entry); err != nil {
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

// distinct looks the terms of a query up, in canonical order. It returns the mode that combines them, or sets r.tree. ok is false if the
// executor knows the terms: the device does not answer such a query.
func (r *resolver) distinct(q *search.Query) (found []terms.Term[known], m query.Mode, ok bool, err error) {
	own := &r.parsed
	m, own.Words, r.tree = q.Mode, own.Words[:0], nil
	if !r.x.docs.Fielded() && q.Node == nil && q.Text == "" {
		for _, b := range q.RawTerms {
			own.Words = append(own.Words, terms.Word{Bytes: b, Boost: 1})
		}
	} else if m, r.tree, ok, err = r.x.parser.AppendTree(own, q); !ok || err != nil {
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
		l.Parts, l.Keep, l.Copy, l.Guard = r.x.dictionaries, r.keep, copyKnown, indexdir.Guard
		if r.x.part {
			r.given = r.givenDF
		}
	}
	if r.lookup.Given = nil; r.brought != nil && r.x.part {
		r.lookup.Given = r.given
	}
	return r.lookup.Resolve(r.x.terms, words)
}

// givenDF is terms.Resolver.Given.
func (r *resolver) givenDF(field int, term []byte, live uint64) (uint64, error) {
	f := &r.x.docs.Fields[field]
	return search.DF(r.brought, f.Name, term, live, f.Scorer.Docs())
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
