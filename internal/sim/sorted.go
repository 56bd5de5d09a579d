package sim

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/schema"
)

// byValues draws what q, which is for a tree, asks of columns.
func (d *treeDrawer) byValues(q search.Query, o oracle.TreeQuery) (search.Query, want) {
	var by []oracle.SortKey
	if d.IntN(3) > 0 {
		for _, i := range d.Perm(len(d.columns))[:1+d.IntN(min(3, len(d.columns)))] {
			by = append(by, oracle.SortKey{Field: d.schema.Fields[d.columns[i]].Name, Desc: d.IntN(2) == 0})
			q.Sort = append(q.Sort, search.SortBy{Field: by[len(by)-1].Field, Desc: by[len(by)-1].Desc})
		}
	}
	scored := d.IntN(4) == 0
	if scored {
		at := d.IntN(len(by) + 1)
		by, q.Sort = slices.Insert(by, at, oracle.SortKey{Field: scoreKey, Desc: true}), slices.Insert(q.Sort, at, search.SortBy{Score: true})
	}
	if scored && d.IntN(2) == 0 || len(by) == 0 {
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
	q.After, o.After, o.K = nil, nil, everything
	all := sync.OnceValue(func() []oracle.Hit {
		hits, _ := d.trees().Answer(o)
		return hits
	})
	m := d.columnModel
	scores := make([][]any, len(d.docs))
	if scored {
		m.values = maps.Clone(m.values)
		m.values[scoreKey] = scores
	}
	if len(d.docs) > 0 && d.IntN(3) == 0 {
		d.after(&q, by, &m, all)
	}
	hits := sync.OnceValue(func() []oracle.Hit {
		m.score(scores, all())
		return m.page(&q, by, all())
	})
	return q, want{hits, func() []oracle.Hit { return slices.Clone(all()) }, func() (x search.Result) {
		for _, h := range hits() {
			if len(by) > 0 {
				x.Sort = append(x.Sort, m.keys(by, h.Doc))
			}
		}
		for _, c := range facets {
			x.Facets = append(x.Facets, c(all()))
		}
		return x
	}}
}

// after draws where the hits of q begin.
func (d *treeDrawer) after(q *search.Query, by []oracle.SortKey, m *columnModel, all func() []oracle.Hit) {
	doc, before := uint32(d.IntN(len(d.docs))), d.IntN(4) == 0
	var order []schema.Value
	if len(d.order) > 0 && d.IntN(3) == 0 {
		other := uint32(d.IntN(len(d.docs)))
		if slices.ContainsFunc(by, func(k oracle.SortKey) bool { return k.Field == d.order[0].Field }) {
			other = doc // it is among Values, which it must not contradict
		}
		order = d.keys(d.order, other)
	}
	if len(by) > 0 {
		if scores := m.values[scoreKey]; scores != nil {
			scores[doc] = []any{float64(10 * d.Float32())} // unless it matches
			m.score(scores, all())
		}
		q.SortAfter = &search.SortPosition{Values: m.keys(by, doc), Doc: doc, Order: order, Before: before}
		return
	}
	q.After = &search.Position{Doc: doc, Score: 10 * d.Float32(), Order: order, Before: before}
	if d.IntN(2) > 0 && len(all()) > 0 {
		q.After.Score = all()[d.IntN(len(all()))].Score
	}
}

// scoreKey stands for scores among the keys of the oracle, as a column that matches have.
const scoreKey = "_score"

// score sets the scores of hits.
func (m *columnModel) score(scores [][]any, hits []oracle.Hit) {
	for _, h := range hits {
		scores[h.Doc] = []any{float64(h.Score)}
	}
}

// keys returns the values that a document is sorted by.
func (m *columnModel) keys(by []oracle.SortKey, doc uint32) (values []schema.Value) {
	for _, k := range by {
		if k.Field == scoreKey {
			x, _ := m.values.Key(k, doc).(float64)
			values = append(values, schema.FloatValue(0, x))
			continue
		}
		values = append(values, m.value(m.schema.Number(k.Field), m.values.Key(k, doc)))
	}
	return values
}

// page returns the hits of q, of all matches, the best first.
func (m *columnModel) page(q *search.Query, by []oracle.SortKey, hits []oracle.Hit) (page []oracle.Hit) {
	if len(by) > 0 {
		hits = m.values.Sort(hits, slices.Concat(by, m.order))
	}
	if q.Collapse != "" {
		hits = m.values.Collapse(hits, q.Collapse)
	}
	for _, h := range hits {
		if len(by) > 0 && m.values[scoreKey] == nil {
			h.Score = 0
		}
		if len(page) < q.K && m.behind(q, by, h) {
			page = append(page, h)
		}
	}
	return page
}

// behind reports whether a hit is behind the place that the hits of q begin after.
func (m *columnModel) behind(q *search.Query, by []oracle.SortKey, h oracle.Hit) bool {
	switch at := q.SortAfter; {
	case q.After != nil:
		a := q.After
		return h.Score < a.Score || h.Score == a.Score && m.behindTies(h.Doc, a.Doc, a.Order, a.Before)
	case at == nil:
		return true
	default:
		same := !slices.ContainsFunc(by, func(k oracle.SortKey) bool { return m.values.Key(k, h.Doc) != m.values.Key(k, at.Doc) })
		if same {
			return m.behindTies(h.Doc, at.Doc, at.Order, at.Before)
		}
		return m.values.Compare(by, h.Doc, at.Doc) > 0
	}
}

// behindTies reports whether a document is behind a place among hits that are equal otherwise.
func (m *columnModel) behindTies(doc, at uint32, order []schema.Value, before bool) bool {
	switch {
	case len(order) == 0 && before:
		return true
	case len(order) == 0:
		return m.values.Compare(m.order, doc, at) > 0
	}
	i := m.schema.Number(m.order[0].Field)
	own := m.value(i, m.values.Key(m.order[0], doc))
	a, b := fmt.Sprint(own), fmt.Sprint(order[0])
	if a == b {
		return before || doc > at
	}
	for other := range uint32(len(m.values[m.order[0].Field])) { // one that has the value
		if fmt.Sprint(m.value(i, m.values.Key(m.order[0], other))) == b {
			return m.values.Compare(m.order, doc, other) > 0
		}
	}
	panic("a place that no document has")
}
