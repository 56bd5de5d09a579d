package search_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// shards answers from the parts of a collection, each of which knows of the others by numbers only.
type shards struct {
	searchers   []*search.Searcher
	executors   []search.Executor
	bases, docs []uint32
}

func newShards(t *testing.T, parts []*reader.Snapshot) *shards {
	t.Helper()
	var all query.Collection
	for _, p := range parts {
		if err := all.Add(search.CollectionOf(p)); err != nil {
			t.Fatal(err)
		}
	}
	x := &shards{}
	base := uint32(0)
	for i, p := range parts {
		s, err := search.NewSearcher(p, search.Options{Collection: &all})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		x.searchers, x.executors = append(x.searchers, s), append(x.executors, s)
		if i%2 == 1 {
			p, err := pool.New(s, pool.Options{Workers: 2, Model: pool.FineGrained, TaskPostings: 64})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.Close)
			x.executors[i] = p
		}
		docs := uint32(p.Stats().Docs)
		x.bases, x.docs = append(x.bases, base), append(x.docs, docs)
		base += docs
	}
	return x
}

func (x *shards) search(ctx context.Context, q search.Query) (search.Result, error) {
	given, err := x.given(ctx, q)
	if err != nil {
		return search.Result{}, err
	}
	var parts []search.Result
	for i, s := range x.executors {
		r, err := s.Execute(ctx, []search.Query{given[i]})
		if err != nil {
			return search.Result{}, err
		}
		if q.Collapse != "" {
			if err := r[0].SetGroups(x.searchers[i].Engine().Snapshot(), q.Collapse); err != nil {
				return search.Result{}, err
			}
		}
		parts = append(parts, r[0])
	}
	r, _, err := q.Merge(x.bases, parts)
	return r, err
}

// cuts draws where n documents are cut into some parts, of which some may be empty.
func cuts(rng *rand.Rand, n, parts int) []int {
	at := []int{n}
	for range parts - 1 {
		at = append(at, rng.IntN(n+1))
	}
	slices.Sort(at)
	return at
}

// agreeWith compares answers with those of the whole, to the bit.
func (x *shards) agreeWith(t *testing.T, whole *search.Searcher, q search.Query) {
	t.Helper()
	want, wantErr := whole.Search(t.Context(), q)
	got, err := x.search(t.Context(), q)
	if (err == nil) != (wantErr == nil) || err != nil && errors.Is(err, query.ErrTooManyTerms) != errors.Is(wantErr, query.ErrTooManyTerms) {
		t.Fatalf("%s in %d parts: %v, want %v", shown(q.Node), len(x.searchers), err, wantErr)
	}
	if a, b := fmt.Sprint(got), fmt.Sprint(want); a != b {
		t.Fatalf("%s\nsort %v after %v %v, facets %v, K %d, in %d parts\n got %.1500s\nwant %.1500s", shown(q.Node), q.Sort, q.SortAfter, q.After, q.Facets, q.K, len(x.searchers), a, b)
	}
	if !slices.Equal(got.Hits, want.Hits) {
		t.Fatalf("%s: %v, want %v", shown(q.Node), got.Hits, want.Hits)
	}
}

