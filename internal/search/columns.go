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

// columnar knows which columns an index has.
type columnar struct{ schema *schema.Schema }

// planColumns is engine.Options.PlanColumns.
func (p *Parser) planColumns(q *engine.Query) (engine.ColumnPlan, error) {
	return columnar{p.Schema}.plan(q.Columns.(*wants))
}

// plan returns what w asks of columns.
func (c columnar) plan(w *wants) (p engine.ColumnPlan, err error) {
	for _, s := range w.sort {
		if s.Score {
			p.Sort = append(p.Sort, engine.SortKey{Desc: true, Score: true})
			continue
		}
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
	if err := c.planFacets(&p, w); err != nil {
		return p, err
	}
	if w.collapse != "" {
		_, f, err := c.field("collapse by", w.collapse)
		if err != nil {
			return p, err
		}
		p.Collapse = &f
	}
	if w.static != nil {
		f, curve, err := c.static(w.static)
		if err != nil {
			return p, err
		}
		p.Static, p.StaticWeight, p.StaticCurve, p.StaticMultiply = &f, cmp.Or(w.static.Boost, 1), curve, w.static.Multiply
	}
	return p, nil
}

// planFacets adds facets, and what is chosen, to a plan.
func (c columnar) planFacets(p *engine.ColumnPlan, w *wants) error {
	number := func(f engine.ColumnField) int {
		i := slices.IndexFunc(p.Fields, func(o engine.ColumnField) bool { return o.ID == f.ID })
		if i < 0 {
			i, p.Fields = len(p.Fields), append(p.Fields, f)
		}
		return i
	}
	for _, x := range w.chosen {
		if fields := fieldsOf(x.Node); len(fields) != 1 || fields[0] != x.Field {
			return fmt.Errorf("%w: Chosen of the field %q is not by this alone", query.ErrInvalid, x.Field)
		}
		f, err := compiled(c.schema, x.Node)
		if err != nil {
			return fmt.Errorf("%w: %w", query.ErrInvalid, err)
		}
		p.Chosen = append(p.Chosen, f)
	}
	for i := range w.facets {
		f, err := c.facet(&w.facets[i], number)
		if err != nil {
			return err
		}
		to := engine.Facet{Facet: f, Without: -1}
		if w.facets[i].IgnoreOwn {
			to.Without = slices.IndexFunc(w.chosen, func(x Chosen) bool { return x.Field == w.facets[i].Field })
		}
		p.Facets = append(p.Facets, to)
	}
	return nil
}

// static returns the field of static scores, and how its values count.
func (c columnar) static(s *Static) (f engine.ColumnField, curve columns.Curve, err error) {
	field, f, err := c.field("static scores by the", s.Field)
	if err != nil {
		return f, curve, err
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: static scores by the field %q, which is of kind %v, %s", query.ErrInvalid, f.Name, field.Kind, fmt.Sprintf(format, args...))
	}
	curve.Float = field.Kind == schema.Float
	switch {
	case field.Kind == schema.Keyword:
		return f, curve, bad("not a number")
	case field.Kind == schema.Time && s.DecayOver == 0:
		return f, curve, bad("not a float: times have DecayOver")
	case field.Kind != schema.Time && s.DecayOver != 0:
		return f, curve, bad("not a time: numbers have Decay")
	case !s.shaped() && !curve.Float:
		return f, curve, bad("not a float")
	case s.Saturation > 0:
		curve.Shape, curve.Scale = columns.Saturation, s.Saturation
	case s.Logarithm > 0:
		curve.Shape, curve.Scale = columns.Logarithm, s.Logarithm
	case s.Decay > 0:
		curve.Shape, curve.Scale = columns.Decay, s.Decay
	case s.DecayOver > 0:
		curve.Shape, curve.Scale = columns.Decay, s.DecayOver.Seconds()*float64(unitsOf(field.Unit))
		if s.From == nil {
			return f, curve, bad("without From")
		}
	}
	if curve.Shape != columns.Decay {
		return f, curve, nil
	}
	from := s.From
	if from == nil {
		from = 0
	}
	values, err := c.schema.AppendValues(nil, c.schema.Number(field.Name), from)
	if err == nil && len(values) == 1 {
		err = c.schema.CheckValue(values[0])
	}
	if err != nil || len(values) != 1 {
		return f, curve, bad("with From %v: %v", s.From, err)
	}
	curve.From = values[0].Key(field.Unit)
	return f, curve, nil
}

// unitsOf returns how many of a unit are a second.
func unitsOf(u schema.Unit) int {
	return map[schema.Unit]int{schema.UnitNanosecond: 1e9, schema.UnitMicrosecond: 1e6, schema.UnitMillisecond: 1e3, schema.UnitSecond: 1}[u]
}

// StaticField returns the id of the field of static scores, and their boost. The error is one of Searcher.AppendHits.
func (p *Parser) StaticField(s *Static) (id uint32, boost float64, err error) {
	if err := p.check(); err != nil {
		return 0, 0, err
	}
	f, _, err := columnar{p.Schema}.static(s)
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
		if w.sort[i].Score {
			score := v.Float()
			if v.Kind != schema.Float || !(score >= 0 && score <= math.MaxFloat32) {
				return nil, fmt.Errorf("%w: SortAfter: %v is no score", query.ErrInvalid, v)
			}
			h.Keys = append(h.Keys, columns.Key{Number: columns.ScoreKey(float32(score))})
			continue
		}
		f, _ := c.schema.Field(w.sort[i].Field)
		k, err := columns.KeyIn(f, v)
		if err != nil {
			return nil, fmt.Errorf("%w: SortAfter: %v", query.ErrInvalid, err)
		}
		h.Keys = append(h.Keys, k)
	}
	return h, nil
}

