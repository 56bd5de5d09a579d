package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// line returns a Searcher over documents in a line: document i is at i, costs i%3, and has the word even or odd. They are in segments
// of 7; those in deleted are deleted.
func line(t *testing.T, n int, deleted ...int) *search.Searcher {
	t.Helper()
	o := writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "at", Kind: schema.Vector, Dims: 1, Similarity: schema.SimilarityL2},
		{Name: "angle", Kind: schema.Vector, Dims: 2},
		{Name: "cost", Kind: schema.Integer, Column: true},
		{Name: "text", Kind: schema.Text, Analyzer: "simple"},
	}}}
	l := querytest.NewLive(t, o)
	for i := range n {
		word := []string{"even", "odd"}[i%2]
		l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.VectorValue(0, []float32{float32(i)}),
			schema.IntegerValue(2, int64(i%3)), schema.TextValue(3, []byte(word))}}))
		if i%7 == 6 {
			l.Do(l.Flush(t.Context()))
		}
	}
	l.Do(l.Commit(t.Context()))
	for _, i := range deleted {
		l.Do(l.Delete(t.Context(), fmt.Append(nil, i)))
	}
	s, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// matches returns the documents that match a node, in ascending order.
func matches(t *testing.T, s *search.Searcher, n query.Node) (docs []uint32) {
	t.Helper()
	for doc, err := range s.Matches(t.Context(), search.Query{Node: n}) {
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc)
	}
	return docs
}

// What is around a Nearest restricts it before K counts, and nothing else does.
func TestNearestRestricted(t *testing.T) {
	s := line(t, 30, 10, 12)
	near := func(k int) query.Node { return query.Nearest{Field: "at", Vector: []float32{11}, K: k} }
	far := query.Nearest{Field: "at", Vector: []float32{0}, K: 4}
	even, odd := query.Term{Field: "text", Text: "even"}, query.Term{Field: "text", Text: "odd"}
	free := query.Equal("cost", 0)
	type nodes = []query.Node
	for what, c := range map[string]struct {
		n    query.Node
		want []uint32
	}{
		"alone":                      {near(3), []uint32{9, 11, 13}},
		"first of equal ones":        {near(2), []uint32{9, 11}},
		"more than there are":        {near(1000), matches(t, s, query.All{})},
		"filter":                     {query.Bool{Must: nodes{near(3)}, Filter: nodes{free}}, []uint32{9, 15, 6}},
		"filter of words":            {query.Bool{Must: nodes{near(3)}, Filter: nodes{even}}, []uint32{8, 14, 6}},
		"must":                       {query.Bool{Must: nodes{near(3), even}}, []uint32{8, 14, 6}},
		"and":                        {query.And{near(3), even, free}, []uint32{6, 18, 0}},
		"must not":                   {query.Bool{Must: nodes{near(3)}, MustNot: nodes{odd}}, []uint32{8, 14, 6}},
		"must not alone":             {query.Bool{Should: nodes{near(3)}, MustNot: nodes{odd, free}}, []uint32{8, 14, 16}},
		"should":                     {query.Bool{Should: nodes{near(2), query.Const{Node: query.Equal("cost", 5)}}}, []uint32{9, 11}},
		"should, all of which match": {query.Bool{Should: nodes{near(3), even}, AtLeast: 2}, nil},
		"should of a must":           {query.Bool{Must: nodes{near(3)}, Should: nodes{even}, AtLeast: 1}, nil},
		"with a similarity":          {query.Bool{Must: nodes{near(3)}, Should: nodes{even, query.Similarity{Field: "at", Vector: []float32{1}}}, AtLeast: 1}, nil},
		"further up":                 {query.Bool{Must: nodes{query.Bool{Should: nodes{query.Const{Node: near(3)}}}}, Filter: nodes{even}}, []uint32{8, 14, 6}},
		"another":                    {query.And{near(3), far}, nil},
		"another with what must match": {query.And{near(3), query.Bool{Must: nodes{far, free}, Should: nodes{even}}},
			[]uint32{6, 9}}, // near of those that are free: 6, 9, 15; far: 0, 3, 6, 9
		"another with what must not": {query.And{near(4), query.Bool{Must: nodes{far}, MustNot: nodes{odd}}}, []uint32{6}}, // 6, 8, 14, 16; 0, 2, 4, 6
		"alternatives":               {query.Or{near(2), query.And{far, odd}}, []uint32{9, 11, 1, 3, 5, 7}},
		"in a filter":                {query.Bool{Must: nodes{even}, Filter: nodes{near(3)}}, []uint32{8, 14, 6}},
		"best":                       {query.Best{Of: nodes{near(1), query.And{far, even}}}, []uint32{11, 0, 2, 4, 6}},
		"a field without vectors":    {query.Nearest{Field: "angle", Vector: []float32{1, 0}, K: 3}, nil},
	} {
		want := slices.Sorted(slices.Values(c.want))
		if got := matches(t, s, c.n); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
		r, err := s.Search(t.Context(), search.Query{Node: c.n, K: 100, Total: true})
		var got []uint32
		for _, h := range r.Hits {
			got = append(got, h.Doc)
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, want) || int(r.Total) != len(want) {
			t.Errorf("%s: hits %v of %d, want %v, %v", what, got, r.Total, want, err)
		}
	}
}

