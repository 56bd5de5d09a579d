package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// columnModel is what documents have in the columns of an index. The zero value has none.
type columnModel struct {
	schema  *schema.Schema
	columns []int // the numbers of the fields that have one
	values  oracle.Values
	order   []oracle.SortKey // of hits that are equal otherwise
}

// newColumnModel returns the columns of n documents.
func newColumnModel(s *schema.Schema, values oracle.Values, n int) columnModel {
	m := columnModel{schema: s, values: oracle.Values{}}
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Column {
			m.columns = append(m.columns, i)
			m.values[f.Name] = append(values[f.Name], make([][]any, n-len(values[f.Name]))...)
		}
	}
	return m
}

// inColumn returns what a document with these values has in a column, as the oracle has it.
func inColumn(values []any) (all []any) {
	for _, v := range values {
		if x, ok := v.(uint64); ok {
			v = math.Float64frombits(x) + 0 // not below zero
		}
		all = append(all, v)
	}
	return all
}

// value returns a value of the oracle, which may be nil, as a query has it.
func (m *columnModel) value(field int, x any) schema.Value {
	switch x := x.(type) {
	case string:
		return schema.KeywordValue(field, []byte(x))
	case float64:
		return schema.FloatValue(field, x)
	case int64:
		if m.schema.Fields[field].Kind == schema.Time {
			return schema.NanosValue(field, x)
		}
		return schema.IntegerValue(field, x)
	}
	return schema.Value{}
}

// compareValues compares values of one field.
func compareValues(a, b any) int {
	switch a := a.(type) {
	case string:
		return strings.Compare(a, b.(string))
	case float64:
		return cmp.Compare(a, b.(float64))
	}
	return cmp.Compare(a.(int64), b.(int64))
}

// column draws a field that has a column.
func (d *treeDrawer) column() (int, *schema.Field) {
	i := d.columns[d.IntN(len(d.columns))]
	return i, &d.schema.Fields[i]
}

// some draws a value that a filter or a facet names, often one that a document has.
func (d *treeDrawer) some(field int) (schema.Value, any) {
	f := &d.schema.Fields[field]
	if all := d.values[f.Name]; len(all) > 0 && d.IntN(3) > 0 {
		if own := all[d.IntN(len(all))]; len(own) > 0 {
			x := own[d.IntN(len(own))]
			return d.value(field, x), x
		}
	}
	v := drawValue(d.Rand, field, f)
	return v, inColumn([]any{plain(v.Floor(f.Unit))})[0]
}

// within draws a range, and which values are in it.
func (d *treeDrawer) within(field int) (query.Range, func(any) bool) {
	x := query.Range{Field: d.schema.Fields[field].Name, AboveMin: d.IntN(3) == 0, BelowMax: d.IntN(3) == 0}
	var least, most any
	if d.IntN(4) > 0 {
		x.Min, least = d.some(field)
	}
	if d.IntN(4) > 0 {
		x.Max, most = d.some(field)
	}
	lowest, highest := 0, 0 // what a value must compare as with the bounds
	if x.AboveMin {
		lowest = 1
	}
	if x.BelowMax {
		highest = -1
	}
	return x, func(v any) bool {
		return (least == nil || compareValues(v, least) >= lowest) && (most == nil || compareValues(v, most) <= highest)
	}
}

// byColumns draws a filter by what documents have in columns.
func (d *treeDrawer) byColumns() (query.Node, *oracle.Node) {
	i, f := d.column()
	is := func(any) bool { return true }
	var of query.Node = query.Exists{Field: f.Name}
	switch d.IntN(4) {
	case 0:
		in := query.In{Field: f.Name}
		var values []any
		for range d.IntN(4) {
			v, x := d.some(i)
			in.Values, values = append(in.Values, v), append(values, x)
		}
		of, is = in, func(v any) bool { return slices.Contains(values, v) }
	case 1, 2:
		of, is = d.within(i)
	}
	values := d.values[f.Name]
	return of, &oracle.Node{Kind: oracle.Set, Has: func(doc uint32) bool { return slices.ContainsFunc(values[doc], is) }}
}

