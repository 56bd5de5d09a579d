package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Part returns q as one part of a collection is asked it, of which Merge makes the answer of the whole. The documents of
// the part are those of the whole from base up to base+docs. Frequencies are as q has them. Docs in a Node is taken as
// it is: it must be of documents of the part.
//
// The error matches ErrInvalid for what the parts cannot answer each alone. The hits of ModeAndOr depend on how many match
// all words: ask for And, and if there are fewer than K hits for Or. Behind a position, Collapse depends on the values before it:
// the best hit of one may be behind it in one part and before it in another.
func (q *Query) Part(base, docs uint32) (part Query, err error) {
	if err := q.Check(); err != nil {
		return part, err
	}
	switch {
	case q.Mode == query.ModeAndOr || HasAndOr(q.Node):
		return part, fmt.Errorf("%w: mode %v of a part of a collection: its hits depend on the other parts", query.ErrInvalid, query.ModeAndOr)
	case q.Collapse != "" && (q.After != nil || q.SortAfter != nil):
		return part, fmt.Errorf("%w: Collapse of a part of a collection behind a hit: which values were there before depends on the other parts", query.ErrInvalid)
	}
	part = *q
	if q.Filter != nil {
		part.Filter = docset.NewGlobal(q.Filter.In(base, docs))
	}
	if a := q.After; a != nil {
		own := Position{Score: a.Score, Order: a.Order}
		own.Doc, own.Before = inPart(a.Doc, a.Before, base, docs)
		part.After = &own
	}
	if a := q.SortAfter; a != nil {
		own := SortPosition{Values: a.Values, Order: a.Order}
		own.Doc, own.Before = inPart(a.Doc, a.Before, base, docs)
		part.SortAfter = &own
	}
	part.Facets = partial(q.Facets)
	return part, nil
}

// partial returns facets as parts count them.
func partial(all []Facet) []Facet {
	all = slices.Clone(all)
	for i := range all {
		f := &all[i]
		if f.Keep = true; f.keywords() {
			f.Limit = math.MaxInt32 // one that is rare here may be frequent in all
		}
		f.Facets = partial(f.Facets)
	}
	return all
}

// HasAndOr reports whether n has a Match of ModeAndOr where there may be one.
func HasAndOr(n query.Node) bool {
	switch n := n.(type) {
	case query.Match:
		return n.Mode == query.ModeAndOr
	case query.Bool:
		return slices.ContainsFunc(n.Must, HasAndOr) || slices.ContainsFunc(n.Should, HasAndOr)
	case query.And:
		return slices.ContainsFunc(n, HasAndOr)
	case query.Or:
		return slices.ContainsFunc(n, HasAndOr)
	}
	return false
}

// inPart returns where in a part a document is: at one of its own, before all, or behind all.
func inPart(doc uint32, before bool, base, docs uint32) (own uint32, first bool) {
	switch {
	case before || doc < base:
		return 0, true
	case doc-base < docs:
		return doc - base, false
	}
	return math.MaxUint32, false
}

// SetOrder sets r.Order, for Merge, by what the snapshot that r is from keeps.
func (r *Result) SetOrder(s *reader.Snapshot) error {
	_, desc, ok := s.Order()
	if r.Order = nil; !ok {
		return s.Err()
	}
	r.Order = &ResultOrder{Desc: desc}
	for _, h := range r.Hits {
		v, err := s.OrderValue(h.Doc)
		if err != nil {
			return err
		}
		r.Order.Values = append(r.Order.Values, v)
	}
	return nil
}

// SetGroups sets r.Groups, for Merge, to the values by which a query with Collapse collapses r.Hits in the snapshot that they are from.
func (r *Result) SetGroups(s *reader.Snapshot, collapse string) error {
	f, ok := s.Field(collapse)
	r.Groups = make([]schema.Value, len(r.Hits))
	var values []schema.Value
	for i := range r.Hits {
		if !ok { // no segment has it
			break
		}
		var err error
		if values, err = f.AppendValues(values[:0], r.Hits[i].Doc); err != nil {
			return err
		}
		if len(values) > 0 {
			r.Groups[i] = values[0]
		}
	}
	return nil
}

// Collapsing tells the first of hits with the same value from those behind it. The zero value has seen none.
type Collapsing struct {
	seen map[string]bool
	key  []byte
}

