package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// bounded returns a Searcher over documents of a text with positions and a keyword, in two segments.
func bounded(t *testing.T, texts []string) *search.Searcher {
	t.Helper()
	fs := memfs.New()
	do := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "t", Kind: schema.Text, Positions: true}, {Name: "k", Kind: schema.Keyword, Column: true},
		{Name: "n", Kind: schema.Integer, Column: true}}}})
	do(err)
	for i, text := range texts {
		do(w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.TextValue(0, []byte(text)),
			schema.KeywordValue(1, fmt.Append(nil, "k", i%7)), schema.IntegerValue(2, int64(i%5))}}))
		if i == len(texts)/2 {
			do(w.Flush(t.Context()))
		}
	}
	do(w.Commit(t.Context()))
	do(w.Close())
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	s, err := x.Snapshot()
	do(err)
	q, err := search.NewSearcher(s, search.Options{})
	do(err)
	t.Cleanup(func() {
		q.Close()
		s.Close()
		x.Close()
	})
	return q
}

// numbered returns words that differ.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d ", i)
	}
	return b.String()
}

// The phrases of a query have so many places together, whatever they are called; more are an error that says so.
func TestMaxPlaces(t *testing.T) {
	longtest.Once(t)
	most := numbered(query.MaxPlaces)
	q := bounded(t, []string{most, "a b c", strings.Repeat("a ", query.MaxPlaces)})
	several := func(n int) (b query.Bool) {
		for i := range n {
			b.Should = append(b.Should, query.Phrase{Field: "t", Text: "a b", Slop: i})
		}
		return b
	}
	for i, c := range []struct {
		node query.Node
		hits int // -1 for an error
	}{
		{query.Phrase{Field: "t", Text: most}, 1},
		{query.Phrase{Field: "t", Text: strings.Repeat("a ", query.MaxPlaces)}, 1},
		{query.Phrase{Field: "t", Text: strings.Repeat("a ", query.MaxPlaces), Slop: 9}, 1},
		{query.Phrase{Text: most + "more"}, -1},
		{query.Phrase{Field: "t", Terms: strings.Fields(most + "more")}, -1},
		{query.Near{Field: "t", Text: most + "more", Distance: 5}, -1},
		{several(query.MaxPlaces / 2), 1},
		{several(query.MaxPlaces/2 + 1), -1},
		{query.Bool{Filter: []query.Node{several(query.MaxPlaces/2 + 1)}}, -1},
		{query.Bool{Must: []query.Node{query.Match{Field: "t", Text: "w7"}}, Filter: []query.Node{query.Phrase{Field: "t", Text: most}}}, 1},
	} {
		r, err := q.Search(t.Context(), search.Query{Node: c.node})
		if c.hits >= 0 && (err != nil || len(r.Hits) != c.hits) {
			t.Errorf("%d: %d hits, %v", i, len(r.Hits), err)
		}
		if c.hits < 0 && (!errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), "at most 4096 places together")) {
			t.Errorf("%d: %.200v", i, err)
		}
	}
	if _, err := q.ParseText(`"` + most + `more"~3`); !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), "at most 4096 places together") {
		t.Errorf("typed: %.200v", err)
	}
}

