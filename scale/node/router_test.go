package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// same compares an answer, or an error, with that of one index.
func same(t *testing.T, shards int, x *httpapi.Request, got, want *httpapi.Response, err, wantErr error) {
	t.Helper()
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%d shards, %+v: %v, want %v", shards, x, err, wantErr)
	}
	if err == nil && x.Collapse != "" && x.Fuse == nil && got.Next != "" && want.Next != "" { // an offset, which all take
		own := *want
		own.Next, want = got.Next, &own
	}
	a, errA := json.Marshal(got)
	b, errB := json.Marshal(want)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if string(a) != string(b) {
		t.Fatalf("%d shards, %+v:\n got %.2000s\nwant %.2000s", shards, x, a, b)
	}
}

// Any number of shards answers as one index does, to the bit: hits, scores, order, totals, facets, values, and page after
// page.
func TestShards(t *testing.T) {
	queries := 400
	if testing.Short() {
		queries = 100
	}
	rng := rand.New(rand.NewPCG(38, 10))
	url, _ := startNATS(t)
	for i, shards := range []int{1, 3, 10} {
		paths := writeOrdered(t, rng, t.TempDir(), []writer.Order{"", writer.OrderField("brand", true), writer.OrderField("price", false)}[i], shards, 0, 500)
		router, _ := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: fmt.Sprint("s", shards), Cache: 10 * (shards % 2)})
		whole := wholeOf(t, paths)
		failed, hits := 0, 0
		for range queries {
			x := drawRequest(rng)
			for range 3 {
				want, wantErr := whole.Search(t.Context(), x)
				got, err := router.Search(t.Context(), x)
				same(t, shards, x, got, want, err, wantErr)
				if err != nil {
					failed++
					break
				}
				hits += len(got.Hits)
				if x.After = got.Next; got.Next == "" || x.Offset > 0 {
					break
				}
			}
			c := &httpapi.CountRequest{Query: x.Query, Text: x.Text, Like: x.Like, Vector: x.Vector, Nearest: x.Nearest, Fuse: x.Fuse, Filter: x.Filter, Typos: x.Typos}
			want, wantErr := whole.Count(t.Context(), c)
			got, err := router.Count(t.Context(), c)
			if (err == nil) != (wantErr == nil) || err == nil && *got != *want {
				t.Fatalf("%d shards, %+v: %+v, %v, want %+v, %v", shards, c, got, err, want, wantErr)
			}
		}
		if failed > queries/4 || hits < queries {
			t.Errorf("%d shards: %d of %d queries fail, %d hits", shards, failed, queries, hits)
		}
		for _, prefix := range []string{"w", "w1", "w11", "nothing"} {
			x := &httpapi.SuggestRequest{Field: "body", Prefix: prefix, K: 7}
			want, _ := whole.Suggest(t.Context(), x)
			got, err := router.Suggest(t.Context(), x)
			if a, b := fmt.Sprint(got), fmt.Sprint(want); err != nil || a != b {
				t.Errorf("%d shards, words with %q: %s, %v, want %s", shards, prefix, a, err, b)
			}
		}
		for range queries / 4 {
			x := &httpapi.SuggestRequest{Field: []string{"title", "body", "brand"}[rng.IntN(3)], Text: []string{"w", "w1", "w7 w", "w13 W2", "w1x", "brand1", "brnd1", "xw "}[rng.IntN(8)], K: rng.IntN(20),
				Filter: []string{"", "", "price < 30"}[rng.IntN(3)], By: []string{"", "price"}[rng.IntN(2)], Exact: rng.IntN(3) == 0}
			want, wantErr := whole.Suggest(t.Context(), x)
			got, err := router.Suggest(t.Context(), x)
			if a, b := fmt.Sprint(got), fmt.Sprint(want); err != nil || wantErr != nil || a != b {
				t.Errorf("%d shards, %+v: %s, %v, want %s, %v", shards, x, a, err, b, wantErr)
			}
		}
	}
}

