package node

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// A node refuses documents of other shards, another number of shards and another schema.
func TestForeign(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 13))
	_, nc := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 100)
	if _, err := startNode(t, nc, paths[0], Options{Collection: "c", Shard: 1, Shards: 3}); !errors.Is(err, ErrForeign) {
		t.Errorf("another shard: %v", err)
	}
	if _, err := startNode(t, nc, paths[0], Options{Collection: "c", Shard: 0, Shards: 3}); err != nil {
		t.Fatal(err)
	}
	one := writeShards(t, rng, t.TempDir(), 1, 0, 10)
	if _, err := startNode(t, nc, one[0], Options{Collection: "c", Shard: 0, Shards: 1}); !errors.Is(err, ErrDifferent) {
		t.Errorf("another number of shards: %v", err)
	}
	for _, o := range []Options{{Collection: "a.b", Shards: 1}, {Shards: 1}, {Collection: "c"}, {Collection: "c", Shard: 1, Shards: 1}, {Collection: "c", Shards: MaxShards + 1}} {
		if _, err := startNode(t, nc, one[0], o); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// Nodes of another version are passed over, and answers that make no sense are none.
func TestMixedVersions(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 14))
	url, nc := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 1, 0, 100)
	router, nodes := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "c", Absence: 100 * time.Millisecond})
	m, err := nc.Request(subjectOf("c", 0), []byte{version + 1, 1, 2, 3}, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := a.decode(m.Data); err != nil || a.kind != absent || !strings.Contains(a.message, "version") {
		t.Errorf("a router of another version is told %+v, %v", a, err)
	}
	other := connect(t, url)
	for _, reply := range [][]byte{{version + 1}, {version}, {version, answered, 7}, []byte("x")} {
		sub, err := other.QueueSubscribe(subjectOf("c", 0), "replicas", func(m *nats.Msg) { m.Respond(reply) })
		if err != nil {
			t.Fatal(err)
		}
		other.Flush()
		for range 10 {
			if _, err := router.Search(t.Context(), &httpapi.Request{Text: drawText(rng, 3)}); err != nil {
				t.Errorf("beside a node that says %q: %v", reply, err)
			}
		}
		sub.Unsubscribe()
	}
	if _, err := other.QueueSubscribe(subjectOf("c", 0), "replicas", func(m *nats.Msg) { m.Respond([]byte{version + 1}) }); err != nil {
		t.Fatal(err)
	}
	other.Flush()
	nodes[0][0].Close()
	_, err = router.Search(t.Context(), &httpapi.Request{Text: "w1"})
	if _, code := codeOf(err); code != httpapi.CodeUnavailable || !strings.Contains(err.Error(), "version") {
		t.Errorf("only nodes of another version: %v", err)
	}
}

// No request outlives its deadline: with a node that says nothing, and a router that is cut off.
func TestDeadline(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 15))
	s, err := StartServer("127.0.0.1:0", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Shutdown()
	url := s.ClientURL()
	paths := writeShards(t, rng, t.TempDir(), 1, 0, 100)
	router, nodes := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "c"})
	silent, err := connect(t, url).QueueSubscribe(subjectOf("c", 0), "replicas", func(*nats.Msg) {})
	if err != nil {
		t.Fatal(err)
	}
	silent.SetPendingLimits(-1, -1)
	for range 20 { // the other node answers the second attempt, or the third
		if _, err := router.Search(t.Context(), &httpapi.Request{Text: drawText(rng, 3)}); err != nil {
			t.Errorf("beside a silent node: %v", err)
		}
	}
	nodes[0][0].Close()
	within := func(what string, want func(error) bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := router.Search(ctx, &httpapi.Request{Text: drawText(rng, 3)})
		if took := time.Since(began); !want(err) || took > 10*time.Second {
			t.Errorf("%s: %v after %v", what, err, took)
		}
	}
	within("a silent node", func(err error) bool { return errors.Is(err, context.DeadlineExceeded) })
	s.Shutdown()
	s.WaitForShutdown()
	for router.link.nc.IsConnected() { // it has not noticed yet: what it asks may be on its way
		time.Sleep(time.Millisecond)
	}
	within("cut off", func(err error) bool { _, code := codeOf(err); return code == httpapi.CodeUnavailable })
}

// What a query asks wrongly is told as by one index, and what shards cannot answer is refused.
func TestRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 16))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 2, 0, 50)
	router, _ := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "c"})
	for _, x := range []*httpapi.Request{{}, {Query: "nosuch:w1", Strict: true}, {Query: "w1", Group: &httpapi.Group{}}, {Query: "w1", Collapse: "brand", After: httpapi.FormatAfter(&pinion.After{ID: "a"})}, {Text: "w1", Sort: []string{"body"}}, {Text: "w1", Synonyms: "words"}, {Query: `title:"w1 w2"`, Strict: true}} {
		if _, err := router.Search(t.Context(), x); err == nil {
			t.Errorf("%+v: no error", x)
		} else if status, code := codeOf(err); (status != 400 || code != httpapi.CodeInvalid) && !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%+v: %v", x, err)
		}
	}
	if _, err := router.Count(t.Context(), &httpapi.CountRequest{Text: "w1", Synonyms: "words"}); err == nil || !strings.Contains(err.Error(), `there is no set "words" of synonyms`) {
		t.Errorf("synonyms of a count: %v", err)
	}
	_, err := router.Count(t.Context(), &httpapi.CountRequest{Nearest: &httpapi.Nearest{Field: "v", Vector: []float32{1}}})
	if status, code := codeOf(err); status != 400 || code != httpapi.CodeInvalid || !strings.Contains(err.Error(), `no field "v" of vectors`) {
		t.Errorf("the nearest in a field that is not there: %v", err)
	}
	if _, err := StartServer("0.0.0.0:0", t.TempDir()); !errors.Is(err, ErrInvalid) {
		t.Errorf("an open server without credentials: %v", err)
	}
}

// A node restarted on a commit that the router does not know yet, and one that is behind, do not fail queries.
func TestLateReplica(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 17))
	url, _ := startNATS(t)
	dir := t.TempDir()
	paths := writeShards(t, rng, dir, 1, 0, 60)
	router, _ := startAll(t, url, paths, 1, 20*time.Millisecond, RouterOptions{Collection: "c"})
	x, err := reader.Open(t.Context(), reader.Dir(paths[0]), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	late, err := Serve(t.Context(), connect(t, url), x, Options{Collection: "c", Shards: 1, Refresh: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	for round := range 4 {
		writeShards(t, rng, dir, 1, 60*(round+1), 60)
		for range 40 {
			if _, err := router.Search(t.Context(), &httpapi.Request{Text: drawText(rng, 3)}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