// A Similarity adds to scores, and matches nothing.
func TestSimilarity(t *testing.T) {
	s := line(t, 30)
	sim := query.Similarity{Field: "at", Vector: []float32{11}}
	even := query.Const{Node: query.Term{Field: "text", Text: "even"}, Score: 1}
	type nodes = []query.Node
	for what, c := range map[string]struct {
		n    query.Node
		hits int
		best search.Hit
	}{
		"should":           {query.Bool{Should: nodes{even, sim}}, 15, search.Hit{Doc: 10, Score: 1.5}},
		"must":             {query.And{even, sim}, 15, search.Hit{Doc: 10, Score: 1.5}},
		"at least":         {query.Bool{Should: nodes{even, query.Term{Field: "text", Text: "odd"}, sim}, AtLeast: 2}, 0, search.Hit{}},
		"a filter":         {query.Bool{Filter: nodes{query.Equal("cost", 2)}, Should: nodes{sim}}, 10, search.Hit{Doc: 11, Score: 1}},
		"within":           {query.And{even, query.Bool{Must: nodes{sim}, Boost: 3}}, 15, search.Hit{Doc: 10, Score: 2.5}},
		"alone":            {sim, 0, search.Hit{}},
		"alone in a bool":  {query.Bool{Must: nodes{sim}}, 0, search.Hit{}},
		"without a vector": {query.And{even, query.Similarity{Field: "angle", Vector: []float32{1, 2}}}, 15, search.Hit{Doc: 0, Score: 1}},
	} {
		r, err := s.Search(t.Context(), search.Query{Node: c.n, K: 100})
		if err != nil || len(r.Hits) != c.hits || len(r.Hits) > 0 && r.Hits[0] != c.best {
			t.Errorf("%s: %d hits %v, want %d, %v first: %v", what, len(r.Hits), r.Hits, c.hits, c.best, err)
		}
		if n, err := s.Count(t.Context(), search.Query{Node: c.n}); err != nil || int(n) != c.hits {
			t.Errorf("%s: %d, want %d: %v", what, n, c.hits, err)
		}
	}
}

func TestNearestRefused(t *testing.T) {
	s := line(t, 3)
	ok := query.Nearest{Field: "at", Vector: []float32{1}, K: 1}
	sim := query.Similarity{Field: "at", Vector: []float32{1}}
	term := query.Term{Field: "text", Text: "even"}
	type nodes = []query.Node
	nan := float32(math.NaN())
	for _, c := range []struct {
		n    query.Node
		want string
	}{
		{query.Nearest{Field: "none", Vector: []float32{1}, K: 1}, `field "none": there is no such field`},
		{query.Nearest{Field: "text", Vector: []float32{1}, K: 1}, `field "text", which is of kind text, not vector`},
		{query.Nearest{Vector: []float32{1}, K: 1}, `field ""`},
		{query.Nearest{Field: "at", Vector: []float32{1, 2}, K: 1}, `field "at": a vector of 2 dimensions, in a field of 1`},
		{query.Nearest{Field: "at", K: 1}, `field "at" has neither Vector nor Text`},
		{query.Nearest{Field: "at", Vector: []float32{nan}, K: 1}, "not finite"},
		{query.Nearest{Field: "at", Vector: []float32{float32(math.Inf(-1))}, K: 1}, "not finite"},
		{query.Nearest{Field: "angle", Vector: []float32{0, 0}, K: 1}, "no direction"},
		{query.Nearest{Field: "at", Vector: []float32{1e30}, K: 1}, "above"},
		{query.Nearest{Field: "at", Vector: []float32{1}}, "K of a Nearest is 0, not from 1 to 65536"},
		{query.Nearest{Field: "at", Vector: []float32{1}, K: query.MaxNearest + 1}, "65537"},
		{query.Nearest{Field: "at", Vector: []float32{1}, K: 1, Boost: -1}, "boost"},
		{query.Bool{Must: nodes{term}, MustNot: nodes{ok}}, "a Nearest within MustNot"},
		{query.And{term, query.Not{Node: query.Or{term, ok}}}, "a Nearest within Not"},
		{query.Similarity{Field: "text", Vector: []float32{1}}, "a Similarity in field \"text\""},
		{query.Similarity{Field: "at", Vector: []float32{nan}}, "not finite"},
		{query.Bool{Must: nodes{term}, Filter: nodes{sim}}, "a Similarity where nothing scores"},
		{query.Bool{Must: nodes{term}, MustNot: nodes{sim}}, "a Similarity where nothing scores"},
		{query.Const{Node: query.And{term, sim}}, "a Similarity where nothing scores"},
		{query.Best{Of: nodes{term, sim}}, "a Similarity in Of"},
	} {
		if _, err := s.Search(t.Context(), search.Query{Node: c.n}); !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.n, err, c.want)
		}
	}
	if err := writer.CheckWhere(shelfSchema(), ok); !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), "query.Nearest") {
		t.Errorf("deletes by a Nearest: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Search(ctx, search.Query{Node: ok}); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that is over: %v", err)
	}
}

