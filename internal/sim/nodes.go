package sim

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// model returns the model of what was seen, for a Searcher with parameters.
func (o *observation) model(p query.Params) model {
	if o.schema == nil {
		return newPlainModel(o.docs, o.ids, p)
	}
	return newFieldModel(o.schema, o.records, o.values, o.order, o.ids, p)
}

// fieldModel is a model of documents with fields.
type fieldModel struct{ *treeModel }

func newFieldModel(s *schema.Schema, docs []oracle.Record, values oracle.Values, order []oracle.SortKey, ids []string, p query.Params) fieldModel {
	var indexed, dense []schema.Field
	var fields []oracle.Field
	for _, f := range s.Fields {
		if f.Kind == schema.Vector {
			dense, fields = append(dense, f), append(fields, oracle.Field{Name: f.Name, Lengths: oracle.None, Similarity: f.Similarity.String(), Coded: f.Values == schema.Int8})
		}
		if f.Indexing() == schema.IndexNone {
			continue
		}
		own := query.Params{K1: f.K1, B: f.B}
		if p.K1 != 0 {
			own.K1 = p.K1
		}
		if p.B != 0 {
			own.B = p.B
		}
		x := oracle.Field{Name: f.Name, Weight: f.Boost}
		x.K1, x.B = own.Values()
		if x.Weight == 0 {
			x.Weight = 1
		}
		switch {
		case f.HasImpacts():
			x.Lengths, x.Scale = oracle.None, f.Step()
		case f.Kind == schema.Keyword, f.Index == schema.IndexDocs:
			x.Lengths = oracle.None
		case f.Lengths == schema.LengthsByte:
			x.Lengths = oracle.Bytes
		}
		indexed, fields = append(indexed, f), append(fields, x)
	}
	m := fieldModel{newTreeModel(indexed, fields, docs, ids)}
	m.dense = dense
	m.lexical = slices.DeleteFunc(slices.Clone(indexed), func(f schema.Field) bool { return f.HasImpacts() })
	m.columnModel = newColumnModel(s, values, len(docs))
	if m.order = order; len(order) > 0 {
		m.KeepOrder(m.values, order[0])
	}
	return m
}

func (m fieldModel) draw(r *rand.Rand) (search.Query, want) {
	if len(m.lexical) == 0 || m.tree(r) {
		return m.treeModel.draw(r)
	}
	q := search.Query{K: 1 + r.IntN(1<<r.IntN(9)), Algorithm: search.Algorithms()[r.IntN(len(search.Algorithms()))]}
	d := &nodeDrawer{treeModel: m.treeModel, r: r, query: oracle.LeafQuery{K: q.K}}
	either := false // the answer is that of All, if it has K hits
	switch r.IntN(4) {
	case 0:
		d.query.All = true
		q.Node = d.all()
	case 1:
		n := d.match(m.lexical[r.IntN(len(m.lexical))])
		n.Mode = query.ModeAndOr
		q.Node, either = n, true
	default:
		q.Node = d.any()
	}
	if q.Filter = drawFilter(r, max(len(m.docs), 1)); q.Filter != nil {
		d.query.Filter = q.Filter.Contains
	}
	o := d.query
	if either {
		return q, want{hits: func() []oracle.Hit {
			o.All = true
			if hits := m.Answer(o); len(hits) == o.K {
				return hits
			}
			o.All = false
			return m.Answer(o)
		}}
	}
	if r.IntN(3) == 0 {
		before := o
		before.K = 1 + r.IntN(o.K)
		if hits := m.Answer(before); len(hits) > 0 {
			last := hits[len(hits)-1]
			q.After, o.After = &search.Position{Score: last.Score, Doc: last.Doc}, &last
		}
	}
	return q, want{hits: func() []oracle.Hit { return m.Answer(o) }, matches: func() []oracle.Hit {
		o := o
		o.K, o.After = everything, nil
		return m.Answer(o)
	}}
}

