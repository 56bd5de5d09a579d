package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// denseFields are the fields of vectors of the tests.
var denseFields = []schema.Field{
	{Name: "angle", Kind: schema.Vector, Dims: 19},
	{Name: "product", Kind: schema.Vector, Dims: 33, Similarity: schema.SimilarityDot, Values: schema.Float16},
	{Name: "place", Kind: schema.Vector, Dims: 6, Similarity: schema.SimilarityL2, Values: schema.Float16},
	{Name: "angle codes", Kind: schema.Vector, Dims: 70, Values: schema.Int8},
	{Name: "product codes", Kind: schema.Vector, Dims: 21, Similarity: schema.SimilarityDot, Values: schema.Int8},
	{Name: "place codes", Kind: schema.Vector, Dims: 5, Similarity: schema.SimilarityL2, Values: schema.Int8},
}

// denseVector draws a vector: most values are small integers, so that documents are equally near.
func denseVector(rng *rand.Rand, f *schema.Field) []float32 {
	v := make([]float32, f.Dims)
	whole, scale := rng.IntN(2) == 0, rng.NormFloat64()*3
	for i := range v {
		if x := rng.NormFloat64(); !whole {
			v[i] = float32(x * scale)
		} else if f.Dims < 10 || rng.IntN(4) == 0 {
			v[i] = float32(int(x))
		}
	}
	if f.Similarity == schema.SimilarityCosine {
		v[rng.IntN(len(v))] = 1
	}
	return v
}

// placeIn gives a document vectors, which depend on its number only, and returns their values: none, one or several in a field.
func placeIn(s *schema.Schema, doc *oracle.Record, d int, several bool) (all []schema.Value) {
	rng := rand.New(rand.NewPCG(uint64(d), 5))
	if doc.Vectors == nil {
		doc.Vectors = map[string][][]float32{}
	}
	for i := range denseFields {
		f := &denseFields[i]
		n := 1
		if several {
			n = []int{0, 1, 1, 1, 2, 5}[rng.IntN(6)]
		}
		for range n {
			v := denseVector(rng, f)
			kept := v
			switch f.Values {
			case schema.Float16:
				kept = oracle.Halves(v)
			case schema.Int8:
				kept = oracle.Coded(v)
			}
			doc.Vectors[f.Name] = append(doc.Vectors[f.Name], kept)
			all = append(all, schema.VectorValue(s.Number(f.Name), v))
		}
	}
	return all
}

// denseLibrary is library with fields of vectors.
func denseLibrary(t *testing.T, o writer.Options, docs []oracle.Record, flush int, several bool) *querytest.Live {
	t.Helper()
	return denseLibraryFrom(t, o, docs, 0, flush, several)
}

// denseLibraryFrom is denseLibrary with documents whose numbers begin at first.
func denseLibraryFrom(t *testing.T, o writer.Options, docs []oracle.Record, first, flush int, several bool) *querytest.Live {
	t.Helper()
	o.Schema = withVectors(shelfSchema())
	o.Schema.Fields = append(o.Schema.Fields, denseFields...)
	return libraryOf(t, o, docs, first, flush, func(d int) []schema.Value { return placeIn(o.Schema, &docs[d], d, several) })
}

// shelvedDense are the fields of denseLibrary for the oracle.
func shelvedDense() []oracle.Field {
	all := shelved()
	for i := range denseFields {
		all = append(all, oracle.Field{Name: denseFields[i].Name, Lengths: oracle.None, Similarity: denseFields[i].Similarity.String(), Coded: denseFields[i].Values == schema.Int8})
	}
	return all
}

// nearest draws a Nearest.
func (r *treeDrawer) nearest() (query.Node, *oracle.Node) {
	f := &denseFields[r.IntN(len(denseFields))]
	n := query.Nearest{Field: f.Name, Vector: r.near(f), K: []int{1, 3, 10, 50, 1000}[r.IntN(5)], Boost: r.boost()}
	return n, &oracle.Node{Kind: oracle.Nearest, Field: n.Field, Vector: n.Vector, K: n.K, Boost: n.Boost}
}

// similarity draws a Similarity, or none.
func (r *treeDrawer) similarity() (query.Node, *oracle.Node) {
	if !r.dense || r.quiet > 0 || r.IntN(3) > 0 {
		return nil, nil
	}
	f := &denseFields[r.IntN(len(denseFields))]
	n := query.Similarity{Field: f.Name, Vector: r.near(f), Boost: r.boost()}
	return n, &oracle.Node{Kind: oracle.Similarity, Field: n.Field, Vector: n.Vector, Boost: n.Boost}
}

