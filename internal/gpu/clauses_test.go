//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// drawPage makes q ask for its total, for the hits behind some place, or for those of some documents.
func drawPage(t *testing.T, rng *rand.Rand, cpu *search.Searcher, docs uint64, q search.Query) search.Query {
	t.Helper()
	if m, ok := q.Node.(query.Match); ok && m.Mode == query.ModeAndOr || q.Mode == query.ModeAndOr {
		return q
	}
	q.Total = rng.IntN(2) == 0
	if rng.IntN(6) == 0 {
		q.Filter = docset.NewGlobal(docset.Range(uint32(rng.Uint64N(docs)), uint32(docs)))
	}
	switch rng.IntN(4) {
	case 0:
		q.After = &search.Position{Score: rng.Float32() * 4, Doc: uint32(rng.Uint64N(docs)), Before: rng.IntN(3) == 0}
	case 1: // a page behind
		r, err := cpu.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) > 0 {
			last := r.Hits[rng.IntN(len(r.Hits))]
			q.After = &search.Position{Score: last.Score, Doc: last.Doc, Before: rng.IntN(4) == 0}
		}
	}
	return q
}

// compareTotals executes queries on x, which must give the hits and totals of cpu.
func compareTotals(t *testing.T, x search.Executor, cpu *search.Searcher, queries []search.Query) {
	t.Helper()
	want, err := cpu.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	for i := range queries {
		if !slices.Equal(got[i].Hits, want[i].Hits) || got[i].Total != want[i].Total {
			t.Fatalf("query %d, K %d, total %v, after %+v, filter %v of %+v %s:\n got %d %v\nwant %d %v", i, queries[i].K, queries[i].Total, queries[i].After, queries[i].Filter != nil,
				queries[i].Node, queries[i].Text, got[i].Total, got[i].Hits, want[i].Total, want[i].Hits)
		}
	}
}

// The device answers trees of terms, with totals and behind places, as the CPU does, to the bit: over fields with exact lengths, length codes
// and none, with weights and boosts, deleted documents, filters, several segments and one. It answers most of them.
func TestTreesEqualCPU(t *testing.T) {
	rounds, n := fieldRounds()
	ways := map[way]int{}
	for round := range rounds {
		rng := rand.New(rand.NewPCG(uint64(round), 91))
		withLibrary(t, rng, 200+rng.IntN(2500), func(l *gputrial.Library, s *reader.Snapshot, cpu *search.Searcher) {
			own, stored := &asked{Searcher: cpu}, rng.IntN(3) == 0 // in codecs that the kernel may not have
			x, err := New(newDevice(testDevice(t, uint64(round%2))), s, Options{Memory: 16 << 20, CPU: own, AsStored: stored, ranges: either(rng.IntN(3) == 0),
				tiles: rng.IntN(2) * 8, width: 1024 * rng.IntN(3), overflow: []int64{0, 64}[rng.IntN(2)]})
			if err != nil {
				t.Fatal(err)
			}
			var queries []search.Query
			for range n {
				q := l.Query(rng)
				if rng.IntN(3) > 0 {
					q.Node, q.Text = l.Tree(rng), ""
				}
				q = drawPage(t, rng, cpu, uint64(l.Docs), q)
				plan, err := x.Plan(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range plan.Steps {
					ways[s.way]++
				}
				queries = append(queries, q)
			}
			compareTotals(t, x, cpu, queries)
			compareTotals(t, x, cpu, queries[:n/3])
			if x.Err() != nil || own.n > n/2 && !stored {
				t.Errorf("round %d: %v, %d of %d queries on the CPU: %+v", round, x.Err(), own.n, n*4/3, x.Stats().OnCPU)
			}
			closeExecutor(t, x)
		})
	}
	for _, w := range []way{byAnd, byLists, byRanges, byClauses, byDrivers} {
		if ways[w] < n/20 {
			t.Errorf("of %d queries: %v", rounds*n, ways)
		}
	}
}

// In an index that keeps an order, and in one without a schema, trees and totals are those of the CPU too.
func TestTreesOfOtherIndexes(t *testing.T) {
	for round := range few(4, 12) {
		rng := rand.New(rand.NewPCG(uint64(round), 92))
		fs := memfs.New()
		o := writer.Options{MergePolicy: writer.NoMerges, Schema: schema.Implicit("whitespace", "", false)}
		if round%2 == 0 {
			o.Order = writer.OrderField("n", rng.IntN(2) == 0)
			o.Schema = &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Analyzer: "whitespace"}, {Name: "n", Kind: schema.Integer, Column: true}}}
		}
		w, err := writer.OpenFS(t.Context(), fs, o)
		if err != nil {
			t.Fatal(err)
		}
		docs := 100 + rng.IntN(900)
		for d := range docs {
			var text strings.Builder
			for range 1 + rng.IntN(12) {
				fmt.Fprintf(&text, " t%d", drawnWord(rng))
			}
			doc := writer.Text(fmt.Append(nil, d), []byte(text.String()))
			if round%2 == 0 {
				doc = writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{schema.TextValue(0, []byte(text.String())), schema.IntegerValue(1, rng.Int64N(9))}}
			}
			if err = errors.Join(err, w.Add(t.Context(), doc)); d%300 == 299 {
				err = errors.Join(err, w.Flush(t.Context()))
			}
		}
		err = errors.Join(err, w.Delete(t.Context(), []byte("7")), w.Commit(t.Context()), w.Close())
		index, openErr := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
		if err = errors.Join(err, openErr); err != nil {
			t.Fatal(err)
		}
		s, err := index.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		cpu, err := search.NewSearcher(s, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := New(newDevice(testDevice(t, uint64(round%2))), s, Options{Memory: 8 << 20, CPU: cpu, AsStored: rng.IntN(3) == 0, ranges: either(rng.IntN(3) == 0)})
		if err != nil {
			t.Fatal(err)
		}
		var queries []search.Query
		for range few(60, 200) {
			queries = append(queries, drawPage(t, rng, cpu, uint64(docs), search.Query{Node: plainTree(rng), K: []int{1, 3, 10, 100}[rng.IntN(4)]}))
		}
		compareTotals(t, x, cpu, queries)
		closeExecutor(t, x)
		if err := errors.Join(cpu.Close(), s.Close(), index.Close()); err != nil {
			t.Error(err)
		}
	}
}