// First reports whether no hit before had the value v, or v is the zero Value of a hit without one.
func (c *Collapsing) First(v schema.Value) bool {
	if v.Kind == 0 {
		return true
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.key = append(binary.LittleEndian.AppendUint64(c.key[:0], uint64(v.Key(schema.UnitNanosecond))), v.Bytes()...)
	again := c.seen[string(c.key)]
	c.seen[string(c.key)] = true
	return !again
}

// orderOf returns what hits with equal scores of parts are in the order of, or nil if docIDs have it.
func orderOf(parts []Result) (*SortBy, error) {
	var by *SortBy
	for i := range parts {
		p := &parts[i]
		switch {
		case len(p.Hits) == 0:
			continue
		case p.Order == nil:
			return nil, nil
		case len(p.Order.Values) != len(p.Hits) || by != nil && by.Desc != p.Order.Desc:
			return nil, fmt.Errorf("%w: the answer of part %d is in another order", query.ErrInvalid, i)
		}
		by = &SortBy{Desc: p.Order.Desc}
	}
	return by, nil
}

// Place says where Merge has a hit from.
type Place struct{ Part, Hit int }

// Merge returns the answer of a collection to q from those of its parts to Query.Part, whose documents begin at bases, and
// for each hit which one it is there. If the parts keep an order, Result.SetOrder must have been called for each, with Collapse
// Result.SetGroups, and a Position needs its Order. Traces are left out. The error matches ErrInvalid if these are no such answers, or a
// facet has too many buckets.
func (q *Query) Merge(bases []uint32, parts []Result) (r Result, from []Place, err error) {
	if len(bases) != len(parts) {
		return r, nil, fmt.Errorf("%w: %d answers of %d parts", query.ErrInvalid, len(parts), len(bases))
	}
	for i := range parts {
		p := &parts[i]
		if len(p.Facets) != len(q.Facets) || len(q.Sort) > 0 && len(p.Sort) != len(p.Hits) {
			return r, nil, fmt.Errorf("%w: the answer of part %d is not to this query", query.ErrInvalid, i)
		}
		if q.Collapse != "" && len(p.Groups) != len(p.Hits) {
			return r, nil, fmt.Errorf("%w: part %d: %d values to collapse %d hits by", query.ErrInvalid, i, len(p.Groups), len(p.Hits))
		}
		r.Total += p.Total
		for h := range p.Hits {
			from = append(from, Place{i, h})
		}
	}
	tie, err := orderOf(parts)
	if err != nil {
		return r, nil, err
	}
	doc := func(p Place) uint32 { return bases[p.Part] + parts[p.Part].Hits[p.Hit].Doc }
	slices.SortFunc(from, func(a, b Place) int {
		var c int
		if len(q.Sort) > 0 {
			c = compareSorted(q.Sort, parts[a.Part].Sort[a.Hit], parts[b.Part].Sort[b.Hit])
		} else {
			c = cmp.Compare(parts[b.Part].Hits[b.Hit].Score, parts[a.Part].Hits[a.Hit].Score)
		}
		if c == 0 && tie != nil {
			c = tie.compare(parts[a.Part].Order.Values[a.Hit], parts[b.Part].Order.Values[b.Hit])
		}
		return cmp.Or(c, cmp.Compare(doc(a), doc(b)))
	})
	if q.Collapse != "" {
		var c Collapsing
		from = slices.DeleteFunc(from, func(p Place) bool { return !c.First(parts[p.Part].Groups[p.Hit]) })
	}
	from = from[:min(len(from), cmp.Or(q.K, query.DefaultK))]
	for _, p := range from {
		r.Hits = append(r.Hits, Hit{doc(p), parts[p.Part].Hits[p.Hit].Score})
		if len(q.Sort) > 0 {
			r.Sort = append(r.Sort, parts[p.Part].Sort[p.Hit])
		}
		if tie != nil {
			if r.Order == nil {
				r.Order = &ResultOrder{Desc: tie.Desc}
			}
			r.Order.Values = append(r.Order.Values, parts[p.Part].Order.Values[p.Hit])
		}
	}
	for i := range q.Facets {
		of := make([]*FacetCounts, len(parts))
		for p := range parts {
			of[p] = &parts[p].Facets[i]
		}
		c, err := q.Facets[i].merge(of, true)
		if err != nil {
			return Result{}, nil, err
		}
		r.Facets = append(r.Facets, c)
	}
	return r, from, nil
}

// compareSorted compares the values by which hits are sorted.
func compareSorted(by []SortBy, a, b []schema.Value) int {
	for i := range min(len(by), len(a), len(b)) {
		if c := by[i].compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

func (s *SortBy) compare(a, b schema.Value) int {
	if missing := cmp.Compare(absent(a), absent(b)); missing != 0 {
		return missing
	}
	if s.Desc || s.Score {
		return compareValues(b, a)
	}
	return compareValues(a, b)
}

func absent(v schema.Value) int {
	if v.Kind == 0 {
		return 1
	}
	return 0
}

// compareValues compares two values of a column.
func compareValues(a, b schema.Value) int {
	return cmp.Or(cmp.Compare(a.Key(schema.UnitNanosecond), b.Key(schema.UnitNanosecond)), bytes.Compare(a.Bytes(), b.Bytes()))
}