// combined draws a filter made of others.
func (d *treeDrawer) combined(depth int) (query.Node, *oracle.Node) {
	if d.IntN(3) == 0 {
		d.denied++
		f, o := d.filter(depth)
		d.denied--
		return query.Not{Node: f}, &oracle.Node{Kind: oracle.Bool, Must: []*oracle.Node{{Kind: oracle.All}}, Not: []*oracle.Node{o}}
	}
	var all []query.Node
	var own []*oracle.Node
	for range 1 + d.IntN(3) {
		f, o := d.filter(depth)
		all, own = append(all, f), append(own, o)
	}
	if d.IntN(2) == 0 {
		return query.And(all), &oracle.Node{Kind: oracle.Bool, Must: own}
	}
	return query.Or(all), &oracle.Node{Kind: oracle.Bool, Should: own, AtLeast: 1}
}

// static draws static scores, nil where documents have no values for them.
func (d *treeDrawer) static() (*search.Static, *oracle.Static) {
	numbers := slices.DeleteFunc(slices.Clone(d.columns), func(i int) bool { return d.schema.Fields[i].Kind == schema.Keyword })
	if len(numbers) == 0 {
		return nil, nil
	}
	i := numbers[d.IntN(len(numbers))]
	f := &d.schema.Fields[i]
	s := &search.Static{Field: f.Name, Boost: []float64{0, 1, 0.1, 3, 50}[d.IntN(5)], Multiply: d.IntN(3) == 0}
	of := d.shape(i, s)
	values := d.values[f.Name]
	o := &oracle.Static{Values: make([][]float64, len(values)), Weight: cmp.Or(s.Boost, 1), Multiply: s.Multiply}
	for doc, all := range values {
		for _, v := range all {
			x := of(v)
			if !(x >= 0) || o.Weight*x > math.MaxFloat32/2 {
				return nil, nil
			}
			o.Values[doc] = append(o.Values[doc], x)
		}
	}
	return s, o
}

// shape draws what s counts in place of the values of a field, and returns it. It is below 0 for what is refused.
func (d *treeDrawer) shape(field int, s *search.Static) func(v any) float64 {
	f := &d.schema.Fields[field]
	number := func(v any) float64 {
		if x, ok := v.(float64); ok {
			return x
		}
		return float64(v.(int64))
	}
	scale := []float64{0.5, 3, 1000}[d.IntN(3)]
	switch n := d.IntN(3); {
	case n == 0 && f.Kind == schema.Float:
		return number
	case n == 1 && f.Kind != schema.Time:
		s.Saturation = scale
		return func(v any) float64 {
			x := number(v)
			if x < 0 {
				return -1
			}
			return x / (x + scale)
		}
	}
	from, at := d.some(field)
	if s.From = from.Any(); f.Kind == schema.Time {
		s.DecayOver = time.Duration(scale * float64(time.Hour))
		scale = s.DecayOver.Seconds() * float64(time.Second/time.Duration(f.Unit.Nanoseconds()))
	} else {
		s.Decay = scale
	}
	return func(v any) float64 {
		distance := 0.0
		switch x := v.(type) {
		case float64:
			distance = math.Abs(x - at.(float64))
		case int64:
			far := new(big.Int).Sub(big.NewInt(x), big.NewInt(at.(int64)))
			if f.Kind == schema.Time {
				far.Quo(far, big.NewInt(f.Unit.Nanoseconds()))
			}
			distance, _ = new(big.Float).SetInt(far.Abs(far)).Float64()
		}
		return scale / (scale + distance)
	}
}

// counts returns what a facet counts of hits.
type counts func(hits []oracle.Hit) search.FacetCounts