// near draws a vector, often one that a document has.
func (r *treeDrawer) near(f *schema.Field) []float32 {
	if own := r.docs[r.IntN(len(r.docs))].Vectors[f.Name]; len(own) > 0 && r.IntN(2) == 0 {
		return own[0]
	}
	return denseVector(r.Rand, f)
}

// Random trees with Nearest and Similarity give the hits of the oracle to the bit, as those of TestTrees do.
func TestTreesNear(t *testing.T) {
	n := *manyTrees / 2
	rng := rand.New(rand.NewPCG(61, *treesSeed))
	for _, c := range []struct {
		docs, flush, trees int
		several            bool
	}{{250, 90, n * 8 / 10, true}, {1500, 700, n / 10, false}, {4000, 1700, n / 10, true}} {
		docs := books(rng, c.docs)
		l := denseLibrary(t, writer.Options{}, docs, c.flush, c.several)
		r := &treeDrawer{Rand: rng, dots: true, dense: true, probed: true, fields: shelvedDense}
		for d := range docs {
			r.ids = append(r.ids, fmt.Append(nil, d))
		}
		r.agree(t, l.Snapshot(), docs, c.trees/2)
		l.MergeAll()
		var live []oracle.Record
		for d := range docs {
			if !docs[d].Deleted {
				r.ids[len(live)] = r.ids[d]
				live = append(live, docs[d])
			}
		}
		r.ids = r.ids[:len(live)]
		r.agree(t, l.Snapshot(), live, c.trees/2)
	}
}

// Documents whose products are 2^90 times the scores of others are no reason to miss one of these: what the others add at most
// does not get lost beside the bound of the field.
func TestNearFar(t *testing.T) {
	o := writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "p", Kind: schema.Vector, Dims: 2, Similarity: schema.SimilarityDot}}}}
	rng, l := rand.New(rand.NewPCG(63, 1)), querytest.NewLive(t, o)
	var docs []oracle.Record
	for i := range 120 {
		v := []float32{rng.Float32() * 9, rng.Float32()}
		if i%8 == 5 {
			v = []float32{-schema.MaxNorm, 0}
		}
		docs = append(docs, oracle.Record{Vectors: map[string][][]float32{"p": {v}}})
		l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.VectorValue(0, v)}}))
		if i%30 == 29 {
			l.Do(l.Flush(t.Context()))
		}
	}
	s, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	truth := oracle.NewTrees(oracle.NewRecords([]oracle.Field{{Name: "p", Lengths: oracle.None, Similarity: "dot"}}, docs))
	for range 200 {
		b, own := query.Bool{Should: []query.Node{query.All{Score: 0.5}}}, &oracle.Node{Kind: oracle.Bool, Should: []*oracle.Node{{Kind: oracle.All, Score: 0.5}}}
		for range 1 + rng.IntN(3) {
			v, boost := []float32{rng.Float32()*2 - 0.5, rng.Float32()}, []float64{1, 0.01, 4}[rng.IntN(3)]
			if rng.IntN(2) == 0 {
				b.Should = append(b.Should, query.Similarity{Field: "p", Vector: v, Boost: boost})
				own.Should = append(own.Should, &oracle.Node{Kind: oracle.Similarity, Field: "p", Vector: v, Boost: boost})
			} else {
				k := 1 + rng.IntN(100)
				b.Should = append(b.Should, query.Nearest{Field: "p", Vector: v, K: k, Boost: boost})
				own.Should = append(own.Should, &oracle.Node{Kind: oracle.Nearest, Field: "p", Vector: v, K: k, Boost: boost})
			}
		}
		q := search.Query{Node: b, K: 1 + rng.IntN(20)}
		want, _ := truth.Answer(oracle.TreeQuery{Root: own, K: q.K})
		got, err := s.Search(t.Context(), q)
		if err != nil || !slices.EqualFunc(got.Hits, want, func(a search.Hit, b oracle.Hit) bool { return oracle.Hit(a) == b }) {
			t.Fatalf("%v, k %d: %v\n%v\n%v", b, q.K, err, got.Hits, want)
		}
	}
}
