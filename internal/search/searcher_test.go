package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

func statsOf(parts []querytest.Part) (st Stats) {
	for _, p := range parts {
		m := p.Segment.Meta()
		st.Docs += uint64(m.Docs)
		st.Tokens += m.Tokens
		lens, _ := p.Segment.Views().Documents().Lengths()
		for d := range m.Docs {
			if p.Deletes.Has(d) {
				st.Docs--
				st.Tokens -= uint64(lens.Get(d))
			}
		}
		st.MaxLen = max(st.MaxLen, m.MaxLen)
	}
	return st
}

// over returns a Searcher over parts of a collection.
func over(parts []querytest.Part, o Options) (*Searcher, error) {
	var segments []engine.Segment
	for _, p := range parts {
		segments = append(segments, engine.Segment(p))
	}
	x, st := &Searcher{}, statsOf(parts)
	return x, x.init(segments, make([]engine.Field, 1), st.Docs, o, func(_ int, own query.Params) (*Scorer, error) { return NewScorer(own, st) })
}

func searcherOver(t testing.TB, parts []querytest.Part, o Options) *Searcher {
	t.Helper()
	s, err := over(parts, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// difference describes where two results differ.
func difference(a, b []Hit) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("hit %d is %v and %v", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d and %d hits", len(a), len(b))
}

// everyWay runs q with every algorithm and seek strategy over every collection, requires bitwise
// equal results, and returns them.
func everyWay(t testing.TB, searchers []*Searcher, q Query) ([]Hit, error) {
	t.Helper()
	var want []Hit
	var by string
	for i, s := range searchers {
		for _, a := range Algorithms() {
			if a != Auto && a != FilterFirst && a.Conjunctive() != (q.Mode == query.ModeAnd) && q.Mode != query.ModeAndOr {
				continue
			}
			q.Algorithm = a
			res, err := s.Search(context.Background(), q)
			if err != nil {
				return nil, err
			}
			name := fmt.Sprintf("searcher %d, %v", i, a)
			if by == "" {
				want, by = res.Hits, name
			} else if !slices.Equal(res.Hits, want) {
				return nil, fmt.Errorf("%s and %s differ: %s", by, name, difference(want, res.Hits))
			}
		}
	}
	return want, nil
}

// collection is one collection in several forms.
type collection struct {
	docs      [][]string
	oracle    *oracle
	searchers []*Searcher
	params    query.Params
}

func newCollection(t testing.TB, docs [][]string, deleted map[int]bool, p query.Params, cuts ...int) *collection {
	k1, b := p.Values()
	c := &collection{docs: docs, oracle: newOracle(docs, deleted), params: query.Params{K1: k1, B: b}} // as the oracle takes them
	one := querytest.Parts(t, docs, deleted, bp128.Codec{})
	for _, seek := range []reader.Strategy{reader.Gallop, reader.SafeRange, reader.Buckets} {
		c.searchers = append(c.searchers, searcherOver(t, one, Options{Params: p, Seek: seek}))
	}
	if len(cuts) > 0 {
		c.searchers = append(c.searchers, searcherOver(t, querytest.Parts(t, docs, deleted, vbyte128.Codec{}, cuts...), Options{Params: p}))
	}
	return c
}

// check runs a query in every way and compares with the oracle.
func (c *collection) check(t testing.TB, words []string, k int, mode query.Mode, filter *docset.Global) error {
	hits, err := everyWay(t, c.searchers, Query{RawTerms: querytest.Terms(words...), K: k, Mode: mode, Filter: filter})
	if err != nil {
		return fmt.Errorf("%q k %d mode %v: %w", words, k, mode, err)
	}
	var f func(int) bool
	if filter != nil {
		f = func(d int) bool { return filter.Contains(uint32(d)) }
	}
	scores := c.oracle.scores(words, mode, k, c.params, f)
	if err := c.oracle.check(hits, scores, k); err != nil {
		return fmt.Errorf("%q k %d mode %v: %w", words, k, mode, err)
	}
	if mode == query.ModeAndOr {
		return nil
	}
	for i, s := range c.searchers {
		docs, err := matchesOf(s, Query{RawTerms: querytest.Terms(words...), Mode: mode, Filter: filter})
		if err != nil {
			return fmt.Errorf("searcher %d: matches of %q: %w", i, words, err)
		}
		for j, doc := range docs {
			if _, ok := scores[int(doc)]; !ok || j > 0 && doc <= docs[j-1] {
				return fmt.Errorf("searcher %d: match %d of %q, mode %v, is document %d", i, j, words, mode, doc)
			}
		}
		if len(docs) != len(scores) {
			return fmt.Errorf("searcher %d: %d matches of %q, mode %v, want %d", i, len(docs), words, mode, len(scores))
		}
	}
	return nil
}

func matchesOf(s *Searcher, q Query) (docs []uint32, err error) {
	for doc, err := range s.Matches(context.Background(), q) {
		if err != nil {
			return docs, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

func TestRandomCollections(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		n := rapid.IntRange(1, 600).Draw(rt, "docs")
		docs := querytest.ZipfDocs(rng, n, 40, 8)
		deleted := map[int]bool{}
		if rapid.Bool().Draw(rt, "deletes") {
			for range n / 5 {
				deleted[rng.IntN(n)] = true
			}
		}
		p := rapid.SampledFrom([]query.Params{query.DefaultParams(), {K1: 1.2, B: 0.75}, query.Exactly(0, 0), {K1: 0.9, B: 1}, query.Exactly(0, 1), {K1: 3, B: query.Zero}, {}, {B: 0.75}}).Draw(rt, "params")
		cuts := []int{rng.IntN(n), rng.IntN(n)}
		slices.Sort(cuts)
		c := newCollection(t, docs, deleted, p, cuts...)
		for range 4 {
			var words []string
			for range 1 + rng.IntN(5) {
				words = append(words, fmt.Sprintf("w%d", rng.IntN(45)))
			}
			var filter *docset.Global
			if rng.IntN(3) == 0 {
				var some []uint32
				for range n >> rng.IntN(8) {
					some = append(some, uint32(rng.IntN(n)))
				}
				filter = docset.GlobalOf(some...)
			}
			k := 1 + rng.IntN(30)
			for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
				if err := c.check(t, words, k, mode, filter); err != nil {
					rt.Fatal(err)
				}
			}
		}
	})
}

// Lists that are long enough for regression, buckets and k-th impacts.
func TestLongLists(t *testing.T) {
	longtest.Once(t)
	n, queries := longtest.Count(9000, 20_000), 10
	rng := rand.New(rand.NewPCG(3, 4))
	docs := querytest.ZipfDocs(rng, n, 3000, 20)
	c := newCollection(t, docs, nil, query.DefaultParams(), n/3, n/2)
	deleted := map[int]bool{}
	for range 60 {
		deleted[rng.IntN(n/2)] = true
	}
	holed := newCollection(t, docs[:n/2], deleted, query.DefaultParams(), n/5)
	long := 0
	for range queries {
		var words []string
		for range 1 + rng.IntN(6) {
			w := rng.IntN(1 << (2 + rng.IntN(10)))
			words = append(words, fmt.Sprintf("w%d", w))
			if len(c.oracle.tf[words[len(words)-1]]) >= 8192 {
				long++
			}
		}
		for _, k := range []int{1, 10, 100, 1500} {
			for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
				if err := c.check(t, words, k, mode, nil); err != nil {
					t.Fatal(err)
				}
				if err := holed.check(t, words, k, mode, nil); err != nil {
					t.Fatal("deletes: ", err)
				}
			}
		}
	}
	if long == 0 && longtest.Enabled() {
		t.Error("no list was long enough for hash buckets")
	}
}

func TestCornerCases(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	docs := querytest.ZipfDocs(rng, 700, 50, 10)
	for d := range docs {
		docs[d] = append(docs[d], "everywhere")
	}
	docs[350] = append(docs[350], "once")
	c := newCollection(t, docs, map[int]bool{3: true, 699: true}, query.DefaultParams(), 100, 350)
	var many []string
	for i := range 400 {
		many = append(many, fmt.Sprintf("w%d", i))
	}
	for _, tc := range []struct {
		name  string
		words []string
		k     int
	}{
		{"k of one", []string{"w1", "w2"}, 1},
		{"k above the collection", []string{"w1", "w2"}, 5000},
		{"k of a million", []string{"w1"}, 1 << 20},
		{"no terms", nil, 10},
		{"unknown term", []string{"w1", "nowhere"}, 10},
		{"only unknown terms", []string{"nowhere", "neither"}, 10},
		{"same term twice", []string{"w1", "w2", "w1"}, 10},
		{"same term only", []string{"w1", "w1", "w1"}, 10},
		{"hundreds of terms", many, 10},
		{"term in every document", []string{"everywhere", "w3"}, 10},
		{"only the term in every document", []string{"everywhere"}, 10},
		{"singleton", []string{"once", "w1"}, 10},
		{"empty term", []string{"", "w1"}, 10},
	} {
		for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
			if err := c.check(t, tc.words, tc.k, mode, nil); err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
		}
	}
	if hits, err := everyWay(t, c.searchers, Query{RawTerms: querytest.Terms("w1"), K: -3}); !errors.Is(err, query.ErrInvalid) || len(hits) > 0 {
		t.Errorf("negative k: %v, %v", hits, err)
	}
	if err := c.check(t, []string{"w1", "w2"}, 10, query.ModeOr, docset.GlobalOf()); err != nil {
		t.Errorf("empty filter: %v", err)
	}
	twice, _ := everyWay(t, c.searchers, Query{RawTerms: querytest.Terms("w7", "w7"), K: 1000})
	single, _ := everyWay(t, c.searchers, Query{RawTerms: querytest.Terms("w7"), K: 1000})
	for i := range twice {
		if twice[i].Doc != single[i].Doc || twice[i].Score != 2*single[i].Score {
			t.Fatalf("a term given twice: %v, once: %v", twice[i], single[i])
		}
	}
}

