package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// columnModel is what documents have in the columns of an index. The zero value has none.
type columnModel struct {
	schema  *schema.Schema
	columns []int // the numbers of the fields that have one
	values  oracle.Values
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
		switch x := v.(type) {
		case uint64:
			v = math.Float64frombits(x) + 0 // not below zero
		case string:
			if x == "" {
				continue
			}
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
		if m.schema.Fields[field].Kind == schema.KindTime {
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
	for {
		v := drawValue(d.Rand, field, f)
		if all := inColumn([]any{plain(v.Floor(f.Unit))}); len(all) > 0 {
			return v, all[0]
		}
	}
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
func (d *treeDrawer) byColumns() (query.Filter, *oracle.Node) {
	i, f := d.column()
	is := func(any) bool { return true }
	var of query.Filter = filter.Exists{Field: f.Name}
	switch d.IntN(4) {
	case 0:
		in := filter.In{Field: f.Name}
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
func (d *treeDrawer) combined(depth int) (query.Filter, *oracle.Node) {
	if d.IntN(3) == 0 {
		f, o := d.filter(depth)
		return filter.Not{Filter: f}, &oracle.Node{Kind: oracle.Bool, Must: []*oracle.Node{{Kind: oracle.All}}, Not: []*oracle.Node{o}}
	}
	var all []query.Filter
	var own []*oracle.Node
	for range 1 + d.IntN(3) {
		f, o := d.filter(depth)
		all, own = append(all, f), append(own, o)
	}
	if d.IntN(2) == 0 {
		return filter.And(all), &oracle.Node{Kind: oracle.Bool, Must: own}
	}
	return filter.Or(all), &oracle.Node{Kind: oracle.Bool, Should: own, AtLeast: 1}
}

// static draws static scores, nil where documents have no values for them.
func (d *treeDrawer) static() (*query.Static, *oracle.Static) {
	floats := slices.DeleteFunc(slices.Clone(d.columns), func(i int) bool { return d.schema.Fields[i].Kind != schema.KindFloat })
	if len(floats) == 0 {
		return nil, nil
	}
	f := &d.schema.Fields[floats[d.IntN(len(floats))]]
	values := d.values[f.Name]
	s := &query.Static{Field: f.Name, Weight: []float64{0, 1, 0.1, 3, 50}[d.IntN(5)]}
	o := &oracle.Static{Values: make([][]float64, len(values)), Weight: cmp.Or(s.Weight, 1)}
	for doc, all := range values {
		for _, v := range all {
			x := v.(float64)
			if x < 0 || o.Weight*x > math.MaxFloat32/2 {
				return nil, nil
			}
			o.Values[doc] = append(o.Values[doc], x)
		}
	}
	return s, o
}

// counts returns what a facet counts of hits.
type counts func(hits []oracle.Hit) query.FacetCounts

// facet draws a facet.
func (d *treeDrawer) facet() (query.Facet, counts) {
	i, f := d.column()
	q := query.Facet{Field: f.Name}
	switch {
	case f.Kind == schema.KindKeyword:
		q.K = []int{0, 1, 3, 1000}[d.IntN(4)]
		return q, d.counted(i, cmp.Or(q.K, query.DefaultK), func(v any) any { return v }, nil)
	case f.Kind == schema.KindFloat, d.IntN(2) == 0:
		return d.ranges(i, q)
	}
	unit := int64(1)
	if f.Kind == schema.KindTime {
		unit = f.Unit.Nanoseconds()
	}
	q.Every = (1 + d.Int64()>>(1+d.IntN(62))/unit) * unit
	start := func(v any) any {
		n, below := v.(int64), v.(int64)%q.Every
		if below < 0 {
			below += q.Every
		}
		if n < math.MinInt64+below {
			return int64(math.MinInt64)
		}
		return n - below
	}
	return q, d.counted(i, math.MaxInt, start, func(a, b oracle.Counted) int { return compareValues(a.Value, b.Value) })
}

// counted returns the first k of the values that as makes of those of a field, in an order unless it is nil.
func (d *treeDrawer) counted(field, k int, as func(any) any, order func(a, b oracle.Counted) int) counts {
	return func(hits []oracle.Hit) (c query.FacetCounts) {
		all, missing := d.values.Count(hits, d.schema.Fields[field].Name, as)
		if order != nil {
			slices.SortFunc(all, order)
		}
		c.Missing = missing
		for _, n := range all[:min(k, len(all))] {
			c.Counts = append(c.Counts, query.FacetCount{Value: d.value(field, n.Value), Count: n.Docs})
		}
		return c
	}
}

// ranges draws ranges for q.
func (d *treeDrawer) ranges(field int, q query.Facet) (query.Facet, counts) {
	var in []func(any) bool
	for range 1 + d.IntN(3) {
		x, is := d.within(field)
		if d.IntN(2) == 0 {
			x.Field = ""
		}
		q.Ranges, in = append(q.Ranges, x), append(in, is)
	}
	return q, func(hits []oracle.Hit) (c query.FacetCounts) {
		_, c.Missing = d.values.Count(hits, q.Field, func(v any) any { return v })
		for _, is := range in {
			c.Counts = append(c.Counts, query.FacetCount{Count: d.values.Within(hits, q.Field, is)})
		}
		return c
	}
}

// byValues draws what q, which is for a tree, asks of columns.
func (d *treeDrawer) byValues(q query.Query, o oracle.TreeQuery) (query.Query, want) {
	var by []oracle.SortKey
	if d.IntN(3) > 0 {
		for _, i := range d.Perm(len(d.columns))[:1+d.IntN(min(3, len(d.columns)))] {
			by = append(by, oracle.SortKey{Field: d.schema.Fields[d.columns[i]].Name, Desc: d.IntN(2) == 0})
			q.Sort = append(q.Sort, query.SortBy(by[len(by)-1]))
		}
	} else {
		q.Static, o.Static = d.static()
	}
	if d.IntN(3) == 0 {
		_, f := d.column()
		q.Collapse = f.Name
	}
	var facets []counts
	for range d.IntN(3) * d.IntN(2) {
		f, c := d.facet()
		q.Facets, facets = append(q.Facets, f), append(facets, c)
	}
	if q.After, o.After, o.K = nil, nil, everything; len(d.docs) > 0 && d.IntN(3) == 0 {
		d.after(&q, by)
	}
	all := sync.OnceValue(func() []oracle.Hit {
		hits, _ := d.trees().Answer(o)
		return hits
	})
	hits := sync.OnceValue(func() []oracle.Hit { return d.page(&q, by, all()) })
	return q, want{hits, func() []oracle.Hit { return slices.Clone(all()) }, func() (x query.Result) {
		for _, h := range hits() {
			if len(by) > 0 {
				x.Sort = append(x.Sort, d.keys(by, h.Doc))
			}
		}
		for _, c := range facets {
			x.Facets = append(x.Facets, c(all()))
		}
		return x
	}}
}

// after draws where the hits of q begin.
func (d *treeDrawer) after(q *query.Query, by []oracle.SortKey) {
	doc := uint32(d.IntN(len(d.docs)))
	if len(by) == 0 {
		q.After = &query.Position{Doc: doc, Score: 10 * d.Float32()}
		return
	}
	q.SortAfter = &query.SortPosition{Values: d.keys(by, doc), Doc: doc, Before: d.IntN(4) == 0}
}

// keys returns the values that a document is sorted by.
func (m *columnModel) keys(by []oracle.SortKey, doc uint32) (values []schema.Value) {
	for _, k := range by {
		values = append(values, m.value(m.schema.Number(k.Field), m.values.Key(k, doc)))
	}
	return values
}

// page returns the hits of q, of all matches, the best first.
func (m *columnModel) page(q *query.Query, by []oracle.SortKey, hits []oracle.Hit) (page []oracle.Hit) {
	if len(by) > 0 {
		hits = m.values.Sort(hits, by)
	}
	if q.Collapse != "" {
		hits = m.values.Collapse(hits, q.Collapse)
	}
	for _, h := range hits {
		if len(by) > 0 {
			h.Score = 0
		}
		if len(page) < q.K && m.behind(q, by, h) {
			page = append(page, h)
		}
	}
	return page
}

// behind reports whether a hit is behind the place that the hits of q begin after.
func (m *columnModel) behind(q *query.Query, by []oracle.SortKey, h oracle.Hit) bool {
	switch at := q.SortAfter; {
	case q.After != nil:
		return h.Score < q.After.Score || h.Score == q.After.Score && h.Doc > q.After.Doc
	case at == nil:
		return true
	default:
		same := !slices.ContainsFunc(by, func(k oracle.SortKey) bool { return m.values.Key(k, h.Doc) != m.values.Key(k, at.Doc) })
		return at.Before && same || m.values.Compare(by, h.Doc, at.Doc) > 0
	}
}

// compareColumns returns how what a result says of columns differs.
func compareColumns(got, want query.Result) error {
	if a, b := fmt.Sprint(got.Sort, got.Facets), fmt.Sprint(want.Sort, want.Facets); a != b {
		return fmt.Errorf("values and counts are %.1000s, want %.1000s", a, b)
	}
	return nil
}

// describeColumns describes what q asks of columns.
func describeColumns(q query.Query) string {
	if len(q.Sort)+len(q.Facets) == 0 && q.Collapse == "" && q.Static == nil {
		return ""
	}
	return fmt.Sprintf(", sorted by %v after %+v, facets %+v, collapsed by %q, static %+v", q.Sort, q.SortAfter, q.Facets, q.Collapse, q.Static)
}

// drawRank draws a value for static scores.
func drawRank(r *rand.Rand) float64 {
	return []float64{0, math.Copysign(0, -1), r.Float64(), 1000 * r.Float64()}[r.IntN(4)]
}