// facet draws a facet.
func (d *treeDrawer) facet() (search.Facet, counts) {
	i, f := d.column()
	q := search.Facet{Field: f.Name}
	switch {
	case f.Kind == schema.Keyword:
		q.Limit = []int{0, 1, 3, 1000}[d.IntN(4)]
		return q, d.counted(i, cmp.Or(q.Limit, query.DefaultK), func(v any) any { return v }, nil)
	case d.IntN(2) == 0:
		return d.ranges(i, q)
	}
	var start func(any) any
	switch f.Kind {
	case schema.Float:
		q.Width = math.Ldexp(1, d.IntN(20)-10) // exact, whatever is divided by it
		start = func(v any) any {
			x := v.(float64)
			k := math.Floor(x / q.Width)
			if k*q.Width > x {
				k--
			}
			if math.IsInf(k, 0) {
				return x
			}
			return k*q.Width + 0
		}
	case schema.Time:
		unit := f.Unit.Nanoseconds()
		q.Every = time.Duration((1 + d.Int64()>>(1+d.IntN(62))/unit) * unit)
		start = func(v any) any {
			if at := time.Unix(0, v.(int64)).UTC().Truncate(q.Every); !at.Before(time.Unix(0, math.MinInt64)) {
				return at.UnixNano()
			}
			return int64(math.MinInt64)
		}
	default:
		every := 1 + d.Int64()>>(11+d.IntN(52)) // a float64 has it
		q.Width = float64(every)
		start = func(v any) any {
			n, below := v.(int64), v.(int64)%every
			if below < 0 {
				below += every
			}
			if n < math.MinInt64+below {
				return int64(math.MinInt64)
			}
			return n - below
		}
	}
	return q, d.counted(i, math.MaxInt, start, func(a, b oracle.Counted) int { return compareValues(a.Value, b.Value) })
}

// counted returns the first k of the values that as makes of those of a field, in an order unless it is nil.
func (d *treeDrawer) counted(field, k int, as func(any) any, order func(a, b oracle.Counted) int) counts {
	return func(hits []oracle.Hit) (c search.FacetCounts) {
		all, missing := d.values.Count(hits, d.schema.Fields[field].Name, as)
		if order != nil {
			slices.SortFunc(all, order)
		}
		c.Missing = missing
		for _, n := range all[:min(k, len(all))] {
			c.Counts = append(c.Counts, search.FacetCount{Value: d.value(field, n.Value), Count: n.Docs})
		}
		return c
	}
}

// ranges draws ranges for q.
func (d *treeDrawer) ranges(field int, q search.Facet) (search.Facet, counts) {
	var in []func(any) bool
	for range 1 + d.IntN(3) {
		x, is := d.within(field)
		if d.IntN(2) == 0 {
			x.Field = ""
		}
		q.Ranges, in = append(q.Ranges, x), append(in, is)
	}
	return q, func(hits []oracle.Hit) (c search.FacetCounts) {
		_, c.Missing = d.values.Count(hits, q.Field, func(v any) any { return v })
		for _, is := range in {
			c.Counts = append(c.Counts, search.FacetCount{Count: d.values.Within(hits, q.Field, is)})
		}
		return c
	}
}

// compareColumns returns how what a result says of columns differs.
func compareColumns(got, want search.Result) error {
	if a, b := fmt.Sprint(got.Sort, got.Facets), fmt.Sprint(want.Sort, want.Facets); a != b {
		return fmt.Errorf("values and counts are %.1000s, want %.1000s", a, b)
	}
	return nil
}

// describeColumns describes what q asks of columns.
func describeColumns(q search.Query) string {
	if len(q.Sort)+len(q.Facets) == 0 && q.Collapse == "" && q.Static == nil {
		return ""
	}
	return fmt.Sprintf(", sorted by %v after %+v, facets %+v, collapsed by %q, static %+v", q.Sort, q.SortAfter, q.Facets, q.Collapse, q.Static)
}

// drawRank draws a value for static scores.
func drawRank(r *rand.Rand) float64 {
	return []float64{0, math.Copysign(0, -1), r.Float64(), 1000 * r.Float64()}[r.IntN(4)]
}
