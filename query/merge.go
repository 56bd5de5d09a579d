package query

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/query/internal/engine/columns"
	"github.com/pinion-index/pinion/schema"
)

// Part returns q as one part of a collection is asked it, of which Merge makes the answer of the whole. The documents of
// the part are those of the whole from base up to base+docs. Frequencies are as q has them. A Bitmap in a Node is taken as
// it is: it must be of documents of the part.
//
// The error matches ErrInvalid for what the parts cannot answer each alone: the mode AndOr, whose hits depend on how many
// match all words (ask for And, and if there are fewer than K hits for Or), and Collapse.
func (q *Query) Part(base, docs uint32) (part Query, err error) {
	if err := q.Check(); err != nil {
		return part, err
	}
	switch {
	case q.Mode == AndOr:
		return part, fmt.Errorf("%w: mode %v of a part of a collection: its hits depend on the other parts", ErrInvalid, q.Mode)
	case q.Collapse != "":
		return part, fmt.Errorf("%w: Collapse of a part of a collection: which hit is the best depends on the other parts", ErrInvalid)
	}
	part = *q
	if q.Filter != nil {
		own := roaring.New()
		own.AddRange(uint64(base), uint64(base)+uint64(docs))
		own.And(q.Filter)
		part.Filter = roaring.AddOffset64(own, -int64(base))
	}
	if a := q.After; a != nil {
		own := Position{a.Score, math.MaxUint32}
		switch {
		case a.Doc < base: // all hits with the score count
			own.Score = math.Nextafter32(a.Score, float32(math.Inf(1)))
		case a.Doc-base < docs:
			own.Doc = a.Doc - base
		}
		part.After = &own
	}
	if a := q.SortAfter; a != nil {
		own := SortPosition{Values: a.Values, Doc: math.MaxUint32, Before: a.Before || a.Doc < base}
		if a.Doc >= base && a.Doc-base < docs {
			own.Doc = a.Doc - base
		}
		part.SortAfter = &own
	}
	part.Facets = slices.Clone(q.Facets)
	for i := range part.Facets {
		if f := &part.Facets[i]; f.Every == 0 && len(f.Ranges) == 0 {
			f.K = math.MaxInt32 // one that is rare here may be frequent in all
		}
	}
	return part, nil
}

// Place says where Merge has a hit from.
type Place struct{ Part, Hit int }

// Merge returns the answer of a collection to q from those of its parts to Query.Part, whose documents begin at bases, and
// for each hit which one it is there. Traces are left out. The error matches ErrInvalid if these are no such answers, or a
// facet has too many buckets.
func (q *Query) Merge(bases []uint32, parts []Result) (r Result, from []Place, err error) {
	if len(bases) != len(parts) {
		return r, nil, fmt.Errorf("%w: %d answers of %d parts", ErrInvalid, len(parts), len(bases))
	}
	for i := range parts {
		p := &parts[i]
		if len(p.Facets) != len(q.Facets) || len(q.Sort) > 0 && len(p.Sort) != len(p.Hits) {
			return r, nil, fmt.Errorf("%w: the answer of part %d is not to this query", ErrInvalid, i)
		}
		r.Total += p.Total
		for h := range p.Hits {
			from = append(from, Place{i, h})
		}
	}
	doc := func(p Place) uint32 { return bases[p.Part] + parts[p.Part].Hits[p.Hit].Doc }
	slices.SortFunc(from, func(a, b Place) int {
		var c int
		if len(q.Sort) > 0 {
			c = q.compareSorted(parts[a.Part].Sort[a.Hit], parts[b.Part].Sort[b.Hit])
		} else {
			c = cmp.Compare(parts[b.Part].Hits[b.Hit].Score, parts[a.Part].Hits[a.Hit].Score)
		}
		return cmp.Or(c, cmp.Compare(doc(a), doc(b)))
	})
	from = from[:min(len(from), cmp.Or(q.K, DefaultK))]
	for _, p := range from {
		r.Hits = append(r.Hits, Hit{doc(p), parts[p.Part].Hits[p.Hit].Score})
		if len(q.Sort) > 0 {
			r.Sort = append(r.Sort, parts[p.Part].Sort[p.Hit])
		}
	}
	for i := range q.Facets {
		c, err := q.Facets[i].merge(i, parts)
		if err != nil {
			return Result{}, nil, err
		}
		r.Facets = append(r.Facets, c)
	}
	return r, from, nil
}

// compareSorted compares the values by which hits are sorted.
func (q *Query) compareSorted(a, b []schema.Value) int {
	for i := range min(len(q.Sort), len(a), len(b)) {
		if missing := cmp.Compare(absent(a[i]), absent(b[i])); missing != 0 {
			return missing
		}
		c := compareValues(a[i], b[i])
		if q.Sort[i].Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
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

// merge adds up the counts of facet i.
func (f *Facet) merge(i int, parts []Result) (all FacetCounts, err error) {
	if len(f.Ranges) > 0 {
		all.Counts = make([]FacetCount, len(f.Ranges))
	}
	at := map[string]int{}
	for p := range parts {
		own := &parts[p].Facets[i]
		all.Missing += own.Missing
		for j, c := range own.Counts {
			if len(f.Ranges) > 0 {
				if len(own.Counts) != len(f.Ranges) {
					return all, f.invalid("%d counts of %d ranges", len(own.Counts), len(f.Ranges))
				}
				all.Counts[j].Count += c.Count
				continue
			}
			key := fmt.Sprint(c.Value.Key(schema.UnitNanosecond), string(c.Value.Bytes()))
			n, ok := at[key]
			if !ok {
				n = len(all.Counts)
				at[key], all.Counts = n, append(all.Counts, FacetCount{Value: c.Value})
			}
			all.Counts[n].Count += c.Count
		}
	}
	switch {
	case len(f.Ranges) > 0:
	case f.Every > 0 && len(all.Counts) > MaxBuckets:
		return all, f.invalid("more than %d buckets have documents", columns.MaxBuckets)
	case f.Every > 0:
		slices.SortFunc(all.Counts, func(a, b FacetCount) int { return compareValues(a.Value, b.Value) })
	default:
		slices.SortFunc(all.Counts, func(a, b FacetCount) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), compareValues(a.Value, b.Value))
		})
		all.Counts = all.Counts[:min(len(all.Counts), cmp.Or(f.K, DefaultK))]
	}
	return all, nil
}
