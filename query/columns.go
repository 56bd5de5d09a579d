package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/query/internal/engine/columns"
	"github.com/pinion-index/pinion/schema"
)

// The limits of what a query may ask of columns.
const (
	MaxSort    = columns.MaxSort    // fields that hits are sorted by
	MaxFacets  = 64                 // facets
	MaxRanges  = 1024               // ranges of a facet
	MaxBuckets = columns.MaxBuckets // buckets of a facet that have documents
)

// Range is values from one to another; package filter says more.
type Range = filter.Range

// SortBy is a field whose values hits are sorted by: numbers and times by value, keywords by their bytes. The field must
// have a column. Hits without a value come last, whatever the order. Of several values the least counts, or with Desc
// the greatest.
type SortBy struct {
	Field string
	Desc  bool // the greatest value first
}

// SortPosition is a place in the order of hits that are sorted: that of a hit with these values.
type SortPosition struct {
	// Values has one for each element of Query.Sort, as Result.Sort does; the zero Value is that of a hit without one.
	Values []schema.Value
	Doc    uint32
	// Before says that the place is before all hits with these values, whatever Doc is.
	Before bool
}

// Static adds f32(Weight x value) to the score of each match, by its value in a field of floats that has a column: what is
// known of a document whatever is searched for, such as a PageRank, transformed as it is to be added. Of several values the
// greatest counts; a document without one gets nothing. From the second query on, 2 bytes a document are kept in memory with
// an open index that is not read on demand. No document of the index may have a value below 0, or one whose
// addend is above half the greatest float32.
type Static struct {
	Field  string
	Weight float64 // above 0, up to MaxBoost; 0 means 1
}

func (s *Static) check(sort []SortBy) error {
	switch {
	case !(s.Weight >= 0 && s.Weight <= MaxBoost):
		return fmt.Errorf("%w: static scores by the field %q with the weight %v, not above 0 and up to %v", ErrInvalid, s.Field, s.Weight, float64(MaxBoost))
	case len(sort) > 0:
		return fmt.Errorf("%w: static scores by the field %q with Sort: hits have no scores", ErrInvalid, s.Field)
	}
	return nil
}

// Facet asks how many of the documents that match have which values in a field, which must have a column: keywords,
// or numbers or times in Ranges or in buckets Every so much. A document counts once in each that it has a value of.
type Facet struct {
	Field string
	// K is how many keywords are wanted, the most frequent; 0 means DefaultK.
	K int
	// Ranges are ranges of values to count. Their Field is Facet.Field, or "".
	Ranges []Range
	// Every is the width of buckets: in whole numbers, or for times a time.Duration, which must be a multiple of the
	// field's unit. Buckets begin at its multiples, counted from 0 or from 1970 in UTC. Floats have none.
	Every int64
}

// FacetCounts are the counts of a Facet.
type FacetCounts struct {
	// Counts are the K most frequent keywords that matches have, equally frequent ones in the order of their bytes; or
	// those of the ranges, in the order of Facet.Ranges; or those of the buckets that have matches, in ascending order.
	Counts []FacetCount
	// Missing is how many matches have no value in the field.
	Missing uint64
}

// FacetCount is how many matches have one of some values.
type FacetCount struct {
	Value schema.Value // the keyword, or the least value of the bucket; the zero Value of a range
	Count uint64
}

// wants are the parts of a query that need columns.
type wants struct {
	sort     []SortBy
	after    *SortPosition
	facets   []Facet
	collapse string
	static   *Static
}

// WantsColumns reports whether q asks for something that columns say.
func (q *Query) WantsColumns(trusted.Caller) bool { return q.wantsColumns() }

func (q *Query) wantsColumns() bool { return q.reorders() || q.Static != nil }

// Reorders reports whether q asks more of columns than static scores.
func (q *Query) Reorders(trusted.Caller) bool { return q.reorders() }

// reorders reports whether q wants more of columns than static scores.
func (q *Query) reorders() bool { return len(q.Sort)+len(q.Facets) > 0 || q.Collapse != "" }

// checkColumns returns what is wrong with what q asks of columns, whatever the schema.
func (q *Query) checkColumns() error {
	switch {
	case !q.wantsColumns() && q.SortAfter == nil:
		return nil
	case q.Mode == AndOr && q.reorders():
		return fmt.Errorf("%w: mode %v with Sort, Facets or Collapse: it has no set of matches that does not depend on K", ErrInvalid, q.Mode)
	case len(q.Sort) > MaxSort:
		return fmt.Errorf("%w: %d fields to sort by, at most %d", ErrInvalid, len(q.Sort), MaxSort)
	case len(q.Facets) > MaxFacets:
		return fmt.Errorf("%w: %d facets, at most %d", ErrInvalid, len(q.Facets), MaxFacets)
	case len(q.Sort) > 0 && q.After != nil:
		return fmt.Errorf("%w: After is a place among scores, but hits are sorted: SortAfter is one there", ErrInvalid)
	case len(q.Sort) == 0 && q.SortAfter != nil:
		return fmt.Errorf("%w: SortAfter without Sort", ErrInvalid)
	case q.SortAfter != nil && len(q.SortAfter.Values) != len(q.Sort):
		return fmt.Errorf("%w: SortAfter has %d values, Sort has %d fields", ErrInvalid, len(q.SortAfter.Values), len(q.Sort))
	}
	for i, s := range q.Sort {
		if slices.ContainsFunc(q.Sort[:i], func(o SortBy) bool { return o.Field == s.Field }) {
			return fmt.Errorf("%w: the field %q to sort by twice", ErrInvalid, s.Field)
		}
	}
	for i := range q.Facets {
		if err := q.Facets[i].check(); err != nil {
			return err
		}
	}
	if q.Static != nil {
		return q.Static.check(q.Sort)
	}
	return nil
}

