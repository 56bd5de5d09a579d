package node

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/writer"
)

// Lists are asked at the same time: what shows hits takes a round more than the longest of them, and a Rescore rounds of its own.
func TestFuseRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 40))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 200)
	var all []Observation
	router, _ := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "fuserounds", Observe: func(o Observation) { all = append(all, o) }})
	whole, near := wholeOf(t, paths), &httpapi.Nearest{Field: "dense", Vector: []float32{1, 1, 1}}
	lists := []httpapi.FuseList{{Text: "w1 w2"}, {Nearest: near, K: 30}}
	similar := &httpapi.Rescore{Similarity: &httpapi.Similarity{Field: "dense", Vector: near.Vector}, N: 20}
	for _, c := range []struct {
		x      httpapi.Request
		rounds int
	}{
		{httpapi.Request{Fuse: &httpapi.Fuse{Lists: lists[:1]}}, 3}, // frequencies, hits, what they show
		{httpapi.Request{Fuse: &httpapi.Fuse{Lists: lists[:1]}, Total: true}, 2},
		{httpapi.Request{Fuse: &httpapi.Fuse{Lists: lists}}, 3},
		{httpapi.Request{Fuse: &httpapi.Fuse{Lists: lists}, Rescore: similar}, 4},
		{httpapi.Request{Fuse: &httpapi.Fuse{Lists: lists}, Rescore: &httpapi.Rescore{Nearest: near, N: 5}, Total: true}, 5},
		{httpapi.Request{Text: "w1 w2", Rescore: similar, Total: true}, 3},
		{httpapi.Request{Text: "w1 w2", Rescore: &httpapi.Rescore{Text: "w3"}}, 4},
	} {
		want, wantErr := whole.Search(t.Context(), &c.x)
		got, err := router.Search(t.Context(), &c.x)
		same(t, 3, &c.x, got, want, err, wantErr)
		if o := all[len(all)-1]; o.Rounds != c.rounds || len(got.Hits) == 0 || o.Attempts < c.rounds || o.Nodes <= 0 {
			t.Errorf("%+v: %+v, want %d rounds; %d hits", c.x, o, c.rounds, len(got.Hits))
		}
	}
}

// Page after page is the list of one index, also of shards that keep an order and of scores that are equal, and shows what hits have.
func TestFusePages(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 41))
	url, _ := startNATS(t)
	for i, order := range []writer.Order{"", writer.OrderField("price", true)} {
		paths := writeOrdered(t, rng, t.TempDir(), order, 4, 0, 300)
		router, _ := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: fmt.Sprint("fusepages", i), Cache: 3})
		whole := wholeOf(t, paths)
		for range 20 {
			x := &httpapi.Request{K: 1 + rng.IntN(9), Values: true}
			if rng.IntN(2) == 0 {
				x.Query = "*" // of equal scores
				rescore(rng, x)
			} else {
				fuse(rng, x)
				x.Fuse.Lists[0] = httpapi.FuseList{Query: "*"}
			}
			all, pages := *x, 0
			all.K = 1000
			want, err := whole.Search(t.Context(), &all)
			if err != nil {
				continue // of a query that is refused
			}
			var hits []httpapi.Hit
			for {
				p, err := router.Search(t.Context(), x)
				if err != nil {
					t.Fatal(err)
				}
				hits = append(hits, p.Hits...)
				pages++
				if x.After = p.Next; p.Next == "" {
					break
				}
			}
			same(t, 4, x, &httpapi.Response{Hits: hits, Words: want.Words, Limited: want.Limited}, want, nil, nil)
			if x.Collapse == "" && len(hits) < 100 || pages < len(hits)/10 {
				t.Errorf("%d hits on %d pages", len(hits), pages)
			}
		}
	}
}

// Without a shard that is missing, the list is that of the others.
func TestFuseMissing(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 42))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 300)
	router, nodes := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "fusemissing", Absence: 50 * time.Millisecond})
	near := &httpapi.Nearest{Field: "dense", Vector: []float32{1, 1, 1}, K: 25}
	x := &httpapi.Request{K: 30, Total: true, Fuse: &httpapi.Fuse{Lists: []httpapi.FuseList{{Text: "w1 w2"}, {Nearest: near}}}, Rescore: &httpapi.Rescore{Nearest: near}}
	if _, err := router.Search(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	nodes[1][0].Close()
	_, err := router.Search(t.Context(), x)
	if status, code := codeOf(err); status != http.StatusServiceUnavailable || code != httpapi.CodeUnavailable {
		t.Errorf("without a shard: %v", err)
	}
	x.Partial = true
	want, wantErr := wholeOf(t, []string{paths[0], paths[2]}).Search(t.Context(), x)
	got, err := router.Search(t.Context(), x)
	if got != nil && want != nil {
		for i := range got.Hits { // docIDs are those of all shards
			got.Hits[i].Doc, want.Hits[i].Doc = 0, 0
		}
		want.Partial = true
	}
	same(t, 3, x, got, want, err, wantErr)
	n, err := router.Count(t.Context(), &httpapi.CountRequest{Fuse: x.Fuse, Partial: true})
	if err != nil || n.Count != *want.Total {
		t.Errorf("%+v, %v, want %d", n, err, *want.Total)
	}
}

// What a list or a Rescore has wrong is refused by name.
func TestFuseRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 43))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 2, 0, 50)
	router, nodes := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "fuserefused"})
	for _, c := range []struct {
		x    httpapi.Request
		want string
	}{
		{httpapi.Request{Text: "w1", Sort: []string{"price"}, Rescore: &httpapi.Rescore{Text: "w2"}}, "sort"},
		{httpapi.Request{Fuse: &httpapi.Fuse{Lists: []httpapi.FuseList{{Text: "w1"}, {Query: "w*", K: -1}}}}, "fuse.lists[1].k"},
		{httpapi.Request{Fuse: &httpapi.Fuse{Lists: []httpapi.FuseList{{Text: "w1"}}}, Collapse: "body"}, "collapse"},
		{httpapi.Request{Fuse: &httpapi.Fuse{Lists: []httpapi.FuseList{{Text: "w1"}}}, Rescore: &httpapi.Rescore{Text: "w2", N: -1}}, "rescore.n"},
	} {
		_, err := router.Search(t.Context(), &c.x)
		if status, _ := codeOf(err); status != http.StatusBadRequest || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.x, err, c.want)
		}
	}
	v := router.view.Load()
	for _, kind := range []byte{askShow, askSearch | rescoring, askFrequencies | rescoring} {
		a := ask{kind: kind, commit: v.Shards[0].Commit, timeout: 1e6, request: []byte(`{"text": "w1"}`), collection: collection(v.sum), docs: []uint32{1 << 30}}
		if _, err := nodes[0][0].answer(t.Context(), a.encode()); err == nil {
			t.Errorf("kind %d is answered", kind)
		}
	}
}

// Hits are divided among shards of which some have no documents.
func TestDivide(t *testing.T) {
	q := question{v: &view{Map: Map{Shards: make([]Shard, 5)}, bases: []uint32{0, 0, 10, 10, 12}}}
	docs, at := q.divide([]pinion.Hit{{Doc: 11}, {Doc: 0}, {Doc: 9}, {Doc: 12}, {Doc: 10}, {Doc: 99}})
	if got, want := fmt.Sprint(docs, at), "[[] [0 9] [] [1 0] [0 87]] [{3 0} {1 0} {1 1} {4 0} {3 1} {4 1}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
