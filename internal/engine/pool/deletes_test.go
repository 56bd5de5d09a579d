package pool

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// named is a hit by external id.
type named struct {
	id    string
	score float32
}

func names(t *testing.T, s *reader.Snapshot, hits []search.Hit) (all []named) {
	t.Helper()
	for _, h := range hits {
		id, err := s.AppendID(nil, h.Doc)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, named{string(id), h.Score})
	}
	return all
}

// Merging deleted documents away changes no answer: ids, scores to the bit, and order are the same,
// for every mode, algorithm and model.
func TestMergesKeepAnswers(t *testing.T) {
	rounds, n := longtest.Count(4, 8), longtest.Count(2000, 4000)
	for round := range rounds {
		rng := rand.New(rand.NewPCG(uint64(round), 41))
		l := querytest.NewLive(t, writer.Options{})
		docs := querytest.ZipfDocs(rng, n, 150, 10)
		share := []int{2, 30, 95, 0}[round%4] // per cent of operations that delete or replace
		added := 0
		for added < n {
			switch {
			case added > 0 && rng.IntN(100) < share:
				d := rng.IntN(added)
				if rng.IntN(3) == 0 {
					l.AddText(d, strings.Join(docs[rng.IntN(n)], " "))
				} else {
					l.Do(l.Delete(t.Context(), fmt.Appendf(nil, "d%07d", d)))
				}
				if share == 95 {
					added += 5 // not all of them are ever added
				}
			default:
				l.AddText(added, strings.Join(docs[added], " "))
				added++
			}
			if rng.IntN(n/2) == 0 {
				l.Do(l.Flush(t.Context()))
			}
			if rng.IntN(n/2) == 0 {
				l.Do(l.Commit(t.Context()))
			}
		}
		for d := range 3 { // deletes that no merge can have seen
			l.Do(l.Delete(t.Context(), fmt.Appendf(nil, "d%07d", d*n/3)))
		}
		before := l.Snapshot()
		l.MergeAll()
		compareAnswers(t, rng, before, l.Snapshot())
	}
}

// compareAnswers runs random queries over two snapshots of the same documents.
func compareAnswers(t *testing.T, rng *rand.Rand, a, b *reader.Snapshot) {
	t.Helper()
	st, merged := a.Stats(), b.Stats()
	if len(b.Segments()) > 1 || merged.Live != merged.Docs || merged.LiveTokens != merged.Tokens {
		t.Fatalf("not all deleted documents are gone: %+v", merged)
	}
	if st.Live != merged.Live || st.LiveTokens != merged.LiveTokens || st.AvgLen() != merged.AvgLen() {
		t.Fatalf("statistics %+v, merged %+v", st, merged)
	}
	searchers := make([]*search.Searcher, 2)
	for i, s := range []*reader.Snapshot{a, b} {
		var err error
		if searchers[i], err = search.NewSearcher(s, search.Options{}); err != nil {
			t.Fatal(err)
		}
		defer searchers[i].Close()
	}
	for range 15 {
		var words []string
		for range 1 + rng.IntN(5) {
			words = append(words, fmt.Sprintf("w%d", rng.IntN(1<<(1+rng.IntN(8)))))
		}
		q := search.Query{RawTerms: querytest.Terms(words...), K: []int{1, 10, 100, 10000}[rng.IntN(4)], Mode: query.Mode(rng.IntN(3))}
		r, err := searchers[1].Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		want := names(t, b, r.Hits)
		check := func(how any, r search.Result, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			if got := names(t, a, r.Hits); !slices.Equal(got, want) {
				t.Fatalf("%v, %v of %q, k %d: %v before merging, %v afterwards", how, q.Mode, words, q.K, got, want)
			}
		}
		for _, q.Algorithm = range search.Algorithms() {
			r, err := searchers[0].Search(t.Context(), q)
			check(q.Algorithm, r, err)
		}
		q.Algorithm = search.Auto
		for _, m := range models {
			p, err := New(searchers[0], Options{Workers: 3, Model: m, TaskPostings: 128})
			if err != nil {
				t.Fatal(err)
			}
			r, err := p.Search(context.Background(), q)
			p.Close()
			check(m, r, err)
		}
	}
}