// Refuse leaves trees to the CPU that clauses cannot say, and no others.
func TestRefuseTrees(t *testing.T) {
	term := func(text string) query.Node { return query.Term{Text: text} }
	all := func(nodes ...query.Node) query.Bool { return query.Bool{Must: nodes} }
	any := func(nodes ...query.Node) query.Bool { return query.Bool{Should: nodes} }
	deep := term("a")
	for range 20 {
		deep = all(deep)
	}
	a, b, column := term("a"), term("b"), query.Exists{Field: "n"}
	for _, c := range []struct {
		n  query.Node
		is Reason
	}{
		{all(a, any(a, b)), OnDevice}, {query.Bool{Must: []query.Node{a, column}, Should: []query.Node{b}, MustNot: []query.Node{any(a, b), column}, Filter: []query.Node{column, b}}, OnDevice},
		{query.Bool{Should: []query.Node{a, b, a}, AtLeast: 2}, OnDevice}, {query.Best{Of: []query.Node{a, all(a, b)}}, OnDevice}, {query.And{a, column, query.Or{a, b}}, OnDevice},
		{query.Bool{Should: []query.Node{all(a, b)}, MustNot: []query.Node{a}}, OnDevice}, {query.Match{Text: "a b", Mode: query.ModeAnd}, OnDevice},
		{any(a, all(a, b)), reasonNodes}, {query.Bool{Must: []query.Node{a}, MustNot: []query.Node{all(a, b)}}, reasonNodes}, {all(a, query.Prefix{Text: "a"}), reasonNodes},
		{query.Const{Node: a}, reasonNodes}, {query.All{}, reasonNodes}, {query.Match{Text: "a", Typos: true}, reasonNodes}, {deep, reasonNodes}, {column, reasonNodes},
	} {
		if got := Refuse(&search.Query{Node: c.n, K: 10}); got != c.is {
			t.Errorf("%+v: %q, want %q", c.n, got, c.is)
		}
	}
}
