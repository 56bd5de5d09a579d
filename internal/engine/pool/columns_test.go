package pool

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// columnsIndex returns a searcher over segments of many blocks with columns, of which one is in the order of documents.
func columnsIndex(t *testing.T, rng *rand.Rand) *search.Searcher {
	l := querytest.NewLive(t, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Analyzer: "simple", Index: schema.IndexFreqs},
		{Name: "price", Kind: schema.Integer, Column: true},
		{Name: "added", Kind: schema.Integer, Column: true},
		{Name: "rank", Kind: schema.Float, Column: true},
		{Name: "brand", Kind: schema.Keyword, Column: true},
		{Name: "tags", Kind: schema.Keyword, Column: true},
	}}})
	for d := range 76_000 {
		values := []schema.Value{schema.TextValue(0, fmt.Appendf(nil, "all w%d v%d", rng.IntN(3), rng.IntN(3000))), schema.IntegerValue(2, int64(d/3))}
		if rng.IntN(20) > 0 {
			values = append(values, schema.IntegerValue(1, int64(rng.IntN(1<<30))), schema.FloatValue(3, float64(rng.IntN(1000))/500),
				schema.KeywordValue(4, fmt.Appendf(nil, "brand %d", rng.IntN(1+d/1000))))
		}
		for range rng.IntN(3) {
			values = append(values, schema.KeywordValue(5, fmt.Appendf(nil, "tag %d", rng.IntN(30))))
		}
		l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: values}))
		if d == 70_999 {
			l.Do(l.Flush(t.Context()))
		}
	}
	l.Do(l.Commit(t.Context()))
	s, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// drawColumns draws a query that wants columns.
func drawColumns(rng *rand.Rand) (q search.Query) {
	words := []string{"all", "w0", "w1", "w0 w1", "w1 v7", "v7 v8 v9", "v12"}
	m := query.Match{Field: "text", Text: words[rng.IntN(len(words))], Mode: query.Mode(rng.IntN(2))}
	q.Node = []query.Node{m, m, query.All{}, query.Bool{Must: []query.Node{m}, MustNot: []query.Node{query.Match{Field: "text", Text: "w2"}}}}[rng.IntN(4)]
	if rng.IntN(3) == 0 {
		f := query.Range{Field: "added", Min: schema.IntegerValue(0, 3000), Max: schema.IntegerValue(0, 20_000)}
		if rng.IntN(2) == 0 {
			f = query.Range{Field: "price", Min: schema.IntegerValue(0, 1<<28)}
		}
		q.Node = query.Bool{Must: []query.Node{q.Node}, Filter: []query.Node{f}}
	}
	q.K, q.Total = []int{1, 10, 200}[rng.IntN(3)], rng.IntN(2) == 0
	switch rng.IntN(3) {
	case 0:
		q.Static = &search.Static{Field: "rank", Boost: 1 + rng.Float64(), Multiply: rng.IntN(2) == 0}
	case 1:
		for _, f := range rng.Perm(4)[:1+rng.IntN(2)] {
			q.Sort = append(q.Sort, search.SortBy{Field: []string{"price", "added", "brand", "tags"}[f], Desc: rng.IntN(2) == 0})
		}
	}
	if rng.IntN(3) == 0 {
		q.Collapse = []string{"brand", "tags", "price"}[rng.IntN(3)]
	}
	if rng.IntN(2) == 0 {
		q.Facets = []search.Facet{{Field: "brand"}, {Field: "tags", Limit: 3}, {Field: "added", Width: 1000},
			{Field: "price", Ranges: []query.Range{{Max: schema.IntegerValue(0, 1<<28)}, {Min: schema.IntegerValue(0, 1<<27)}}}}[rng.IntN(3):]
	}
	return q
}

// after returns the query of the page after a result.
func after(q search.Query, r search.Result) search.Query {
	n := len(r.Hits) - 1
	if len(q.Sort) > 0 {
		q.SortAfter = &search.SortPosition{Values: r.Sort[n], Doc: r.Hits[n].Doc}
	} else {
		q.After = &search.Position{Score: r.Hits[n].Score, Doc: r.Hits[n].Doc}
	}
	return q
}

// Every model sorts, counts, collapses and adds static scores as one goroutine does, page after page.
func TestPoolColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 37))
	s := columnsIndex(t, rng)
	n := longtest.Count(40, 80)
	var queries []search.Query
	var want []string
	for len(queries) < n {
		q := drawColumns(rng)
		r, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) > 0 && rng.IntN(3) == 0 {
			q = after(q, r)
			if r, err = s.Search(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		queries, want = append(queries, q), append(want, fmt.Sprint(r))
	}
	for m := range FineGrained + 1 {
		p, err := New(s, Options{Workers: 3, Model: m})
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.Execute(t.Context(), queries)
		if err != nil {
			t.Fatal(err)
		}
		before := p.Counts()
		for i, q := range queries {
			r, err := p.Search(t.Context(), q)
			if got := fmt.Sprint(r); err != nil || got != want[i] || fmt.Sprint(all[i]) != want[i] {
				t.Fatalf("%v: %+v: %v\n got %.600s\n and %.600s\nwant %.600s", m, q, err, got, fmt.Sprint(all[i]), want[i])
			}
		}
		if n := p.Counts(); m != Inter && n.Tasks-before.Tasks < (n.Passes-before.Passes)*3/2 {
			t.Errorf("%v: %d passes in %d tasks", m, n.Passes-before.Passes, n.Tasks-before.Tasks)
		}
		checkInvalid(t, s, p)
		p.Close()
	}
}

// checkInvalid checks that what columns cannot answer is an error.
func checkInvalid(t *testing.T, s *search.Searcher, p *Pool) {
	t.Helper()
	for _, q := range []search.Query{
		{Sort: []search.SortBy{{Field: "text"}}},
		{Facets: []search.Facet{{Field: "nosuch"}}},
		{Facets: []search.Facet{{Field: "price", Every: 1}}}, // too many buckets, though not in each task
		{Static: &search.Static{Field: "rank", Boost: -1}},
	} {
		q.Node = query.All{}
		_, want := s.Search(t.Context(), q)
		if _, err := p.Search(t.Context(), q); err == nil || want == nil || err.Error() != want.Error() {
			t.Errorf("%v: %+v: %v, want %v", p.options.Model, q, err, want)
		}
	}
}