// wholeOf returns a Searcher over an index that is joined of parts.
func wholeOf(t *testing.T, parts []*reader.Snapshot) *search.Searcher {
	t.Helper()
	joined, err := reader.Join(parts...)
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	s, err := search.NewSearcher(joined, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Shards that know only sums of integers answer trees as one index of all does, to the bit: with phrases, words that
// prefixes and patterns stand for, deleted documents, pages and filters.
func TestShards(t *testing.T) {
	trees := longtest.Count(40, 300)
	rng := rand.New(rand.NewPCG(38, 1))
	for _, phrases := range []bool{false, true} {
		for _, n := range []int{1, 3, 10} {
			docs := books(rng, 300)
			if phrases {
				placed(docs)
			}
			r := &treeDrawer{Rand: rng, sharded: true, phrases: phrases, dots: !phrases, docs: docs, terms: map[string][]string{}}
			var parts []*reader.Snapshot
			from := 0
			for d := range docs {
				r.ids = append(r.ids, fmt.Append(nil, d))
			}
			for _, to := range cuts(rng, len(docs), n) {
				if phrases {
					parts = append(parts, placedIndex(t, placedSchema(), docs[from:to], bp128.Codec{}, 1+rng.IntN(200)))
				} else {
					parts = append(parts, libraryFrom(t, writer.Options{}, docs[from:to], from, 1+rng.IntN(200)).Snapshot())
				}
				from = to
			}
			x, whole := newShards(t, parts), wholeOf(t, parts)
			for range trees {
				node, _ := r.node(rng.IntN(5))
				q := search.Query{Node: node, K: []int{1, 10, 100, len(docs)}[rng.IntN(4)], Total: rng.IntN(4) == 0}
				if rng.IntN(6) == 0 {
					q.Filter = docset.NewGlobal(docset.Range(uint32(rng.IntN(len(docs))), uint32(len(docs))))
				}
				if rng.IntN(4) == 0 { // the page behind some hit
					all, err := whole.Search(t.Context(), search.Query{Node: node, K: len(docs)})
					if err == nil && len(all.Hits) > 0 {
						q.After = &search.Position{}
						h := all.Hits[rng.IntN(len(all.Hits))]
						q.After.Doc, q.After.Score = h.Doc, h.Score
					}
				}
				x.agreeWith(t, whole, q)
			}
		}
	}
}

// Shards sort and count by columns as one index does.
func TestShardColumns(t *testing.T) {
	queries := longtest.Count(60, 300)
	rng := rand.New(rand.NewPCG(38, 2))
	for _, c := range []struct {
		shards int
		schema *schema.Schema
	}{{1, shopSchema()}, {3, shopSchema()}, {10, shopSchema()}, {4, logSchema()}} {
		docs := books(rng, 300)
		r := &shopper{&treeDrawer{Rand: rng, sharded: true, docs: docs, terms: map[string][]string{}}, shopValues(rng, len(docs)), c.schema}
		for d := range docs {
			r.ids = append(r.ids, fmt.Append(nil, d))
		}
		var parts []*reader.Snapshot
		from := 0
		for _, to := range cuts(rng, len(docs), c.shards) {
			v := oracle.Values{}
			for f, all := range r.values {
				v[f] = all[from:to]
			}
			parts = append(parts, shop(t, c.schema, docs[from:to], v, 1+rng.IntN(200)).Snapshot())
			from = to
		}
		x, whole := newShards(t, parts), wholeOf(t, parts)
		for range queries {
			q, _, _ := r.query()
			if q.Collapse != "" && (q.After != nil || q.SortAfter != nil) {
				q.Collapse = ""
			}
			x.agreeWith(t, whole, q)
		}
	}
}

// Plain text, raw terms and their modes, in an index without a schema.
func TestShardTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 3))
	docs := querytest.ZipfDocs(rng, 400, 60, 12)
	var parts []*reader.Snapshot
	from := 0
	for _, to := range cuts(rng, len(docs), 3) {
		parts = append(parts, querytest.Index(t, docs[from:to], nil))
		from = to
	}
	x, whole := newShards(t, parts), wholeOf(t, parts)
	for range 300 {
		q := search.Query{Mode: query.Mode(rng.IntN(2)), K: 1 + rng.IntN(50)}
		for range 1 + rng.IntN(4) {
			q.Text += fmt.Sprint(" w", rng.IntN(60))
			q.RawTerms = append(q.RawTerms, fmt.Append(nil, "w", rng.IntN(70)))
		}
		x.agreeWith(t, whole, q)
	}
}

func TestShardsRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 4))
	docs := books(rng, 40)
	a, b := library(t, writer.Options{}, docs[:20], 25).Snapshot(), libraryFrom(t, writer.Options{}, docs[20:], 20, 25).Snapshot()
	other := querytest.Index(t, querytest.ZipfDocs(rng, 10, 5, 5), nil)
	all, one := search.CollectionOf(a), search.CollectionOf(a)
	if err := all.Add(search.CollectionOf(other)); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("another schema: %v", err)
	}
	if err := all.Add(search.CollectionOf(b)); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := search.NewSearcher(other, search.Options{Collection: &all})
	refused("a collection of another schema", err)
	whole := wholeOf(t, []*reader.Snapshot{a, b})
	_, err = search.NewSearcher(whole.Engine().Snapshot(), search.Options{Collection: &one})
	refused("a collection that is less than the index", err)
	_, err = search.NewSearcher(a, search.Options{Collection: &all, Statistics: a})
	refused("both", err)

	s, err := search.NewSearcher(a, search.Options{Collection: &all})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := search.Query{Node: query.Match{Field: "body", Text: "w1 w2"}}
	_, err = s.Search(t.Context(), q)
	refused("no frequencies", err)
	own, err := s.Frequencies(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	q.Frequencies = &own
	if _, err := s.Search(t.Context(), q); err != nil {
		t.Errorf("with frequencies: %v", err)
	}
	_, err = whole.Search(t.Context(), q)
	refused("frequencies without a collection", err)
	for _, c := range []func(f *query.Frequencies){
		func(f *query.Frequencies) { f.Terms = f.Terms[:1] },
		func(f *query.Frequencies) { f.Terms[0].DF = 0 },
		func(f *query.Frequencies) { f.Terms[0].DF = 1 << 40 },
	} {
		bad := query.Frequencies{Terms: slices.Clone(own.Terms)}
		c(&bad)
		q.Frequencies = &bad
		_, err = s.Search(t.Context(), q)
		refused(fmt.Sprint(bad), err)
	}
	q.Node, q.Frequencies = query.Prefix{Field: "body", Text: "w"}, &own
	_, err = s.Search(t.Context(), q)
	refused("frequencies of another query", err)

	for _, q := range []search.Query{{Text: "w1", Mode: query.ModeAndOr}, {Node: query.Match{Text: "w1", Mode: query.ModeAndOr}}, {Text: "w1", Collapse: "shelf", After: &search.Position{}}} {
		_, err = q.Part(0, 10)
		refused(fmt.Sprint(q), err)
	}
}

// The words of a phrase whose last word no document of a shard has count in that shard too.
func TestShardPrefixPhrase(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 5))
	docs := books(rng, 90)
	for d := range docs {
		docs[d].Deleted = false
	}
	docs[70].Terms["body"] = []string{"w1", "zzz", "w3", "w4"}
	docs[71].Terms["body"] = []string{"w1", "zzy", "w3", "w4"}
	placed(docs)
	var parts []*reader.Snapshot
	for i := range 3 {
		parts = append(parts, placedIndex(t, placedSchema(), docs[30*i:30*i+30], bp128.Codec{}, 30))
	}
	x, whole := newShards(t, parts), wholeOf(t, parts)
	for _, n := range []query.Node{
		query.Phrase{Field: "body", Text: "w1 zz", Prefix: true},
		query.Phrase{Field: "body", Text: "zz", Prefix: true},
		query.Bool{Should: []query.Node{query.Phrase{Field: "body", Text: "w1 zz", Prefix: true}, query.Term{Field: "body", Text: "w2"}}},
		query.Bool{Must: []query.Node{query.Match{Field: "body", Text: "w1"}}, Filter: []query.Node{query.Prefix{Field: "body", Text: "zz"}}},
	} {
		x.agreeWith(t, whole, search.Query{Node: n, K: 90})
	}
}

// Terms that no shard has too many of, but all together have, are too many.
func TestShardExpansionLimit(t *testing.T) {
	var parts []*reader.Snapshot
	for p := range 2 {
		l := querytest.NewLive(t, writer.Options{Schema: shelfSchema()})
		for d := range 20 {
			var text []byte
			for i := range 30 {
				text = fmt.Append(text, " x", p*600+d*30+i)
			}
			l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, p, d), Values: []schema.Value{schema.TextValue(1, text)}}))
		}
		l.Do(l.Commit(t.Context()))
		parts = append(parts, l.Snapshot())
	}
	x, whole := newShards(t, parts), wholeOf(t, parts)
	q := search.Query{Node: query.Bool{Must: []query.Node{query.Prefix{Field: "body", Text: "x", Scored: true}}, Filter: []query.Node{query.IDs{"01"}}}}
	x.agreeWith(t, whole, q)
	q.Node = query.Prefix{Field: "body", Text: "x", Scored: true} // 1,200 terms, 600 in each part
	x.agreeWith(t, whole, q)
	q.Node = query.Phrase{Field: "body", Text: "x", Prefix: true}
	x.agreeWith(t, whole, q)
	q.Node = query.Fuzzy{Field: "body", Text: "x55", Edits: 2}
	x.agreeWith(t, whole, q)
	q.Node = query.Prefix{Field: "body", Text: "x11", Scored: true}
	x.agreeWith(t, whole, q)
}