// Shards that differ in k1, b and weights answer as one index does that has those of the newest commit, also while one of them is
// missing.
func TestShardsRankInOneWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 13))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 300)
	s := testSchema()
	s.Fields[0].Boost, s.Fields[0].K1, s.Fields[1].B, s.Fields[1].Boost = 0.5, 2.5, query.Zero, 4
	for _, path := range []string{paths[0], paths[2]} {
		w, err := writer.Open(t.Context(), path, writer.Options{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	router, nodes := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "ranks"})
	whole := wholeOf(t, paths) // the schema of the first
	for range 60 {
		x := drawRequest(rng)
		want, wantErr := whole.Search(t.Context(), x)
		got, err := router.Search(t.Context(), x)
		same(t, 3, x, got, want, err, wantErr)
	}
	nodes[1][0].Close()
	x := &httpapi.Request{Text: "w3 w5", Filter: "price >= 0", Partial: true}
	x.Text += " w1234" // whose frequency nobody has asked for
	want, err := wholeOf(t, []string{paths[0], paths[2]}).Search(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	got, err := router.Search(t.Context(), x)
	if err != nil || !got.Partial || len(got.Hits) != len(want.Hits) || len(want.Hits) == 0 {
		t.Fatalf("%+v, %v, want %+v", got, err, want)
	}
	for i := range got.Hits {
		if got.Hits[i].Score != want.Hits[i].Score {
			t.Fatalf("%+v: %+v, want %+v", x, got.Hits, want.Hits)
		}
	}
	s.Fields[0].Stored = false
	path := filepath.Join(t.TempDir(), "other")
	w, err := writer.Open(t.Context(), path, writer.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := startNode(t, connect(t, url), path, Options{Collection: "ranks", Shard: 1, Shards: 3}); !errors.Is(err, ErrDifferent) {
		t.Errorf("a shard that differs otherwise: %v", err)
	}
}

// Shards of which no field is indexed answer as one index does.
func TestNoIndexedField(t *testing.T) {
	url, _ := startNATS(t)
	dir := t.TempDir()
	var paths []string
	for shard := range 3 {
		paths = append(paths, filepath.Join(dir, fmt.Sprint(shard)))
		w, err := writer.Open(t.Context(), paths[shard], writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
			{Name: "level", Kind: schema.Keyword, Index: schema.IndexNone, Column: true, Stored: true}, {Name: "n", Kind: schema.Integer, Column: true}}}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			id := fmt.Append(nil, i)
			if ShardOf(id, 3) != shard {
				continue
			}
			if err := w.Add(t.Context(), writer.Doc{ID: id, Values: []schema.Value{schema.KeywordValue(0, fmt.Append(nil, i%3)), schema.IntegerValue(1, int64(i))}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	router, _ := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "columns"})
	whole := wholeOf(t, paths)
	for _, x := range []*httpapi.Request{
		{Query: "*", Total: true}, {Query: "n:>2 level:1", K: 3}, {Query: "*", Filter: "n < 9", Sort: []string{"-n", "level"}, K: 5, Facets: []httpapi.Facet{{Field: "level"}}},
		{Query: "*", Sort: []string{"level", "_score"}, K: 5}, {Query: "*", Sort: []string{"_score", "-n"}, K: 5},
		{Query: "level:(0 OR 2)", Values: true}, {Query: "word"}, {Query: "wo*"},
	} {
		want, wantErr := whole.Search(t.Context(), x)
		got, err := router.Search(t.Context(), x)
		same(t, 3, x, got, want, err, wantErr)
		if status, _ := codeOf(err); err != nil && status != 400 || err == nil && len(got.Hits) == 0 {
			t.Errorf("%+v: %+v, %v", x, got, err)
		}
	}
}

// Queries while shards go on are each of one state of all shards: an answer is that of the index before or after a
// commit of some shard.
func TestShardsChange(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 11))
	url, _ := startNATS(t)
	dir := t.TempDir()
	paths := writeShards(t, rng, dir, 3, 0, 200)
	router, _ := startAll(t, url, paths, 2, 20*time.Millisecond, RouterOptions{Collection: "change", Cache: 100})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for i := range 2 {
		running.Add(1)
		go func() {
			defer running.Done()
			own := rand.New(rand.NewPCG(1, uint64(i)))
			for ctx.Err() == nil {
				x := &httpapi.Request{Text: drawText(own, 3), K: 1000}
				a, err := router.Search(context.Background(), x)
				if err != nil {
					t.Errorf("%+v: %v", x, err)
					return
				}
				if slices.ContainsFunc(a.Hits, func(h httpapi.Hit) bool { return !(h.Score > 0) }) {
					t.Errorf("%+v: a hit without a score", x)
				}
			}
		}()
	}
	for round := 1; round < 6; round++ {
		writeShards(t, rng, dir, 3, 200*round, 200)
	}
	whole := wholeOf(t, paths)
	want, err := whole.Summary(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if got, err := router.Summary(ctx); err == nil && got.Documents == want.Documents && got.Segments == want.Segments {
			break
		} else if time.Now().After(until) {
			t.Fatalf("the router has %+v, %v, want %+v", got, err, want)
		}
	}
	cancel()
	running.Wait()
	for range 50 {
		x := drawRequest(rng)
		want, wantErr := whole.Search(t.Context(), x)
		got, err := router.Search(t.Context(), x)
		same(t, 3, x, got, want, err, wantErr)
	}
}

