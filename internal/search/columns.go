package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

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
	Order  []schema.Value // as Position.Order; where Sort has its field, what Values has there
	// Before says that the place is before all hits with these values, and Order if there is one, whatever Doc is.
	Before bool
}

// Static adds f32(Boost x value) to the score of each match, by its value in a field of floats that has a column: what is
// known of a document whatever is searched for, such as a PageRank, transformed as it is to be added. Of several values the
// greatest counts; a document without one gets nothing. From the second query on, 2 bytes a document are kept in memory with
// an open index that is not read on demand. No document of the index may have a value below 0, or one whose
// addend is above half the greatest float32.
type Static struct {
	Field string
	Boost float64 // above 0, up to MaxBoost; 0 means 1
}

func (s *Static) check(sort []SortBy) error {
	switch {
	case !(s.Boost >= 0 && s.Boost <= query.MaxBoost):
		return fmt.Errorf("%w: static scores by the field %q with the boost %v, not above 0 and up to %v", query.ErrInvalid, s.Field, s.Boost, float64(query.MaxBoost))
	case len(sort) > 0:
		return fmt.Errorf("%w: static scores by the field %q with Sort: hits have no scores", query.ErrInvalid, s.Field)
	}
	return nil
}

// Facet asks how many of the documents that match have which values in a field, which must have a column: keywords,
// or numbers or times in Ranges or in buckets. A document counts once in each that it has a value of.
type Facet struct {
	Field string
	// Limit is how many keywords are wanted, the most frequent; 0 means DefaultK.
	Limit int
	// Ranges are ranges of values to count. Their Field is Facet.Field, or "".
	Ranges []query.Range
	// Every is the width of buckets of times, a multiple of the field's unit. They begin where time.Time.Truncate rounds the times
	// in them down to, in UTC: weeks on Mondays.
	Every time.Duration
	// Width is that of buckets of integers, a whole number, or of floats. They begin at its multiples.
	Width float64
}

// keywords reports whether f does not say what numbers or times it counts.
func (f *Facet) keywords() bool { return len(f.Ranges) == 0 && f.Every == 0 && f.Width == 0 }

