package search_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// static draws static scores.
func (r *treeDrawer) static() (*search.Static, *oracle.Static) {
	weights := r.weights
	if weights == nil {
		weights = []float64{0, 0.01, 1, 3, 50}
	}
	w := weights[r.IntN(len(weights))]
	s := &search.Static{Field: "worth", Boost: w, Multiply: r.IntN(2) == 0}
	return s, &oracle.Static{Values: shaped(r.Rand, s, r.ranks), Weight: cmp.Or(w, 1), Multiply: s.Multiply}
}

// shaped draws what s counts in place of values, and returns that.
func shaped(rng *rand.Rand, s *search.Static, values [][]float64) [][]float64 {
	of := func(v float64) float64 { return v }
	scale := []float64{0.01, 1, 7.3, 400}[rng.IntN(4)]
	switch rng.IntN(5) {
	case 0:
		s.Saturation = scale
		of = func(v float64) float64 { return v / (v + scale) }
	case 1:
		s.Decay = scale
		from := 0.0
		if rng.IntN(2) == 0 {
			from = []float64{-1, 0.5, 3, 1000}[rng.IntN(4)]
			s.From = from
		}
		of = func(v float64) float64 { return scale / (scale + math.Abs(v-from)) }
	}
	all := make([][]float64, len(values))
	for d := range values {
		for _, v := range values[d] {
			all[d] = append(all[d], of(v))
		}
	}
	return all
}

// ranks draws values of documents: most are small, and those of some stretches of documents smaller.
func ranks(rng *rand.Rand, docs int) [][]float64 {
	all := make([][]float64, docs)
	for d := range all {
		for range []int{0, 1, 1, 1, 1, 1, 1, 3}[rng.IntN(8)] {
			v := min(1/math.Sqrt(rng.Float64()+1e-9)-1, 1000)
			if d/3000%2 == 0 {
				v /= 16
			}
			all[d] = append(all[d], v)
		}
	}
	return all
}

// ranked returns an index of docs with a column of ranks.
func ranked(t *testing.T, docs []oracle.Record, ranks [][]float64, flush int) *querytest.Live {
	s := shelfSchema()
	n := len(s.Fields)
	s.Fields = append(s.Fields, schema.Field{Name: "worth", Kind: schema.Float, Column: true})
	return libraryOf(t, writer.Options{Schema: withVectors(s)}, docs, 0, flush, func(d int) (v []schema.Value) {
		for _, x := range ranks[d] {
			v = append(v, schema.FloatValue(n, x))
		}
		return v
	})
}

// Queries with static scores give the hits of the oracle to the bit, by every algorithm and executor, with deleted
// documents, filters, pages, several segments, and after merges.
func TestStatic(t *testing.T) {
	longtest.Once(t)
	n := min(longtest.Count(120, 480), *manyTrees)
	rng := rand.New(rand.NewPCG(36, 6))
	for _, c := range []struct{ docs, flush, queries int }{{300, 110, n * 3 / 4}, {10_000, 4500, n / 4}} {
		docs := books(rng, c.docs)
		r := &treeDrawer{Rand: rng, dots: true, ranks: ranks(rng, c.docs)}
		for d := range docs {
			r.ids = append(r.ids, fmt.Append(nil, d))
		}
		l := ranked(t, docs, r.ranks, c.flush)
		r.agree(t, l.Snapshot(), docs, c.queries/2)
		r.agreeFlat(t, l.Snapshot(), docs, c.queries/4)
		l.MergeAll()
		var live []oracle.Record
		for d := range docs {
			if !docs[d].Deleted {
				r.ids[len(live)], r.ranks[len(live)] = r.ids[d], r.ranks[d]
				live = append(live, docs[d])
			}
		}
		r.ids, r.ranks, r.probed = r.ids[:len(live)], r.ranks[:len(live)], true
		r.agree(t, l.Snapshot(), live, c.queries/2)
		r.agreeFlat(t, l.Snapshot(), live, c.queries/4)
	}
}

// Where few documents have great static scores, these are considered first, and no document twice.
func TestStaticTops(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(36, 8))
	r := &treeDrawer{Rand: rng, weights: []float64{0.7, 1, 3}, words: 12}
	docs := make([]oracle.Record, 20_000)
	for d := range docs {
		var words []string
		for range 1 + rng.IntN(4) {
			words = append(words, r.word())
		}
		docs[d] = oracle.Record{Terms: map[string][]string{"body": words}, Deleted: rng.IntN(50) == 0}
		rank := rng.ExpFloat64() / 5
		if rng.IntN(100) == 0 {
			rank = 2 + rng.Float64()/10
		}
		r.ranks = append(r.ranks, []float64{rank})
	}
	r.agreeFlat(t, ranked(t, docs, r.ranks, len(docs)).Snapshot(), docs, 60)
}

