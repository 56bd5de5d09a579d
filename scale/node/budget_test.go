package node

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// What nodes have answered is held by the request, until it is given back: a router does not answer more at a time than fits, and
// answers again when there is room.
func TestHeld(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 23))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 300)
	router, _ := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "held"})
	x := &httpapi.Request{Text: "w0 w1 w2", K: 200, Values: true}
	search := func(p *budget.Pool) (*budget.Budget, error) {
		b := p.Budget(1 << 20)
		_, err := router.Search(budget.With(t.Context(), b), x)
		return b, err
	}
	pool := budget.NewPool(1 << 30)
	b, err := search(pool)
	one := pool.Held()
	if b.Release(); err != nil || one < 10_000 || pool.Held() != 0 {
		t.Fatalf("%v, %d bytes, %d after them", err, one, pool.Held())
	}
	pool = budget.NewPool(one + one/2)
	first, err := search(pool)
	if err != nil {
		t.Fatal(err)
	}
	second, err := search(pool)
	if !errors.Is(err, budget.ErrHeld) || httpapi.ErrorOf(err).Status != http.StatusTooManyRequests {
		t.Errorf("beside another that holds %d bytes: %v", one, err)
	}
	second.Release()
	first.Release()
	third, err := search(pool)
	if err != nil {
		t.Error(err)
	}
	if third.Release(); pool.Held() != 0 {
		t.Errorf("%d bytes are held", pool.Held())
	}
	pool = budget.NewPool(one / 4)
	if b, err = search(pool); httpapi.ErrorOf(err).Status != http.StatusRequestEntityTooLarge {
		t.Errorf("more than all may hold: %v", err)
	}
	if b.Release(); pool.Held() != 0 {
		t.Errorf("%d bytes are held", pool.Held())
	}
	// Suggestions and counts too.
	pool = budget.NewPool(10)
	if _, err := router.Suggest(budget.With(t.Context(), pool.Budget(1<<20)), &httpapi.SuggestRequest{Field: "body", Prefix: "w"}); !errors.Is(err, budget.ErrAnswer) {
		t.Errorf("suggestions: %v", err)
	}
}

// A node refuses what would not fit into its answer before it has made it.
func TestNodeBudget(t *testing.T) {
	const docs, payload = 20_000, 8 << 10
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), MaxPayload: payload, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	for !s.ReadyForConnections(time.Minute) {
	}
	path := filepath.Join(t.TempDir(), "shard")
	w, err := writer.Open(t.Context(), path, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "n", Kind: schema.Integer, Column: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range docs {
		if err := w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.IntegerValue(0, int64(i))}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	router, nodes := startAll(t, s.ClientURL(), []string{path}, 1, time.Hour, RouterOptions{Collection: "budget", Absence: time.Hour})
	x := &httpapi.Request{Query: "*", K: 1}
	for i := range 32 {
		x.Facets = append(x.Facets, httpapi.Facet{Field: "n", Every: fmt.Sprint(1 + i%4)})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err = router.Search(ctx, x)
	for nodes[0][0].memory.Held() != 0 && ctx.Err() == nil { // the node ends after the router has answered
		time.Sleep(time.Millisecond)
	}
	runtime.ReadMemStats(&after)
	if e := httpapi.ErrorOf(err); e.Status != http.StatusRequestEntityTooLarge || !strings.Contains(e.Message, fmt.Sprint("more than ", 8*payload, " bytes")) {
		t.Errorf("%v", err)
	}
	// All counts would be 36 MB, twice. How many are made before the refusal depends on which facets are counted at a time.
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("%d bytes allocated", n)
	} else {
		t.Logf("%d bytes allocated", n)
	}
	if n := nodes[0][0].memory.Held(); n != 0 {
		t.Errorf("%d bytes are held", n)
	}
}