// FacetCounts are the counts of a Facet.
type FacetCounts struct {
	// Counts are the most frequent keywords that matches have, equally frequent ones in the order of their bytes; or
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
func (q *Query) WantsColumns() bool { return q.wantsColumns() }

func (q *Query) wantsColumns() bool { return q.reorders() || q.Static != nil }

// Reorders reports whether q asks more of columns than static scores.
func (q *Query) Reorders() bool { return q.reorders() }

// reorders reports whether q wants more of columns than static scores.
func (q *Query) reorders() bool { return len(q.Sort)+len(q.Facets) > 0 || q.Collapse != "" }

// checkColumns returns what is wrong with what q asks of columns, whatever the schema.
func (q *Query) checkColumns() error {
	switch {
	case !q.wantsColumns() && q.SortAfter == nil:
		return nil
	case q.Mode == query.ModeAndOr && q.reorders():
		return fmt.Errorf("%w: mode %v with Sort, Facets or Collapse: it has no set of matches that does not depend on K", query.ErrInvalid, q.Mode)
	case len(q.Sort) > query.MaxSort:
		return fmt.Errorf("%w: %d fields to sort by, at most %d", query.ErrInvalid, len(q.Sort), query.MaxSort)
	case len(q.Facets) > query.MaxFacets:
		return fmt.Errorf("%w: %d facets, at most %d", query.ErrInvalid, len(q.Facets), query.MaxFacets)
	case len(q.Sort) > 0 && q.After != nil:
		return fmt.Errorf("%w: After is a place among scores, but hits are sorted: SortAfter is one there", query.ErrInvalid)
	case len(q.Sort) == 0 && q.SortAfter != nil:
		return fmt.Errorf("%w: SortAfter without Sort", query.ErrInvalid)
	case q.SortAfter != nil && len(q.SortAfter.Values) != len(q.Sort):
		return fmt.Errorf("%w: SortAfter has %d values, Sort has %d fields", query.ErrInvalid, len(q.SortAfter.Values), len(q.Sort))
	}
	for i, s := range q.Sort {
		if slices.ContainsFunc(q.Sort[:i], func(o SortBy) bool { return o.Field == s.Field }) {
			return fmt.Errorf("%w: the field %q to sort by twice", query.ErrInvalid, s.Field)
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
	case f.Limit < 0:
		return f.invalid("Limit is %d, less than 0", f.Limit)
	case f.Every < 0:
		return f.invalid("buckets of %v", f.Every)
	case !(f.Width >= 0 && f.Width <= math.MaxFloat64):
		return f.invalid("buckets of width %v", f.Width)
	case f.Every > 0 && f.Width > 0, len(f.Ranges) > 0 && (f.Every > 0 || f.Width > 0):
		return f.invalid("more than one of Ranges, Every and Width")
	case f.Limit > 0 && !f.keywords():
		return f.invalid("Limit is for keywords, not for Ranges, Every or Width")
	case len(f.Ranges) > query.MaxRanges:
		return f.invalid("%d ranges, at most %d", len(f.Ranges), query.MaxRanges)
	}
	for _, r := range f.Ranges {
		if r.Field != "" && r.Field != f.Field {
			return f.invalid("a range of the field %q", r.Field)
		}
	}
	return nil
}

func (f *Facet) invalid(format string, args ...any) error {
	return fmt.Errorf("%w: facet of the field %q: %s", query.ErrInvalid, f.Field, fmt.Sprintf(format, args...))
}

// columnar knows which columns an index has.
type columnar struct{ schema *schema.Schema }

// planColumns is engine.Options.PlanColumns.
func (p *Parser) planColumns(q *engine.Query) (engine.ColumnPlan, error) {
	return columnar{p.Schema}.plan(q.Columns.(*wants))
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
		p.AfterOrder = w.after.Order
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
		p.Static, p.StaticWeight = &f, cmp.Or(w.static.Boost, 1)
	}
	return p, nil
}

// static returns the field of static scores.
func (c columnar) static(s *Static) (engine.ColumnField, error) {
	field, f, err := c.field("static scores by the", s.Field)
	if err == nil && field.Kind != schema.Float {
		err = fmt.Errorf("%w: static scores by the field %q, which is of kind %v, not a float", query.ErrInvalid, f.Name, field.Kind)
	}
	return f, err
}

// StaticField returns the id of the field of static scores, and their boost. The error is one of Searcher.AppendHits.
func (p *Parser) StaticField(s *Static) (id uint32, boost float64, err error) {
	if err := p.check(); err != nil {
		return 0, 0, err
	}
	f, err := columnar{p.Schema}.static(s)
	return f.ID, cmp.Or(s.Boost, 1), err
}

// field returns a field that has a column.
func (c columnar) field(what, name string) (*schema.Field, engine.ColumnField, error) {
	f, ok := c.schema.Field(name)
	switch {
	case !ok:
		return nil, engine.ColumnField{}, fmt.Errorf("%w: %s field %q: there is no such field", query.ErrInvalid, what, name)
	case !f.Column:
		return nil, engine.ColumnField{}, fmt.Errorf("%w: %s field %q, which is of kind %v and has no column", query.ErrInvalid, what, name, f.Kind)
	}
	return f, engine.ColumnField{Name: name, ID: f.ID, Keyword: f.Kind == schema.Keyword}, nil
}

// position returns the hit that hits come after.
func (c columnar) position(w *wants) (*columns.Hit, error) {
	h := &columns.Hit{Doc: int64(w.after.Doc)}
	if w.after.Before {
		h.Doc = -1
	}
	for i, v := range w.after.Values {
		f, _ := c.schema.Field(w.sort[i].Field)
		k, err := columns.KeyIn(f, v)
		if err != nil {
			return nil, fmt.Errorf("%w: SortAfter: %v", query.ErrInvalid, err)
		}
		h.Keys = append(h.Keys, k)
	}
	return h, nil
}

// facet returns how the engine counts by f.
func (c columnar) facet(f *Facet) (x engine.Facet, err error) {
	field, column, err := c.field("facet of the", f.Field)
	if err != nil {
		return x, err
	}
	x.ColumnField = column
	n := kind.Of(uint8(field.Kind))
	switch keyword := n == nil; {
	case keyword && !f.keywords():
		return x, f.invalid("Ranges, Every and Width are for numbers and times, not for keywords")
	case keyword:
		x.K = cmp.Or(f.Limit, query.DefaultK)
		return x, nil
	case f.keywords() && n.Durations:
		return x, f.invalid("a field of kind %v is counted by ranges, or in buckets of some duration", field.Kind)
	case f.keywords():
		return x, f.invalid("a field of kind %v is counted by ranges, or in buckets of some width", field.Kind)
	case f.Every > 0 && !n.Durations:
		return x, f.invalid("Every is for times: a field of kind %v has buckets of some Width", field.Kind)
	case f.Width > 0 && n.Durations:
		return x, f.invalid("Width is for numbers: times are counted Every so much")
	case f.Width > 0 && n.Whole && (f.Width != math.Trunc(f.Width) || f.Width >= 1<<63):
		return x, f.invalid("buckets of width %v, not a whole number", f.Width)
	}
	switch unit := field.Unit.Nanoseconds(); {
	case f.Every%time.Duration(unit) != 0:
		return x, f.invalid("buckets of %v, not a multiple of its unit, %v", f.Every, time.Duration(unit))
	case f.Every > 0:
		x.Every, x.Shift = int64(f.Every)/unit, int64(untilEpoch(f.Every))/unit
	case n.Whole:
		x.Every = int64(f.Width)
	default:
		x.Width = f.Width
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

// untilEpoch returns the rest of the time from year 1, which time.Time.Truncate counts from, until 1970, divided by every.
func untilEpoch(every time.Duration) time.Duration {
	epoch := time.Unix(0, 0).UTC()
	return epoch.Sub(epoch.Truncate(every))
}

// boundsOf returns the numbers of a range: from and up to. The first is greater if there are none.
func boundsOf(f *schema.Field, r *query.Range) (bounds [2]int64, err error) {
	none := [2]int64{math.MaxInt64, math.MinInt64}
	bounds = [2]int64{math.MinInt64, math.MaxInt64}
	c := where.Conversion{Schema: &schema.Schema{Fields: []schema.Field{*f}}}
	for i, x := range []any{r.Min, r.Max} {
		v, err := c.Value(f.Name, x)
		if err != nil {
			return none, err
		}
		k, err := columns.KeyIn(f, v)
		if err != nil {
			return none, err
		}
		if !k.Missing {
			bounds[i] = k.Number
		}
	}
	if r.AboveMin && bound(r.Min) {
		if bounds[0] == math.MaxInt64 {
			return none, nil
		}
		bounds[0]++
	}
	if r.BelowMax && bound(r.Max) {
		if bounds[1] == math.MinInt64 {
			return none, nil
		}
		bounds[1]--
	}
	return bounds, nil
}

// bound reports whether there is a bound of a range.
func bound(x any) bool {
	v, ok := x.(schema.Value)
	return x != nil && (!ok || v.Kind != 0)
}

// add sets what a query that wants columns has beside its hits.
func (c columnar) add(r *Result, q *Query, x *engine.Extra) {
	if x == nil {
		return
	}
	if len(q.Sort) > 0 && len(x.Sorted) > 0 {
		values := make([]schema.Value, 0, len(x.Sorted)*len(q.Sort))
		for i := range x.Sorted {
			for j, k := range x.Sorted[i].Keys[:len(q.Sort)] {
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
	case f.Kind == schema.Keyword:
		return schema.KeywordValue(i, k.Bytes)
	default:
		return schema.KeyValue(i, f.Kind, f.Unit, k.Number)
	}
}
