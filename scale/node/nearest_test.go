package node

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
)

// A request for the nearest takes a round more than one without, and others take none.
func TestNearestRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 30))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 200)
	var all []Observation
	router, _ := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "rounds", Observe: func(o Observation) { all = append(all, o) }})
	whole, near := wholeOf(t, paths), &httpapi.Nearest{Field: "dense", Vector: []float32{1, 1, 1}, K: 20}
	for _, c := range []struct {
		x      httpapi.Request
		rounds int
	}{
		{httpapi.Request{Nearest: near}, 2},
		{httpapi.Request{Nearest: near, Text: "w1"}, 3},
		{httpapi.Request{Nearest: near, Text: "w1"}, 2},
		{httpapi.Request{Nearest: near, Query: "w2*"}, 3},
		{httpapi.Request{Text: "w1"}, 1},
		{httpapi.Request{Text: "w1", Similarity: &httpapi.Similarity{Field: "dense", Vector: near.Vector}}, 1},
	} {
		want, wantErr := whole.Search(t.Context(), &c.x)
		got, err := router.Search(t.Context(), &c.x)
		same(t, 3, &c.x, got, want, err, wantErr)
		if o := all[len(all)-1]; o.Rounds != c.rounds || len(got.Hits) == 0 {
			t.Errorf("%+v: %d rounds, want %d; %d hits", c.x, o.Rounds, c.rounds, len(got.Hits))
		}
	}
	n, err := router.Count(t.Context(), &httpapi.CountRequest{Nearest: near})
	if o := all[len(all)-1]; err != nil || n.Count != 20 || o.Rounds != 2 || o.What != "count" {
		t.Errorf("%+v, %v, %+v", n, err, o)
	}
}

// Each round tells the nodes how much time is left of it.
func TestRoundsTimeout(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 33))
	url, nc := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 1, 0, 50)
	router, _ := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "timeouts"})
	asks, err := nc.SubscribeSync(subjectOf("timeouts", 0)) // beside the node
	if err == nil {
		err = nc.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := router.Search(t.Context(), &httpapi.Request{Text: "w1", Nearest: &httpapi.Nearest{Field: "dense", Vector: []float32{1, 1, 1}, K: 5}}); err != nil {
		t.Fatal(err)
	}
	left := map[byte]uint64{}
	for left[askSearch] == 0 {
		m, err := asks.NextMsg(time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		var a ask
		if err := a.decode(m.Data); err != nil {
			t.Fatal(err)
		}
		left[a.kind] = a.timeout
	}
	if !(left[askFrequencies] > left[askNeighbors] && left[askNeighbors] > left[askSearch]) {
		t.Errorf("microseconds that are left: %v", left)
	}
}

// Without a shard that is missing, the nearest are those of the others: also if it goes missing behind the first round, or what words
// are in is known of all.
func TestNearestMissing(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 31))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 300)
	router, nodes := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "nearmissing", Absence: 50 * time.Millisecond})
	near := &httpapi.Nearest{Field: "dense", Vector: []float32{1, 1, 1}, K: 25}
	requests := []*httpapi.Request{{Nearest: near, K: 30, Total: true}, {Nearest: near, Text: "w1 w2", K: 30, Total: true}, {Text: "w1 w2", K: 30, Total: true}}
	for _, x := range requests {
		if _, err := router.Search(t.Context(), x); err != nil {
			t.Fatal(err)
		}
	}
	nodes[1][0].Close()
	rest := wholeOf(t, []string{paths[0], paths[2]})
	for _, x := range requests {
		_, err := router.Search(t.Context(), x)
		if status, code := codeOf(err); status != http.StatusServiceUnavailable || code != httpapi.CodeUnavailable {
			t.Errorf("%+v without a shard: %v", x, err)
		}
		x.Partial = true
		want, wantErr := rest.Search(t.Context(), x)
		got, err := router.Search(t.Context(), x)
		if got != nil && want != nil {
			for i := range got.Hits { // docIDs are those of all shards
				got.Hits[i].Doc, want.Hits[i].Doc = 0, 0
			}
			want.Partial = true
		}
		same(t, 3, x, got, want, err, wantErr)
	}
	want, err := rest.Count(t.Context(), &httpapi.CountRequest{Nearest: near})
	got, e := router.Count(t.Context(), &httpapi.CountRequest{Nearest: near, Partial: true})
	if err != nil || e != nil || !got.Partial || got.Count != want.Count || got.Count != 25 {
		t.Errorf("%+v, %v; want %+v, %v", got, e, want, err)
	}
}

// A node refuses to answer for the nearest alone, whatever a message lacks or has wrong.
func TestNearestRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 32))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 1, 0, 50)
	router, nodes := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "refused"})
	v := router.view.Load()
	x := httpapi.Request{Nearest: &httpapi.Nearest{Field: "dense", Vector: []float32{1, 1, 1}, K: 2}}
	q, err := router.question(t.Context(), state{view: v, timeout: 1e6, seen: new(Observation)}, &x, false)
	if err != nil {
		t.Fatal(err)
	}
	answer := func(kind byte, of neighbors) error {
		a := ask{kind: kind, commit: v.Shards[0].Commit, timeout: 1e6, request: q.request, collection: collection(v.sum), neighbors: of}
		_, err := nodes[0][0].answer(t.Context(), a.encode())
		return err
	}
	good := neighbors{{K: 2, Docs: []query.Neighbor{{Doc: 1}, {Doc: 7}}}}
	for _, kind := range []byte{askSearch, askCount} {
		if err := answer(kind, good); err != nil {
			t.Errorf("request of kind %d: %v", kind, err)
		}
		for _, bad := range []neighbors{nil, {good[0], good[0]}, {{K: 3}}, {{K: 2, Docs: []query.Neighbor{{Doc: 50}}}}, {{K: 2, Docs: []query.Neighbor{{Doc: 7}, {Doc: 7}}}}} {
			if err := answer(kind, bad); !errors.Is(err, query.ErrInvalid) {
				t.Errorf("request of kind %d with %v: %v", kind, bad, err)
			}
		}
	}
}

// A docID of more than 32 bits is an error.
func TestWireNeighbors(t *testing.T) {
	for _, gap := range []uint64{1<<32 - 1, 1 << 32, 1<<64 - 1} {
		var e encoder
		for _, x := range []uint64{1, 9, 2, 1} {
			e.uint(x)
		}
		e.float(1)
		e.uint(gap - 1)
		e.float(1)
		if err := new(found).decode(e.b); (err == nil) != (gap < 1<<32) {
			t.Errorf("a document %d behind the first: %v", gap, err)
		}
	}
	var e encoder
	neighbors{{K: 1}}.encode(&e)
	if err := new(found).decode(append(e.b, 0)); err == nil {
		t.Error(fmt.Sprint(e.b), "and a byte more")
	}
}