// facet returns how the engine counts by f, given what numbers fields.
func (c columnar) facet(f *Facet, number func(engine.ColumnField) int) (x columns.Facet, err error) {
	x.Keep = f.Keep
	for i := range f.Stats {
		m, err := c.measure(&f.Stats[i], number)
		if err != nil {
			return x, err
		}
		x.Measures = append(x.Measures, m)
	}
	if f.Field == "" {
		x.All = true
		return x, nil
	}
	for i := range f.Facets {
		own, err := c.facet(&f.Facets[i], number)
		if err != nil {
			return x, err
		}
		x.Facets = append(x.Facets, own)
	}
	field, column, err := c.field("facet of the", f.Field)
	if err != nil {
		return x, err
	}
	x.Name, x.Column = f.Field, number(column)
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
func (c columnar) add(r *Result, q *Query, x *engine.Extra) error {
	if x == nil {
		return nil
	}
	if len(q.Sort) > 0 && len(x.Sorted) > 0 {
		values := make([]schema.Value, 0, len(x.Sorted)*len(q.Sort))
		for i := range x.Sorted {
			for j, k := range x.Sorted[i].Keys[:len(q.Sort)] {
				if q.Sort[j].Score {
					values = append(values, schema.FloatValue(0, float64(columns.KeyScore(k.Number))))
					continue
				}
				values = append(values, c.value(q.Sort[j].Field, k))
			}
			n := len(values)
			r.Sort = append(r.Sort, values[n-len(q.Sort):n:n])
		}
	}
	for i := range x.Facets {
		counts, err := c.counts(&q.Facets[i], &x.Facets[i])
		if err != nil {
			return err
		}
		r.Facets = append(r.Facets, counts)
	}
	return nil
}

// counts returns the counts of a facet.
func (c columnar) counts(f *Facet, of *columns.Counts) (to FacetCounts, err error) {
	to = FacetCounts{Counts: make([]FacetCount, len(of.Counts)), Missing: of.Missing}
	if to.Stats, err = c.stats(f, of.Figures); err != nil {
		return to, err
	}
	for j := range of.Counts {
		n, x := &of.Counts[j], &to.Counts[j]
		if x.Count = n.Docs; len(f.Ranges) == 0 {
			x.Value = c.value(f.Field, columns.Key{Number: n.Number, Bytes: n.Keyword})
		}
		if x.Stats, err = c.stats(f, n.Figures); err != nil {
			return to, err
		}
		for i := range n.Within {
			own, err := c.counts(&f.Facets[i], &n.Within[i])
			if err != nil {
				return to, err
			}
			x.Facets = append(x.Facets, own)
		}
	}
	return to, nil
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