// Words that phrases and patterns stand for count together, before anything is looked up.
func TestExpansionsTogether(t *testing.T) {
	longtest.Once(t)
	q := bounded(t, []string{numbered(3000), "the w1"})
	for name, node := range map[string]func(i int) query.Node{
		"phrases": func(i int) query.Node { return query.Phrase{Field: "t", Text: "the w", Prefix: true, Slop: i} },
		"scored": func(i int) query.Node {
			return query.Prefix{Field: "t", Text: "w1", Scored: true, Boost: float64(i + 1)}
		},
	} {
		var few, more query.Bool
		for i := range 80 {
			if more.Should = append(more.Should, node(i)); i < 10 {
				few.Should = append(few.Should, node(i))
			}
		}
		if name == "scored" {
			few.Should = few.Should[:0]
		}
		if _, err := q.Search(t.Context(), search.Query{Node: few}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, err := q.Search(t.Context(), search.Query{Node: more})
		if name == "phrases" && !errors.Is(err, query.ErrTooManyTerms) {
			t.Errorf("%s: %v", name, err)
		}
	}
	text := strings.Repeat("again ", query.MaxTerms+9) + "once" // few distinct words, however many there are
	if _, err := q.Search(t.Context(), search.Query{Text: text}); err != nil {
		t.Errorf("repeated words: %v", err)
	}
	if _, err := q.Search(t.Context(), search.Query{Text: numbered(query.MaxTerms + 1)}); !errors.Is(err, query.ErrTooManyTerms) {
		t.Errorf("many words: %.200v", err)
	}
}

// expiring is a context that ends when it has been asked so often.
type expiring struct {
	context.Context
	left atomic.Int64
	done chan struct{}
}

func expires(after int64) *expiring {
	x := &expiring{Context: context.Background(), done: make(chan struct{})}
	x.left.Store(after)
	return x
}

func (x *expiring) Done() <-chan struct{} { return x.done }

func (x *expiring) Err() error {
	switch n := x.left.Add(-1); {
	case n > 0:
		return nil
	case n == 0:
		close(x.done)
	}
	return context.DeadlineExceeded
}

// asked returns how often a context is asked for an answer.
func asked(t *testing.T, q *search.Searcher, x search.Query) int64 {
	t.Helper()
	ctx := expires(1 << 40)
	if _, err := q.Search(ctx, x); err != nil {
		t.Fatal(err)
	}
	return 1<<40 - ctx.left.Load()
}

// Queries of many parts look at their context while they are built, and end with it wherever that is.
func TestBuildingEnds(t *testing.T) {
	longtest.Once(t)
	q := bounded(t, []string{numbered(500), "a b c"})
	var phrases, words, near query.Bool
	for i := range 1000 {
		phrases.Should = append(phrases.Should, query.Phrase{Field: "t", Text: fmt.Sprintf("w%d w%d", i%499, i%499+1), Slop: i})
		words.Should = append(words.Should, query.Match{Field: "t", Text: fmt.Sprint("w", i)})
		near.Must = append(near.Must, query.Near{Field: "t", Text: "w1 w2", Distance: 3 + i})
	}
	for name, node := range map[string]query.Node{"phrases": phrases, "words": words, "near": near} {
		x := search.Query{Node: node}
		n := asked(t, q, x)
		if want := int64(1000 / 64); n < want {
			t.Errorf("%s: asked %d times, not %d", name, n, want)
		}
		for after := int64(1); after <= n; after += max(n/40, 1) {
			ctx := expires(after)
			if _, err := q.Search(ctx, x); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v when it has ended after %d of %d", name, err, after, n)
			}
			if more := -ctx.left.Load(); more > 4 {
				t.Errorf("%s: asked %d times more after the end", name, more)
			}
		}
	}
	if _, err := q.Search(t.Context(), search.Query{Node: phrases}); err != nil { // with what the queries that ended left
		t.Error(err)
	}
}

// A context that ends when a query is built ends the query, of any kind, also where it counts only.
func TestMatchingEnds(t *testing.T) {
	longtest.Once(t)
	texts := make([]string, 3000)
	for i := range texts {
		texts[i] = strings.Repeat("a b c d ", 1+i%5)
	}
	q := bounded(t, texts)
	var many query.Bool
	for i := range 200 {
		many.Should = append(many.Should, query.Phrase{Field: "t", Text: "a b c", Slop: 2 + i})
	}
	for _, x := range []search.Query{
		{Node: many}, {Node: many, Total: true}, {Node: many, Facets: []search.Facet{{Field: "k"}}},
		{Node: many, Sort: []search.SortBy{{Field: "n"}}}, {Node: many, Collapse: "k"},
	} {
		n := asked(t, q, x) // the last time when all is built: after that its channel tells
		if hits, err := q.Search(expires(n), x); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d hits, %v", len(hits.Hits), err)
		}
	}
}

// Facets that count the same are counted once, each with as many keywords as it asks for.
func TestSameFacets(t *testing.T) {
	q := bounded(t, slices.Repeat([]string{"a"}, 100))
	node := query.Match{Field: "t", Text: "a"}
	facets := []search.Facet{{Field: "k", Limit: 2}, {Field: "n", Width: 2}, {Field: "k", Limit: 5}, {Field: "k", Limit: 1}, {Field: "n", Width: 3}, {Field: "n", Width: 2}}
	r, err := q.Search(t.Context(), search.Query{Node: node, Facets: facets})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range facets {
		alone, err := q.Search(t.Context(), search.Query{Node: node, Facets: []search.Facet{f}})
		if err != nil || fmt.Sprint(alone.Facets[0]) != fmt.Sprint(r.Facets[i]) {
			t.Errorf("%+v: %v, alone %v, %v", f, r.Facets[i], alone.Facets, err)
		}
	}
}