// nodeDrawer draws nodes, and collects what they are for the oracle.
type nodeDrawer struct {
	*treeModel
	r      *rand.Rand
	query  oracle.LeafQuery
	blends int
}

func (d *nodeDrawer) boost() float64 {
	return []float64{0, 0, 1, 0.5, 7, query.MaxBoost, 1e-30}[d.r.IntN(7)]
}

// term draws a term of a field.
func (d *nodeDrawer) term(f schema.Field) string { return d.word(d.r, &f) }

func (d *nodeDrawer) add(f schema.Field, boost float64, words ...string) {
	if boost == 0 {
		boost = 1
	}
	for _, w := range words {
		d.query.Leaves = append(d.query.Leaves, oracle.Leaf{Field: f.Name, Term: w, Boost: boost})
	}
}

func (d *nodeDrawer) leaf(f schema.Field) query.Term {
	n := query.Term{Field: f.Name, Text: d.term(f), Boost: d.boost()}
	d.add(f, n.Boost, n.Text)
	return n
}

// match draws words in a field.
func (d *nodeDrawer) match(f schema.Field) query.Match {
	words := []string{d.term(f)}
	for range d.r.IntN(1 << d.r.IntN(4)) {
		words = append(words, d.term(f))
	}
	n := query.Match{Field: f.Name, Text: strings.Join(words, " "), Boost: d.boost()}
	d.add(f, n.Boost, terms(&f, []any{n.Text})...)
	if d.r.IntN(4) == 0 && f.Kind == schema.Text { // the same by Fields
		n.Field, n.Fields = "", []string{f.Name}
		if d.r.IntN(2) == 0 {
			n.Fields[0] += "^" + strconv.FormatFloat(f.Factor(), 'g', -1, 64)
		}
	}
	return n
}

// prefix draws a prefix that scores each of its terms in a field.
func (d *nodeDrawer) prefix(f schema.Field) query.Node {
	term := d.term(f)
	n := query.Prefix{Field: f.Name, Text: strings.ToLower(term), Boost: d.boost(), Scored: true}
	for i := range n.Text {
		if n.Text[i] >= utf8.RuneSelf || n.Text != term { // folding may change it
			n.Text = "w"
			break
		}
	}
	n.Text = n.Text[:1+d.r.IntN(len(n.Text))]
	words := slices.DeleteFunc(d.Terms(f.Name), func(w string) bool { return !strings.HasPrefix(w, n.Text) })
	if len(words) > query.MaxScored {
		return d.leaf(f)
	}
	d.blends++
	for _, w := range words {
		d.add(f, n.Boost, w)
		d.query.Leaves[len(d.query.Leaves)-1].Blend = d.blends
	}
	return n
}

// all draws nodes that must match, in one field.
func (d *nodeDrawer) all() query.Node {
	f := d.lexical[d.r.IntN(len(d.lexical))]
	var nodes []query.Node
	for range 1 + d.r.IntN(3) {
		if d.r.IntN(2) == 0 {
			nodes = append(nodes, d.leaf(f))
			continue
		}
		n := d.match(f)
		n.Mode = query.ModeAnd
		nodes = append(nodes, n)
	}
	return query.Bool{Must: nodes}
}

// any draws nodes of which one must match, in any fields.
func (d *nodeDrawer) any() query.Node {
	var nodes []query.Node
	for range 1 + d.r.IntN(4) {
		f := d.lexical[d.r.IntN(len(d.lexical))]
		switch d.r.IntN(7) {
		case 0, 1:
			nodes = append(nodes, d.leaf(f))
		case 2, 3:
			nodes = append(nodes, d.match(f))
		case 4:
			nodes = append(nodes, d.prefix(f))
		default:
			nodes = append(nodes, query.Bool{Should: []query.Node{d.leaf(f), d.match(f)}})
		}
	}
	return query.Bool{Should: nodes}
}
