//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// shop is an index of products with text, a number, a keyword and a worth, in several segments, some of them deleted.
type shop struct {
	snapshot *reader.Snapshot
	cpu      *search.Searcher
	docs     int
	bitmaps  []*docset.Global // for Query.Filter
}

func newShop(t *testing.T, rng *rand.Rand, docs, segments int) *shop {
	t.Helper()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "whitespace", Lengths: []schema.Lengths{schema.LengthsByte, schema.LengthsExact}[rng.IntN(2)]},
		{Name: "body", Kind: schema.Text, Analyzer: "whitespace"},
		{Name: "brand", Kind: schema.Keyword, Column: true},
		{Name: "price", Kind: schema.Integer, Column: true},
		{Name: "worth", Kind: schema.Float, Column: true}, {Name: "debt", Kind: schema.Float, Column: true}}}})
	do(err)
	t.Cleanup(func() { do(w.Close()) })
	for i := range docs {
		if i > 0 && i%(docs/segments+1) == 0 {
			do(w.Commit(t.Context()))
		}
		vs := []schema.Value{schema.TextValue(0, []byte(shopWords(rng, 1+rng.IntN(4)))), schema.TextValue(1, []byte(shopWords(rng, 1+rng.IntN(30)))),
			schema.KeywordValue(2, fmt.Append(nil, "b", rng.IntN(9))), schema.IntegerValue(3, int64(i+rng.IntN(50))), schema.FloatValue(5, float64(rng.IntN(9)-4))}
		for range rng.IntN(3) {
			vs = append(vs, schema.FloatValue(4, rng.ExpFloat64()*float64(rng.IntN(4))))
		}
		do(w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: vs}))
	}
	do(w.Commit(t.Context()))
	for range rng.IntN(docs/4 + 1) {
		do(w.Delete(t.Context(), fmt.Append(nil, rng.IntN(docs))))
	}
	do(w.Commit(t.Context()))
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	t.Cleanup(func() { do(index.Close()) })
	s := &shop{docs: docs}
	s.snapshot, err = index.Snapshot()
	do(err)
	t.Cleanup(func() { do(s.snapshot.Close()) })
	s.cpu, err = search.NewSearcher(s.snapshot, search.Options{})
	do(err)
	t.Cleanup(func() { do(s.cpu.Close()) })
	for _, share := range []int{2, 10} {
		b := &docset.Bits{}
		for range docs / share {
			b.Add(rng.Uint32N(uint32(docs) + 100))
		}
		s.bitmaps = append(s.bitmaps, docset.NewGlobal(b.Set()))
	}
	return s
}

// shopWords draws words, of which the first are in most products.
func shopWords(rng *rand.Rand, n int) string {
	var words []string
	for range n {
		words = append(words, fmt.Sprint("w", int(60*rng.Float64()*rng.Float64())))
	}
	return strings.Join(words, " ")
}

// filter draws a filter of columns.
func (s *shop) filter(rng *rand.Rand) query.Node {
	switch rng.IntN(5) {
	case 0:
		lo := int64(rng.IntN(s.docs))
		return query.Range{Field: "price", Min: schema.IntegerValue(0, lo), Max: schema.IntegerValue(0, lo+int64(s.docs)/3)}
	case 1:
		return query.In{Field: "brand", Values: []any{schema.KeywordValue(0, fmt.Append(nil, "b", rng.IntN(10)))}}
	case 2:
		return query.Not{Node: query.In{Field: "brand", Values: []any{schema.KeywordValue(0, []byte("b1"))}}}
	case 3:
		return query.And{query.Exists{Field: "worth"}, query.Range{Field: "price", Max: schema.IntegerValue(0, int64(s.docs/2))}}
	}
	return query.IDs{fmt.Sprint(rng.IntN(s.docs)), fmt.Sprint(rng.IntN(s.docs))}
}

// query draws a query with a filter, static scores, or both.
func (s *shop) query(rng *rand.Rand) (q search.Query) {
	q.K = []int{1, 3, 10, 100}[rng.IntN(4)]
	b := query.Bool{}
	switch text := shopWords(rng, 1+rng.IntN(5)); rng.IntN(4) {
	case 0:
		b.Must = []query.Node{query.Match{Text: text}}
	case 1:
		b.Must = []query.Node{query.Match{Field: "body", Text: text, Mode: query.Mode(rng.IntN(3))}}
	case 2:
		for _, w := range strings.Fields(text) {
			b.Must = append(b.Must, query.Term{Field: "body", Text: w, Boost: float64(rng.IntN(3))})
		}
	default:
		b.Should = []query.Node{query.Match{Field: "title", Text: text}, query.Match{Field: "body", Text: text, Boost: 2}}
		b.AtLeast = 1
	}
	asks := 1 + rng.IntN(7)
	if asks&1 != 0 {
		b.Filter = append(b.Filter, s.filter(rng))
	}
	if q.Node = b; asks&2 != 0 {
		q.Static = &search.Static{Field: "worth", Boost: []float64{0, 0.3, 5}[rng.IntN(3)]}
	}
	if asks&4 != 0 {
		q.Filter = s.bitmaps[rng.IntN(len(s.bitmaps))]
	}
	return q
}

