package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// liveSearcher commits what l holds and returns a Searcher over it.
func liveSearcher(t *testing.T, l *querytest.Live) *Searcher {
	s, err := NewSearcher(l.Snapshot(), Options{})
	l.Do(err)
	t.Cleanup(func() { s.Close() })
	return s
}

// Real text through writer, merge, reader and every algorithm. The oracle tokenizes the text by
// itself.
func TestRealText(t *testing.T) {
	longtest.Once(t)
	texts := querytest.Verses(t)
	if !longtest.Enabled() {
		texts = texts[:4000]
	}
	ctx := context.Background()
	l := querytest.NewLive(t, writer.Options{})
	other := querytest.NewLive(t, writer.Options{DocsCodec: "vbyte128", FreqsCodec: "vbyte128"})
	long := querytest.NewLive(t, writer.Options{DocsCodec: "vbyte1024", FreqsCodec: "vbyte1024"})
	docs := make([][]string, len(texts))
	for i, text := range texts {
		docs[i] = querytest.Words(text)
		d := writer.Text(fmt.Appendf(nil, "v%d", i), []byte(text))
		l.Do(l.Add(ctx, d))
		other.Do(other.Add(ctx, d))
		long.Do(long.Add(ctx, d))
		if i == len(texts)/3 || i == len(texts)/2 {
			l.Do(l.Flush(ctx))
		}
	}
	c := &collection{docs: docs, oracle: newOracle(docs, nil), params: query.DefaultParams()}
	c.searchers = append(c.searchers, liveSearcher(t, l))
	if n := c.searchers[0].engine.Segments(); n < 3 {
		t.Fatalf("%d segments, want 3", n)
	}
	l.MergeAll()
	c.searchers = append(c.searchers, liveSearcher(t, l), liveSearcher(t, other), liveSearcher(t, long))

	rng := rand.New(rand.NewPCG(17, 18))
	queries := []string{"In the beginning", "the LORD is my shepherd", "and", "jesus wept", "begat begat", "nosuchword darkness", "thou shalt not kill"}
	for range 25 {
		d := docs[rng.IntN(len(docs))]
		at := rng.IntN(len(d))
		queries = append(queries, fmt.Sprint(d[at:min(len(d), at+1+rng.IntN(7))]))
	}
	for _, q := range queries {
		ts, err := c.searchers[0].Parse(q)
		if err != nil {
			t.Fatal(err)
		}
		var parsed []string
		for _, w := range ts {
			parsed = append(parsed, string(w))
		}
		if !slices.Equal(parsed, querytest.Words(q)) {
			t.Fatalf("%q is parsed as %q", q, parsed)
		}
		for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
			for _, k := range []int{10, 300} {
				if err := c.check(t, parsed, k, mode, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// Deleted and replaced documents are never hits, and count in the statistics
// until a merge drops them.
func TestDeletesAcrossMerge(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(19, 20))
	docs := querytest.ZipfDocs(rng, 900, 60, 8)
	l := querytest.NewLive(t, writer.Options{Schema: schema.Implicit("whitespace", "", false)})
	for i, d := range docs {
		text := ""
		for _, w := range d {
			text += w + " "
		}
		l.Do(l.Add(ctx, writer.Text(fmt.Appendf(nil, "d%d", i), []byte(text))))
		if i%400 == 399 {
			l.Do(l.Commit(ctx))
		}
	}
	l.Do(l.Commit(ctx))
	deleted := map[int]bool{}
	for len(deleted) < 200 {
		d := rng.IntN(len(docs))
		deleted[d] = true
		l.Do(l.Delete(ctx, fmt.Appendf(nil, "d%d", d)))
	}
	before := &collection{docs: docs, oracle: newOracle(docs, deleted), params: query.DefaultParams(), searchers: []*Searcher{liveSearcher(t, l)}}
	l.MergeAll()
	var kept [][]string
	for i, d := range docs {
		if !deleted[i] {
			kept = append(kept, d)
		}
	}
	after := &collection{docs: kept, oracle: newOracle(kept, nil), params: query.DefaultParams(), searchers: []*Searcher{liveSearcher(t, l)}}
	for range 20 {
		ws := []string{fmt.Sprintf("w%d", rng.IntN(60)), fmt.Sprintf("w%d", rng.IntN(60)), fmt.Sprintf("w%d", rng.IntN(9))}
		for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
			for _, c := range []*collection{before, after} {
				if err := c.check(t, ws, 10, mode, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