// codeOf returns the status and code of an error.
func codeOf(err error) (int, string) {
	var e *httpapi.Error
	if errors.As(err, &e) {
		return e.Status, e.Code
	}
	return 0, ""
}

// A shard that is missing fails a request within its time, or is left out of an answer that says so. One that comes back
// is asked again.
func TestShardMissing(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 12))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 300)
	router, nodes := startAll(t, url, paths, 2, time.Second, RouterOptions{Collection: "missing", Absence: 50 * time.Millisecond})
	x := &httpapi.Request{Text: "w1 w2 w3", K: 20, Total: true, Facets: []httpapi.Facet{{Field: "price", Ranges: []string{"0..20"}}}}
	whole, rest := wholeOf(t, paths), wholeOf(t, []string{paths[0], paths[2]})
	check := func(with httpapi.Backend) {
		t.Helper()
		want, wantErr := with.Search(t.Context(), x)
		got, err := router.Search(t.Context(), x)
		if got != nil {
			for i := range got.Hits { // docIDs are those of all shards
				got.Hits[i].Doc, want.Hits[i].Doc = 0, 0
			}
			want.Partial = x.Partial
		}
		same(t, 3, x, got, want, err, wantErr)
		if err != nil {
			t.Errorf("%+v: %v", x, err)
		}
	}
	nodes[1][0].Close()
	check(whole)
	nodes[1][1].Close()
	_, err := router.Search(t.Context(), x)
	if status, code := codeOf(err); status != http.StatusServiceUnavailable || code != httpapi.CodeUnavailable {
		t.Errorf("without a shard: %v", err)
	}
	fresh := *x
	fresh.Text, fresh.Partial = "w4 w5", true // whose frequencies nobody has asked for
	x = &fresh
	check(rest)
	n, err := router.Count(t.Context(), &httpapi.CountRequest{Text: "w4", Partial: true})
	if err != nil || !n.Partial {
		t.Errorf("a count without a shard: %+v, %v", n, err)
	}
	if _, err := startNode(t, connect(t, url), paths[1], Options{Collection: "missing", Shard: 1, Shards: 3}); err != nil {
		t.Fatal(err)
	}
	x.Partial = false
	check(whole)
}

// Requests are counted, and told, with their rounds and attempts.
func TestObserve(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 24))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 100)
	var all []Observation
	router, _ := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "observe", Cache: 10, Observe: func(o Observation) { all = append(all, o) }})
	for _, text := range []string{"w1", "w1", "w1 w1", ""} { // two rounds; remembered; one round; an error
		router.Search(t.Context(), &httpapi.Request{Text: text})
	}
	for i, rounds := range []int{2, 0, 1, 0} {
		o := all[i]
		if o.What != "search" || o.Rounds != rounds || o.Attempts < 3*rounds || o.Took < o.Nodes || (o.Nodes > 0) != (rounds > 0) || (o.Err != nil) != (i == 3) {
			t.Errorf("request %d: %+v", i, o)
		}
	}
	var b strings.Builder
	router.WriteMetrics(&b)
	for _, want := range []string{"pinion_router_requests_total 4\n", "pinion_router_failed_total 1\n", "pinion_router_rounds_total 3\n", "pinion_router_shards 3\n"} {
		if !strings.Contains(b.String(), "\n"+want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
}