func (f *Facet) check() error {
	switch {
	case f.K < 0:
		return f.invalid("K is %d, less than 0", f.K)
	case f.Every < 0:
		return f.invalid("buckets of width %d", f.Every)
	case f.Every > 0 && len(f.Ranges) > 0:
		return f.invalid("both Ranges and Every")
	case f.K > 0 && (f.Every > 0 || len(f.Ranges) > 0):
		return f.invalid("K is for keywords, not for Ranges or Every")
	case len(f.Ranges) > MaxRanges:
		return f.invalid("%d ranges, at most %d", len(f.Ranges), MaxRanges)
	}
	for _, r := range f.Ranges {
		if r.Field != "" && r.Field != f.Field {
			return f.invalid("a range of the field %q", r.Field)
		}
	}
	return nil
}

func (f *Facet) invalid(format string, args ...any) error {
	return fmt.Errorf("%w: facet of the field %q: %s", ErrInvalid, f.Field, fmt.Sprintf(format, args...))
}

// columnar knows which columns an index has.
type columnar struct{ schema *schema.Schema }

// planColumns is engine.Options.PlanColumns.
func (p *Parser) planColumns(q *engine.Query) (engine.ColumnPlan, error) {
	return columnar{p.schema}.plan(q.Columns.(*wants))
}

// plan returns what w asks of columns.
func (c columnar) plan(w *wants) (p engine.ColumnPlan, err error) {
	for _, s := range w.sort {
		_, f, err := c.field("sort by", s.Field)
		if err != nil {
			return p, err
		}
		p.Sort = append(p.Sort, engine.SortKey{ColumnField: f, Desc: s.Desc})
	}
	if w.after != nil {
		if p.After, err = c.position(w); err != nil {
			return p, err
		}
	}
	for i := range w.facets {
		f, err := c.facet(&w.facets[i])
		if err != nil {
			return p, err
		}
		p.Facets = append(p.Facets, f)
	}
	if w.collapse != "" {
		_, f, err := c.field("collapse by", w.collapse)
		if err != nil {
			return p, err
		}
		p.Collapse = &f
	}
	if w.static != nil {
		f, err := c.static(w.static)
		if err != nil {
			return p, err
		}
		p.Static, p.StaticWeight = &f, cmp.Or(w.static.Weight, 1)
	}
	return p, nil
}

// static returns the field of static scores.
func (c columnar) static(s *Static) (engine.ColumnField, error) {
	field, f, err := c.field("static scores by the", s.Field)
	if err == nil && field.Kind != schema.KindFloat {
		err = fmt.Errorf("%w: static scores by the field %q, which is of kind %v, not a float", ErrInvalid, f.Name, field.Kind)
	}
	return f, err
}

// StaticField returns the id of the field of static scores, and their weight. The error is one of Searcher.AppendHits.
func (p *Parser) StaticField(_ trusted.Caller, s *Static) (id uint32, weight float64, err error) {
	if err := p.check(); err != nil {
		return 0, 0, err
	}
	f, err := columnar{p.schema}.static(s)
	return f.ID, cmp.Or(s.Weight, 1), err
}

// field returns a field that has a column.
func (c columnar) field(what, name string) (*schema.Field, engine.ColumnField, error) {
	f, ok := c.schema.Field(name)
	switch {
	case c.schema == nil:
		return nil, engine.ColumnField{}, fmt.Errorf("%w: %s field %q: the index has no schema, so no columns", ErrInvalid, what, name)
	case !ok:
		return nil, engine.ColumnField{}, fmt.Errorf("%w: %s field %q: there is no such field", ErrInvalid, what, name)
	case !f.Column:
		return nil, engine.ColumnField{}, fmt.Errorf("%w: %s field %q, which is of kind %v and has no column", ErrInvalid, what, name, f.Kind)
	}
	return f, engine.ColumnField{Name: name, ID: f.ID, Keyword: f.Kind == schema.KindKeyword}, nil
}

