package hybrid

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// newColumns returns a Searcher over documents with text, a number, a keyword and a float.
func newColumns(t *testing.T) (*search.Searcher, *reader.Snapshot) {
	t.Helper()
	return newValues(t, &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text},
		{Name: "price", Kind: schema.Integer, Column: true}, {Name: "brand", Kind: schema.Keyword, Column: true}, {Name: "worth", Kind: schema.Float, Column: true}}},
		func(rng *rand.Rand) []schema.Value {
			return []schema.Value{schema.TextValue(0, fmt.Appendf(nil, "w%d w%d", rng.IntN(20), rng.IntN(20))),
				schema.IntegerValue(1, rng.Int64N(100)), schema.KeywordValue(2, fmt.Append(nil, rng.IntN(9))), schema.FloatValue(3, rng.Float64())}
		})
}

// newValues returns a Searcher over documents with values that a function draws.
func newValues(t *testing.T, of *schema.Schema, draw func(*rand.Rand) []schema.Value) (*search.Searcher, *reader.Snapshot) {
	t.Helper()
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: of})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(8, 9))
	for i := range 500 {
		values := draw(rng)
		if err := w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: values}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err := errors.Join(err, index.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); snapshot.Close() })
	return s, snapshot
}

// An index of which no field is indexed is answered, whoever answers.
func TestNoIndexedField(t *testing.T) {
	s, _ := newValues(t, &schema.Schema{Fields: []schema.Field{{Name: "level", Kind: schema.Keyword, Index: schema.IndexNone, Column: true}, {Name: "n", Kind: schema.Integer, Column: true}}},
		func(rng *rand.Rand) []schema.Value {
			return []schema.Value{schema.KeywordValue(0, fmt.Append(nil, rng.IntN(9))), schema.IntegerValue(1, rng.Int64N(100))}
		})
	some := query.Bool{Filter: []query.Node{query.Range{Field: "n", Min: schema.IntegerValue(0, 50)}}}
	queries := []search.Query{{Node: query.All{}, K: 7, Total: true}, {Node: some, K: 300}, {Node: some, K: 9, Sort: []search.SortBy{{Field: "n"}}}, {Node: query.All{}, Facets: []search.Facet{{Field: "level"}}}}
	want, err := s.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	for what, x := range map[string]*Executor{"CPU": newHybrid(t, s, nil, Options{}), "GPU": newHybrid(t, s, &stub{Executor: s}, Options{Mode: OnlyGPU}), "both": newHybrid(t, s, &stub{Executor: s}, Options{})} {
		got, err := x.Execute(t.Context(), queries)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, %v, want %v", what, got, err, want)
		}
		for i, q := range queries {
			if got, err := x.Search(t.Context(), q); err != nil || fmt.Sprint(got) != fmt.Sprint(want[i]) {
				t.Errorf("%s: %+v: %v, %v, want %v", what, q, got, err, want[i])
			}
		}
	}
}

// Queries that want columns get them beside others that do not, whoever answers these.
func TestColumns(t *testing.T) {
	s, _ := newColumns(t)
	rng := rand.New(rand.NewPCG(5, 6))
	for what, x := range map[string]*Executor{"CPU": newHybrid(t, s, nil, Options{}), "GPU": newHybrid(t, s, &stub{Executor: s}, Options{Mode: OnlyGPU})} {
		for _, n := range []int{1, 5, 200} {
			var queries []search.Query
			for range n {
				q := search.Query{Text: fmt.Sprintf("w%d w%d", rng.IntN(20), rng.IntN(20)), Mode: query.Mode(rng.IntN(2)), Total: rng.IntN(3) > 0}
				switch rng.IntN(4) {
				case 0:
					q.Sort = []search.SortBy{{Field: "price", Desc: true}}
				case 1:
					q.Facets = []search.Facet{{Field: "brand"}}
				case 2:
					q.Collapse = "brand"
				}
				queries = append(queries, q)
			}
			want, err := s.Execute(t.Context(), queries)
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.Execute(t.Context(), queries)
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range queries {
				one, err := x.Search(t.Context(), q)
				if err != nil || !same(one, want[i]) || !same(got[i], want[i]) {
					t.Fatalf("%s: %+v: %v, %v, %v, want %v", what, q, one, got[i], err, want[i])
				}
			}
		}
		_, err := x.Execute(t.Context(), []search.Query{{Text: "w1"}, {Text: "w1", Sort: []search.SortBy{{Field: "nosuch"}}}})
		var number *search.NumberError
		if !errors.Is(err, query.ErrInvalid) || !errors.As(err, &number) || number.Number != 1 {
			t.Errorf("%s: sorted by a field that does not exist: %v", what, err)
		}
	}
}

// same compares results, of which those without hits may be nil.
func same(a, b search.Result) bool {
	if len(a.Hits) == 0 && len(b.Hits) == 0 {
		a.Hits, b.Hits = nil, nil
	}
	return reflect.DeepEqual(a, b)
}
