package sim

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// drawParams draws parameters of BM25.
func drawParams(r *rand.Rand) query.Params {
	return []query.Params{query.DefaultParams(), query.DefaultParams(), {K1: 0.9, B: 0.4}, query.Exactly(0, 0), {K1: 0.9, B: 1}, query.Exactly(3, 0)}[r.IntN(6)]
}

// drawQuery draws a query over terms, and the same for the oracle.
func drawQuery(r *rand.Rand, terms []string, docs int, p query.Params) (search.Query, oracle.Query) {
	q := search.Query{K: 1 + r.IntN(1<<r.IntN(9)), Mode: query.Mode(r.IntN(3)), Algorithm: search.Algorithms()[r.IntN(len(search.Algorithms()))]}
	o := oracle.Query{K: q.K, Mode: oracle.Mode(q.Mode)}
	if r.IntN(6) == 0 { // in place of the searcher's
		q.Params = drawParams(r)
		p = query.Params{K1: cmp.Or(q.Params.K1, p.K1), B: cmp.Or(q.Params.B, p.B)}
	}
	o.K1, o.B = p.Values()
	for range 1 + r.IntN(1<<r.IntN(4)) {
		word := fmt.Sprintf("w%d", r.IntN(1<<(1+r.IntN(8))))
		if len(terms) > 0 && r.IntN(4) == 0 {
			word = terms[r.IntN(len(terms))]
		}
		o.Terms = append(o.Terms, word)
		q.RawTerms = append(q.RawTerms, []byte(word))
	}
	if r.IntN(8) == 0 {
		q.Text, q.RawTerms = strings.Join(o.Terms, " "), nil
	}
	if q.Filter = drawFilter(r, docs); q.Filter != nil {
		o.Filter = q.Filter.Contains
	}
	return q, o
}

// drawFilter draws a filter, often none.
func drawFilter(r *rand.Rand, docs int) *docset.Global {
	if r.IntN(4) > 0 {
		return nil
	}
	var some []uint32
	for range docs >> r.IntN(8) {
		some = append(some, uint32(r.IntN(docs)))
	}
	return docset.GlobalOf(some...)
}

// compare returns how the hits of the engine differ from those of the oracle.
func compare(got []search.Hit, want []oracle.Hit) error {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got) || i >= len(want):
			return fmt.Errorf("%d hits, want %d", len(got), len(want))
		case got[i].Doc != want[i].Doc || math.Float32bits(got[i].Score) != math.Float32bits(want[i].Score):
			return fmt.Errorf("hit %d is %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

// want is what the oracle answers to a query.
type want struct {
	hits    func() []oracle.Hit
	matches func() []oracle.Hit  // all, wherever the hits begin; nil if they depend on how many are wanted
	columns func() search.Result // Sort and Facets; nil if the query asks nothing of columns
}

// everything is more hits than there are.
const everything = math.MaxInt32

// model answers queries.
type model interface {
	// draw draws a query, and returns what answers it.
	draw(r *rand.Rand) (search.Query, want)
}

// plainModel is a model of documents without fields.
type plainModel struct {
	*treeModel
	index  *oracle.Index
	terms  []string
	params query.Params
}

func newPlainModel(docs []oracle.Doc, ids []string, p query.Params) *plainModel {
	f := oracle.Field{Weight: 1, Empty: true}
	f.K1, f.B = p.Values()
	records := make([]oracle.Record, len(docs))
	for i, d := range docs {
		records[i] = oracle.Record{Terms: map[string][]string{"": d.Terms}, Deleted: d.Deleted}
	}
	x := oracle.New(docs)
	trees := newTreeModel([]schema.Field{{Kind: schema.Text, Analyzer: "whitespace"}}, []oracle.Field{f}, records, ids)
	return &plainModel{trees, x, x.Terms(), p}
}

func (m *plainModel) draw(r *rand.Rand) (search.Query, want) {
	if m.tree(r) {
		return m.treeModel.draw(r)
	}
	q, o := drawQuery(r, m.terms, max(len(m.docs), 1), m.params)
	w := want{hits: func() []oracle.Hit { return m.index.Answer(o) }}
	if o.Mode != oracle.AndOr {
		w.matches = func() []oracle.Hit {
			o := o
			o.K = everything
			return m.index.Answer(o)
		}
	}
	return q, w
}

// drawFrom draws a query of m, and what else it may ask for.
func drawFrom(r *rand.Rand, m model) (search.Query, want) {
	q, w := m.draw(r)
	q.Total, q.Trace = w.matches != nil && r.IntN(8) == 0, r.IntN(32) == 0
	return q, w
}

// ask draws n queries and compares the answers of s, which gets them in one batch, with
// those of m. Of some it asks the total, and counts the matches.
func ask(r *rand.Rand, s search.Executor, m model, n int) error {
	batch, wants := make([]search.Query, n), make([]want, n)
	for i := range batch {
		batch[i], wants[i] = drawFrom(r, m)
	}
	got, err := s.Execute(context.Background(), batch)
	if err != nil {
		return err
	}
	for i, q := range batch {
		err := compare(got[i].Hits, wants[i].hits())
		if w := wants[i].columns; err == nil && w != nil {
			err = compareColumns(got[i], w())
		}
		if err == nil && (q.Total || len(q.Facets) > 0) {
			err = count(s, q, got[i].Total, wants[i].matches())
		}
		if err != nil {
			return fmt.Errorf("%q, %q, %v, %+v, k %d after %v, by %v, filter %v, total %v%s: %w", q.Text, q.RawTerms, q.Mode, q.Node, q.K, q.After, q.Algorithm, q.Filter != nil, q.Total, describeColumns(q), err)
		}
	}
	return nil
}

// count returns how a total, and what s counts and lists if it can, differ from the matches of the oracle.
func count(s search.Executor, q search.Query, total uint64, hits []oracle.Hit) error {
	if total != uint64(len(hits)) {
		return fmt.Errorf("the total is %d, want %d", total, len(hits))
	}
	if w, ok := s.(interface{ Unwrap() search.Executor }); ok {
		s = w.Unwrap()
	}
	if c, ok := s.(interface {
		Count(context.Context, search.Query) (uint64, error)
	}); ok {
		if n, err := c.Count(context.Background(), q); err != nil || n != total {
			return fmt.Errorf("counts %d, %v, want %d", n, err, total)
		}
	}
	l, ok := s.(interface {
		Matches(context.Context, search.Query) iter.Seq2[uint32, error]
	})
	if !ok {
		return nil
	}
	slices.SortFunc(hits, func(a, b oracle.Hit) int { return cmp.Compare(a.Doc, b.Doc) })
	q.K = 0
	for doc, err := range l.Matches(context.Background(), q) {
		if err != nil || len(hits) == 0 || doc != hits[0].Doc {
			return fmt.Errorf("match %d, %v, of %d, but %d are to come", doc, err, total, len(hits))
		}
		hits = hits[1:]
	}
	if len(hits) > 0 {
		return fmt.Errorf("%d of %d matches are missing", len(hits), total)
	}
	return nil
}