// position returns the hit that hits come after.
func (c columnar) position(w *wants) (*columns.Hit, error) {
	h := &columns.Hit{Doc: int64(w.after.Doc)}
	if w.after.Before {
		h.Doc = -1
	}
	for i, v := range w.after.Values {
		f, _ := c.schema.Field(w.sort[i].Field)
		k, err := keyIn(f, v)
		if err != nil {
			return nil, fmt.Errorf("%w: SortAfter: %v", ErrInvalid, err)
		}
		h.Keys = append(h.Keys, k)
	}
	return h, nil
}

// keyIn returns a value of a field as a key, the zero Value as a missing one.
func keyIn(f *schema.Field, v schema.Value) (k columns.Key, err error) {
	if v.Kind == 0 {
		return columns.Key{Missing: true}, nil
	}
	v.Field = 0
	if err := (&schema.Schema{Fields: []schema.Field{*f}}).CheckValue(v); err != nil {
		return k, err
	}
	if f.Kind == schema.KindKeyword {
		return columns.Key{Bytes: v.Bytes()}, nil
	}
	return columns.Key{Number: v.Key(f.Unit)}, nil
}

// facet returns how the engine counts by f.
func (c columnar) facet(f *Facet) (x engine.Facet, err error) {
	field, column, err := c.field("facet of the", f.Field)
	if err != nil {
		return x, err
	}
	x.ColumnField = column
	switch keyword := field.Kind == schema.KindKeyword; {
	case keyword && (f.Every > 0 || len(f.Ranges) > 0):
		return x, f.invalid("Ranges and Every are for numbers and times, not for keywords")
	case keyword:
		x.K = cmp.Or(f.K, DefaultK)
		return x, nil
	case f.Every == 0 && len(f.Ranges) == 0:
		return x, f.invalid("a field of kind %v is counted by Ranges or Every", field.Kind)
	case f.Every > 0 && field.Kind == schema.KindFloat:
		return x, f.invalid("floats are counted by Ranges, not by Every")
	}
	if x.Every = f.Every; field.Kind == schema.KindTime && f.Every > 0 {
		unit := field.Unit.Nanoseconds()
		if x.Every = f.Every / unit; f.Every%unit != 0 {
			return x, f.invalid("buckets of %v, not a multiple of its unit, %v", time.Duration(f.Every), time.Duration(unit))
		}
	}
	for _, r := range f.Ranges {
		bounds, err := boundsOf(field, &r)
		if err != nil {
			return x, f.invalid("%v", err)
		}
		x.Ranges = append(x.Ranges, bounds)
	}
	return x, nil
}

// boundsOf returns the numbers of a range: from and up to. The first is greater if there are none.
func boundsOf(f *schema.Field, r *Range) (bounds [2]int64, err error) {
	none := [2]int64{math.MaxInt64, math.MinInt64}
	bounds = [2]int64{math.MinInt64, math.MaxInt64}
	for i, v := range []schema.Value{r.Min, r.Max} {
		k, err := keyIn(f, v)
		if err != nil {
			return none, err
		}
		if !k.Missing {
			bounds[i] = k.Number
		}
	}
	if r.AboveMin && r.Min.Kind != 0 {
		if bounds[0] == math.MaxInt64 {
			return none, nil
		}
		bounds[0]++
	}
	if r.BelowMax && r.Max.Kind != 0 {
		if bounds[1] == math.MinInt64 {
			return none, nil
		}
		bounds[1]--
	}
	return bounds, nil
}

// add sets what a query that wants columns has beside its hits.
func (c columnar) add(r *Result, q *Query, x *engine.Extra) {
	if x == nil {
		return
	}
	if len(q.Sort) > 0 && len(x.Sorted) > 0 {
		values := make([]schema.Value, 0, len(x.Sorted)*len(q.Sort))
		for i := range x.Sorted {
			for j, k := range x.Sorted[i].Keys {
				values = append(values, c.value(q.Sort[j].Field, k))
			}
			n := len(values)
			r.Sort = append(r.Sort, values[n-len(q.Sort):n:n])
		}
	}
	for i := range x.Facets {
		f := &x.Facets[i]
		counts := FacetCounts{Counts: make([]FacetCount, len(f.Counts)), Missing: f.Missing}
		for j, n := range f.Counts {
			counts.Counts[j].Count = n.Docs
			if len(q.Facets[i].Ranges) == 0 {
				counts.Counts[j].Value = c.value(q.Facets[i].Field, columns.Key{Number: n.Number, Bytes: n.Keyword})
			}
		}
		r.Facets = append(r.Facets, counts)
	}
}

// value returns a key as a value of a field.
func (c columnar) value(field string, k columns.Key) schema.Value {
	i := c.schema.Number(field)
	switch f := &c.schema.Fields[i]; {
	case k.Missing:
		return schema.Value{}
	case f.Kind == schema.KindKeyword:
		return schema.KeywordValue(i, k.Bytes)
	default:
		return schema.KeyValue(i, f.Kind, f.Unit, k.Number)
	}
}
