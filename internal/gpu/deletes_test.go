//go:build (emu || cuda) && cgo

package gpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// The device answers over deleted documents as a Searcher does, and as over the index after a merge
// has dropped them: with the same ids, scores and order.
func TestMergesKeepAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(err)
	defer w.Close()
	const n = 3000
	for i := range n {
		if i == n/2 {
			do(w.Flush(t.Context()))
		}
		text := strings.Repeat("all ", 1+i%3) + fmt.Sprintf("t%d t%d t%d u%d", rng.IntN(3), rng.IntN(20), rng.IntN(20), rng.IntN(200))
		do(w.Add(t.Context(), writer.Text(fmt.Append(nil, rng.IntN(2*n/3)), []byte(text))))
	}
	do(w.Commit(t.Context()))
	for range n / 10 {
		do(w.Delete(t.Context(), fmt.Append(nil, rng.IntN(n))))
	}
	do(w.Commit(t.Context()))
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	defer index.Close()
	var queries []search.Query
	for range 30 {
		var terms [][]byte
		for range 1 + rng.IntN(4) {
			terms = append(terms, []byte([]string{"all", fmt.Sprintf("t%d", rng.IntN(20)), fmt.Sprintf("u%d", rng.IntN(210))}[rng.IntN(3)]))
		}
		queries = append(queries, search.Query{RawTerms: terms, K: []int{1, 10, 1000}[rng.IntN(3)], Mode: query.Mode(rng.IntN(3))})
	}
	before := deviceAnswers(t, index, queries)
	_, err = w.Merge(t.Context(), writer.MergeOptions{})
	do(err)
	do(w.Commit(t.Context()))
	_, err = index.Refresh(t.Context())
	do(err)
	after := deviceAnswers(t, index, queries)
	for i, q := range queries {
		if !slices.Equal(before[i], after[i]) {
			t.Fatalf("%v of %q: %v before merging, %v afterwards", q.Mode, q.RawTerms, before[i], after[i])
		}
	}
}

// deviceAnswers returns the ids and scores of the hits on a device, which must be those of a Searcher.
func deviceAnswers(t *testing.T, index *reader.Index, queries []search.Query) (all [][]string) {
	t.Helper()
	s, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { searcher.Close() })
	want, err := searcher.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	views, err := segmentsOf(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	dev := testDevice(t, 1)
	defer dev.Close()
	x, err := newExecutor(dev, views, Options{Scorer: searcher.Scorer(), Memory: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	got, err := x.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	for i := range queries {
		if !slices.Equal(got[i].Hits, want[i].Hits) {
			t.Fatalf("%v of %q: %v on the device, want %v", queries[i].Mode, queries[i].RawTerms, got[i].Hits, want[i].Hits)
		}
		var hits []string
		for _, h := range got[i].Hits {
			id, err := s.AppendID(nil, h.Doc)
			if err != nil {
				t.Fatal(err)
			}
			hits = append(hits, fmt.Sprintf("%s %x", id, h.Score))
		}
		all = append(all, hits)
	}
	return all
}