// Whatever is asked of the matches of a Nearest is what is asked of the same documents as a filter; with scores, pages follow one another.
func TestNearestAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	docs := books(rng, 2000)
	snapshot := denseLibrary(t, writer.Options{}, docs, 900, true).Snapshot()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	executors := []search.Executor{s}
	for m := range pool.FineGrained + 1 {
		p, err := pool.New(s, pool.Options{Workers: 3, Model: m, TaskPostings: 64})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		executors = append(executors, p)
	}
	r := &treeDrawer{Rand: rng, docs: docs}
	for range 60 {
		n, _ := r.nearest()
		all := query.Bool{Must: []query.Node{n}, Filter: []query.Node{query.AtLeast("cost", rng.IntN(900)-100)}}
		found := matches(t, s, all)
		some := query.Bool{Filter: []query.Node{query.DocsOf(slices.Values(found))}}
		for _, q := range []search.Query{
			{Sort: []search.SortBy{{Field: "cost"}}, Total: true},
			{Facets: []search.Facet{{Field: "tag", Limit: 5}}, Sort: []search.SortBy{{Field: "rank"}}},
			{Sort: []search.SortBy{{Field: "cost"}}, Collapse: "tag"},
		} {
			q.Node, q.K = some, 20
			want, err := s.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			q.Node = all
			for _, x := range executors {
				if got, err := x.Execute(t.Context(), []search.Query{q}); err != nil || !reflect.DeepEqual(got[0], want) {
					t.Fatalf("%T: %+v, want %+v, %v", x, got, want, err)
				}
			}
		}
		whole, err := s.Search(t.Context(), search.Query{Node: all, K: len(docs)})
		if err != nil || len(whole.Hits) != len(found) {
			t.Fatalf("%d hits, %d matches, %v", len(whole.Hits), len(found), err)
		}
		var pages []search.Hit
		q := search.Query{Node: all, K: 7}
		for {
			p, err := s.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Hits) == 0 {
				break
			}
			pages = append(pages, p.Hits...)
			last := p.Hits[len(p.Hits)-1]
			q.After = &search.Position{Score: last.Score, Doc: last.Doc}
		}
		if !slices.Equal(pages, whole.Hits) {
			t.Fatalf("pages: %v, want %v", pages, whole.Hits)
		}
	}
}

// A Nearest alone finds what brute force does.
func TestNearestAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	for _, several := range []bool{false, true} {
		docs := books(rng, 3000)
		s, err := search.NewSearcher(denseLibrary(t, writer.Options{}, docs, 1300, several).Snapshot(), search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		truth := oracle.NewTrees(oracle.NewRecords(shelvedDense(), docs))
		r := &treeDrawer{Rand: rng, docs: docs}
		for range 100 {
			n, own := r.nearest()
			want, _ := truth.Answer(oracle.TreeQuery{Root: own, K: len(docs)})
			got, err := s.Search(t.Context(), search.Query{Node: n, K: len(docs)})
			if err != nil || !slices.EqualFunc(got.Hits, want, func(a search.Hit, b oracle.Hit) bool { return oracle.Hit(a) == b }) {
				t.Fatalf("several %v, %v: %v\n%v\n%v", several, n, err, got.Hits[:min(10, len(got.Hits))], want[:min(10, len(want))])
			}
		}
	}
}