// sameAsCPU compares answers with those of a Searcher.
func (s *shop) sameAsCPU(t *testing.T, x search.Executor, queries []search.Query) {
	t.Helper()
	want, err := s.cpu.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	for i := range queries {
		if !slices.Equal(got[i].Hits, want[i].Hits) {
			t.Fatalf("query %+v, static %+v:\n got %v\nwant %v", queries[i], queries[i].Static, got[i].Hits, want[i].Hits)
		}
	}
}

// Queries under filters of columns and bitmaps, and with static scores, have the hits of a Searcher to the bit. The device
// answers them, in segments that are joined or not, list by list or with accumulators.
func TestTablesEqualSearcher(t *testing.T) {
	for round := range few(3, 6) {
		rng := rand.New(rand.NewPCG(uint64(round), 96))
		s := newShop(t, rng, 300+rng.IntN(2500), 1+rng.IntN(4))
		own := &asked{Searcher: s.cpu}
		x, err := New(newDevice(testDevice(t, uint64(round%2))), s.snapshot, Options{Memory: 8 << 20, CPU: own, AsStored: round == 5, ranges: either(round%3 == 1), FilterBytes: 100})
		if err != nil {
			t.Fatal(err)
		}
		for range few(3, 6) {
			var queries []search.Query
			for range 80 {
				queries = append(queries, s.query(rng))
			}
			s.sameAsCPU(t, x, queries)
		}
		if len(x.docs.Views) == 1 && own.n > 40*few(3, 6) {
			t.Errorf("round %d: the CPU answers %d queries", round, own.n)
		}
		if st := x.Stats(); st.Tables == 0 || st.TableBytes > x.tables.Budget {
			t.Errorf("%d tables, %d bytes of %d", st.Tables, st.TableBytes, x.tables.Budget)
		}
		closeExecutor(t, x)
	}
}

// Where nothing else answers, the device makes every bitmap, and says why it cannot answer where there is no memory.
func TestTablesWithoutCPU(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 97))
	s := newShop(t, rng, 900, 2)
	x, err := New(newDevice(testDevice(t, 1)), s.snapshot, Options{Memory: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	var queries []search.Query
	for len(queries) < 40 {
		if q := s.query(rng); q.Static == nil {
			queries = append(queries, q)
		}
	}
	s.sameAsCPU(t, x, queries)
	none, err := New(newDevice(testDevice(t, 1)), s.snapshot, Options{Memory: 8 << 20, NoFilters: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, none)
	if _, err := none.Execute(t.Context(), queries); !errors.Is(err, ErrUnsupported) {
		t.Errorf("no room for bitmaps: %v", err)
	}
	word := query.Term{Field: "body", Text: "w1"}
	for _, q := range []search.Query{{Node: word, Filter: s.bitmaps[0]}, {Node: word, Static: &search.Static{Field: "worth"}},
		{Node: query.Bool{Must: []query.Node{word}, Filter: []query.Node{query.Exists{Field: "price"}}}}} {
		if _, err := x.NewConjunction(t.Context(), []search.Query{q}, 0, Auto); !errors.Is(err, ErrUnsupported) {
			t.Errorf("docIDs of %+v: %v", q, err)
		}
	}
}

// With room for few bitmaps those that were used least make room, and calls at the same time do not lose what they use.
func TestTablesAreEvicted(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 97))
	s := newShop(t, rng, 2000, 1)
	x, err := New(newDevice(testDevice(t, 1)), s.snapshot, Options{Memory: 8 << 20, CPU: s.cpu, FilterBytes: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	var all sync.WaitGroup
	for g := range uint64(3) {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(g, 98))
			for range 4 {
				var queries []search.Query
				for range 40 {
					queries = append(queries, s.query(rng))
				}
				s.sameAsCPU(t, x, queries)
			}
		})
	}
	all.Wait()
	if st := x.Stats(); st.TableBytes == 0 || st.TableBytes > 5*2000 {
		t.Errorf("%d tables take %d bytes", st.Tables, st.TableBytes)
	}
	if n := x.tables.Users(); n != 0 {
		t.Errorf("tables have %d users still", n)
	}
	if !x.tables.Shed() || x.Stats().TableBytes != 0 {
		t.Errorf("%d bytes cannot be freed", x.Stats().TableBytes)
	}
}

