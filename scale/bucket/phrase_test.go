package bucket

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gocloud.dev/blob/memblob"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Phrases in a bucket have the hits of the directory. Their positions come with the lists of their words, in one round.
func TestPhrases(t *testing.T) {
	const latency = 50 * time.Millisecond
	dir, r := t.TempDir(), rand.New(rand.NewPCG(5, 5))
	w, err := writer.Open(t.Context(), dir, writer.Options{MergePolicy: writer.NoMerges, Threads: 1, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "body", Kind: schema.Text, Analyzer: "simple", Positions: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 * 10000 {
		err := w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.TextValue(0, []byte(text(r, 40)))}})
		if i%10000 == 9999 {
			err = errors.Join(err, w.Commit(t.Context()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	mem := memblob.OpenBucket(nil)
	m := upload(t, dir, mem)
	slow := lag.New(lag.Model{Median: latency, P999: latency}, 1).Bucket(mem)
	over := func(s *reader.Snapshot, ask func(x *search.Searcher)) {
		t.Helper()
		x, err := search.NewSearcher(s, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		ask(x)
	}
	local, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	mapped, err := local.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	for range 8 {
		a, b, c := words[r.IntN(20)], words[r.IntN(20)], words[r.IntN(20)]
		for _, n := range []query.Node{
			query.Phrase{Field: "body", Text: a + " " + b},
			query.Bool{Must: []query.Node{query.Phrase{Field: "body", Text: a + " " + b, Slop: 2}}, Should: []query.Node{query.Match{Field: "body", Text: c}}},
			query.Near{Field: "body", Text: a + " " + b + " " + c, Distance: 5},
		} {
			q := search.Query{Node: n, K: 10}
			var want search.Result
			over(mapped, func(x *search.Searcher) {
				if want, err = x.Search(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				x, err := Open(t.Context(), slow, ReadOptions{NoHedge: true})
				if err != nil {
					t.Fatal(err)
				}
				defer x.Close()
				s, err := x.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				over(s, func(x *search.Searcher) {
					meter := reader.NewMeter(reader.Budget{})
					ctx := reader.WithMeter(t.Context(), meter)
					start := time.Now()
					got, err := x.Search(ctx, q)
					if err != nil || !slices.Equal(got.Hits, want.Hits) {
						t.Errorf("%+v: %v, %v, want %v", n, got.Hits, err, want.Hits)
					}
					if d, u := time.Since(start), meter.Usage(); d > latency || u.Rounds != 1 || u.Requests > 6*segmentsOf(m) || len(got.Hits) == 0 {
						t.Errorf("%+v: %v, counted %+v", n, d, u)
					}
				})
				time.Sleep(latency) // where ids are, which nobody waits for
			})
		}
	}
}