// Equal documents give ties everywhere, and K separates tied documents.
func TestTies(t *testing.T) {
	longtest.Once(t)
	docs := make([][]string, 2000)
	for d := range docs {
		docs[d] = []string{"a", "b", "c"}[:1+d%3]
		if d%7 == 0 {
			docs[d] = append(docs[d], "a")
		}
	}
	c := newCollection(t, docs, nil, query.DefaultParams(), 777, 1300)
	for _, words := range [][]string{{"a"}, {"a", "b"}, {"c", "b", "a"}} {
		for _, k := range []int{1, 9, 10, 11, 500, 1999, 2000, 2001} {
			for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
				if err := c.check(t, words, k, mode, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestContext(t *testing.T) {
	c := newCollection(t, querytest.ZipfDocs(rand.New(rand.NewPCG(7, 8)), 3000, 30, 10), nil, query.DefaultParams())
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel2 := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel2()
	for _, s := range c.searchers {
		for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
			q := Query{RawTerms: querytest.Terms("w1", "w2"), K: 10, Mode: mode}
			if res, err := s.Search(canceled, q); !errors.Is(err, context.Canceled) || res.Hits != nil {
				t.Errorf("%v: %v, %v", mode, res, err)
			}
			if res, err := s.Execute(late, []Query{q, q}); !errors.Is(err, context.DeadlineExceeded) || res != nil {
				t.Errorf("%v: %v, %v", mode, res, err)
			}
		}
	}
}

// A lateContext is done as soon as a query begins to watch it.
type lateContext struct {
	context.Context
	cancel context.CancelFunc
}

func (c lateContext) Done() <-chan struct{} {
	c.cancel()
	return c.Context.Done()
}

// Every algorithm notices a cancellation at the next block.
func TestCancelMidway(t *testing.T) {
	c := newCollection(t, querytest.ZipfDocs(rand.New(rand.NewPCG(9, 9)), 6000, 30, 10), nil, query.DefaultParams())
	s := c.searchers[0]
	for _, a := range Algorithms() {
		mode := query.ModeOr
		if a.Conjunctive() {
			mode = query.ModeAnd
		}
		q := Query{RawTerms: querytest.Terms("w0", "w1", "w2"), K: 10, Mode: mode, Algorithm: a}
		ctx, cancel := context.WithCancel(context.Background())
		if _, err := s.Search(lateContext{ctx, cancel}, q); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", a, err)
		}
		if hits, err := s.Search(context.Background(), q); err != nil || len(hits.Hits) == 0 {
			t.Errorf("%v: after a cancelled query: %v", a, err)
		}
	}
}

func TestTraceCounts(t *testing.T) {
	c := newCollection(t, querytest.ZipfDocs(rand.New(rand.NewPCG(11, 12)), 6000, 300, 10), nil, query.DefaultParams(), 3000)
	for i, s := range c.searchers {
		for _, a := range Algorithms() {
			mode := query.ModeOr
			if a.Conjunctive() {
				mode = query.ModeAnd
			}
			q := Query{RawTerms: querytest.Terms("w0", "w40", "w90"), K: 10, Mode: mode, Algorithm: a, Trace: true}
			r, err := s.Search(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			tr := r.Trace
			if a != Auto && a != FilterFirst && tr.Algorithm != a {
				t.Errorf("%v ran as %v", a, tr.Algorithm)
			}
			if len(tr.Segments) != s.engine.Segments() {
				t.Errorf("searcher %d, %v: %d segments traced, want %d", i, a, len(tr.Segments), s.engine.Segments())
			}
			for _, seg := range tr.Segments {
				for _, l := range seg.Lists {
					if a == Exhaustive || a == Scan {
						if l.Blocks > 1 && (l.DocBlocks != uint64(l.Blocks) || l.FreqBlocks != uint64(l.Blocks)) {
							t.Errorf("%v: %+v", a, l)
						}
					}
					if l.ByHeader() > uint64(l.Blocks) {
						t.Errorf("%v: %+v", a, l)
					}
				}
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops pooled memory at random")
	}
	c := newCollection(t, querytest.ZipfDocs(rand.New(rand.NewPCG(13, 14)), 6000, 300, 10), nil, query.DefaultParams())
	s := c.searchers[0]
	var hits []Hit
	filter := every(0, 6000, 20)
	for i, a := range append(Algorithms(), RangeMaxScore) {
		mode := query.ModeOr
		if a.Conjunctive() {
			mode = query.ModeAnd
		}
		q := Query{RawTerms: querytest.Terms("w0", "w40", "w90"), K: 10, Mode: mode, Algorithm: a}
		if i == len(Algorithms()) {
			q.Filter = filter
		}
		n := testing.AllocsPerRun(50, func() {
			var err error
			if hits, err = s.AppendHits(context.Background(), hits[:0], &q); err != nil {
				t.Fatal(err)
			}
		})
		if n > 4 {
			t.Errorf("%v: %v allocations a query", a, n)
		}
	}
}