// agreeFlat is agree for words of which one or all must match.
func (r *treeDrawer) agreeFlat(t *testing.T, snapshot *reader.Snapshot, docs []oracle.Record, queries int) {
	t.Helper()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	truth := oracle.NewTrees(oracle.NewRecords(shelved(), docs))
	for i := range queries {
		var words []string
		var own []*oracle.Node
		for range 1 + r.IntN(4) {
			if w := r.word(); !slices.Contains(words, w) {
				words, own = append(words, w), append(own, &oracle.Node{Field: "body", Term: w})
			}
		}
		q := search.Query{K: []int{1, 10, 100}[r.IntN(3)], Total: true}
		o := oracle.TreeQuery{K: len(docs), Root: &oracle.Node{Kind: oracle.Bool, Should: own}}
		mode := query.Mode(i % 2)
		if mode == query.ModeAnd {
			o.Root.Must, o.Root.Should = own, nil
		}
		q.Node = query.Match{Field: "body", Text: strings.Join(words, " "), Mode: mode}
		q.Static, o.Static = r.static()
		all, _ := truth.Answer(o)
		if r.IntN(4) == 0 {
			some := &docset.Bits{}
			for d := range docs {
				if r.IntN(3) > 0 {
					some.Add(uint32(d))
				}
			}
			q.Filter = docset.NewGlobal(some.Set())
			all = slices.DeleteFunc(all, func(h oracle.Hit) bool { return !q.Filter.Contains(h.Doc) })
		}
		want := all
		if r.IntN(4) == 0 && len(all) > 0 {
			i := r.IntN(min(len(all), 200))
			q.After = &search.Position{Doc: all[i].Doc, Score: all[i].Score}
			want = all[i+1:]
		}
		want = want[:min(len(want), q.K)]
		for a := search.Auto; a <= search.BlockMaxAnd; a++ {
			q.Algorithm = a
			got, err := s.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if got.Total != uint64(len(all)) || !slices.EqualFunc(got.Hits, want, func(a search.Hit, b oracle.Hit) bool { return oracle.Hit(a) == b }) {
				t.Fatalf("%v by %v, K %d, static %+v: %d hits of %d %v\nwant %d of %d %v", q.Node, a, q.K, q.Static,
					len(got.Hits), got.Total, got.Hits[:min(8, len(got.Hits))], len(want), len(all), want[:min(8, len(want))])
			}
		}
	}
}

// Static scores count in the hits of AndOr, and do not change which documents match.
func TestStaticAndOr(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 7))
	docs := books(rng, 500)
	l := ranked(t, docs, ranks(rng, 500), 200)
	s, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 60 {
		text := fmt.Sprintf("w%d w%d", i, i/2+1)
		q := search.Query{K: 8, Static: &search.Static{Field: "worth"}}
		var hits [3][]search.Hit
		for m := range hits {
			q.Node = query.Match{Field: "body", Text: text, Mode: query.Mode(m)}
			got, err := s.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			hits[m] = got.Hits
		}
		want := hits[query.ModeOr]
		if len(hits[query.ModeAnd]) == q.K {
			want = hits[query.ModeAnd]
		}
		if !slices.Equal(hits[query.ModeAndOr], want) {
			t.Errorf("%s: %v, want %v", text, hits[query.ModeAndOr], want)
		}
	}
}

// A column with values that give no static scores is an error that names the field and the value.
func TestStaticValues(t *testing.T) {
	for _, c := range []struct {
		value, weight float64
		want          string
	}{{-0.5, 1, "-0.5"}, {1e300, 1, "1e+300"}, {1e37, 1e3, "1e+37"}, {math.Copysign(0, -1), 1, ""}, {1e37, 1, ""}} {
		l := ranked(t, []oracle.Record{{Terms: map[string][]string{"body": {"a"}}}}, [][]float64{{c.value}}, 1)
		s, err := search.NewSearcher(l.Snapshot(), search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Search(t.Context(), search.Query{Text: "a", Static: &search.Static{Field: "worth", Boost: c.weight}})
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), `"worth"`) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v with weight %v: %v, want one of %q", c.value, c.weight, err, c.want)
		}
		s.Close()
	}
}

// A product is of the whole score, with its constants, is at most the greatest float32, and a document without a value keeps its score.
func TestStaticProduct(t *testing.T) {
	doc := oracle.Record{Terms: map[string][]string{"body": {"a"}}}
	l := ranked(t, []oracle.Record{doc, doc, doc, doc}, [][]float64{{0.5}, nil, {1e38}, {1.5e38, 2}}, 4)
	s, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	constant := query.Const{Node: query.Term{Field: "body", Text: "a"}, Score: 1000}
	for _, c := range []struct {
		node query.Node
		want []float32 // of documents 2, 3, 0 and 1
	}{
		{query.All{Score: 3}, []float32{3e38, math.MaxFloat32, 4.5, 3}},
		{constant, []float32{math.MaxFloat32, math.MaxFloat32, 1500, 1000}},
		{query.Bool{Should: []query.Node{query.All{Score: 5}, constant}}, []float32{math.MaxFloat32, math.MaxFloat32, 1507.5, 1005}},
	} {
		got, err := s.Search(t.Context(), search.Query{Node: c.node, Static: &search.Static{Field: "worth", Multiply: true}})
		if err != nil || len(got.Hits) != 4 {
			t.Fatalf("%v: %v, %v", c.node, got.Hits, err)
		}
		for _, h := range got.Hits {
			if want := c.want[[]int{2, 3, 0, 1}[h.Doc]]; math.Abs(float64(h.Score-want)) > 1e-6*float64(want) {
				t.Errorf("%v: document %d scores %v, want %v", c.node, h.Doc, h.Score, want)
			}
		}
	}
}