// A bitmap is made once the queries that had its filter have cost as much, and none of a few documents is.
func TestTablesAreWorthIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 97))
	s := newShop(t, rng, 3000, 1)
	own := &asked{Searcher: s.cpu}
	x, err := New(newDevice(testDevice(t, 1)), s.snapshot, Options{Memory: 8 << 20, CPU: own})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	under := func(f query.Node) search.Query {
		return search.Query{Node: query.Bool{Must: []query.Node{query.Term{Field: "title", Text: "w50"}}, Filter: []query.Node{f}}}
	}
	most := under(query.Range{Field: "price", Min: schema.IntegerValue(0, 100)})
	n := 0
	for ; own.n == n && n < 1000; n++ {
		s.sameAsCPU(t, x, []search.Query{most})
	}
	if n < 3 || n == 1000 {
		t.Errorf("the device answers after %d queries", n)
	}
	s.sameAsCPU(t, x, []search.Query{under(query.Not{Node: query.Range{Field: "price", Max: schema.IntegerValue(0, 99), BelowMax: false}})})
	few := under(query.IDs{"7", "8"})
	own.n = 0
	for range 3 {
		var many []search.Query
		for range 200 {
			many = append(many, few)
		}
		s.sameAsCPU(t, x, many)
	}
	if own.n != 600 || x.Stats().Tables > 2 {
		t.Errorf("the CPU answers %d of 600 queries among two documents; %d tables", own.n, x.Stats().Tables)
	}
}

// What is wrong with a filter or with static scores, the device says as a Searcher does.
func TestTablesInvalid(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 97))
	s := newShop(t, rng, 500, 2)
	x, err := New(newDevice(testDevice(t, 1)), s.snapshot, Options{Memory: 8 << 20, CPU: s.cpu})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	match := query.Match{Text: "w1 w2"}
	for _, q := range []search.Query{
		{Node: query.Bool{Must: []query.Node{match}, Filter: []query.Node{query.Exists{Field: "title"}}}},
		{Node: query.Bool{Must: []query.Node{match}, Filter: []query.Node{query.Range{Field: "price", Min: schema.FloatValue(0, 1)}}}},
		{Node: match, Static: &search.Static{Field: "price"}}, {Node: match, Static: &search.Static{Field: "nowhere"}},
		{Node: match, Static: &search.Static{Field: "debt"}}, {Node: query.Match{Text: "nowhere"}, Static: &search.Static{Field: "debt"}},
		{Node: match, Static: &search.Static{Field: "worth", Boost: -1}},
	} {
		_, want := s.cpu.Execute(context.Background(), []search.Query{q})
		_, err := x.Execute(context.Background(), []search.Query{q})
		if !errors.Is(err, query.ErrInvalid) || want == nil || err.Error() != want.Error() {
			t.Errorf("%+v: %v, want %v", q, err, want)
		}
	}
}

// A Stepper answers queries that ask for tables on the GPU once these are there, and a Group on any of its devices.
func TestTablesInSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 97))
	s := newShop(t, rng, 1500, 2)
	one, two := newDevice(testDevice(t, 1)), newDevice(testDevice(t, 1))
	g, err := NewGroup([]*Device{one, two}, s.snapshot, Options{Memory: 8 << 20, CPU: s.cpu})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var queries []search.Query
	for range 100 {
		queries = append(queries, s.query(rng))
	}
	s.sameAsCPU(t, g, queries)
	for i, x := range g.Executors() {
		if x.Stats().Tables == 0 {
			t.Errorf("device %d has no tables", i)
		}
	}
	p, err := NewStepper(g.Executors()[0], s.cpu, StepOptions{Load: true, Choose: func(s StepState) StepChoice { return StepRest }})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	onGPU := 0
	for _, q := range queries {
		var trace StepTrace
		got, err := p.Search(t.Context(), q, &trace)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.cpu.Search(t.Context(), q)
		if err != nil || !slices.Equal(got.Hits, want.Hits) {
			t.Fatalf("query %+v, static %+v, %+v:\n got %v\nwant %v", q, q.Static, trace, got.Hits, want.Hits)
		}
		if len(trace.Steps) == 1 && trace.Steps[0].Choice == StepRest {
			onGPU++
		}
	}
	if onGPU < 20 {
		t.Errorf("the GPU answers %d of %d queries", onGPU, len(queries))
	}
	bits, err := g.Filters(t.Context(), []Filter{{{{Where: query.Exists{Field: "worth"}}}, {{Bitmap: s.bitmaps[0]}}}})
	if err != nil || bits.Count(0) == 0 {
		t.Fatalf("%v", err)
	}
	if err := errors.Join(bits.Close(), g.Close()); err != nil {
		t.Error(err)
	}
	if _, err := g.Filters(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := new(Group).Filters(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("the zero value: %v", err)
	}
}
