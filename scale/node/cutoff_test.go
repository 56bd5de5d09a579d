package node

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/pinion-index/pinion/httpapi"
)

// proxy is a way to a server that can be cut: connections then stay open, and nothing comes through.
type proxy struct {
	url string
	mu  sync.Mutex
	run *sync.Cond
	cut bool
}

func startProxy(t *testing.T, url string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{url: "nats://" + l.Addr().String()}
	p.run = sync.NewCond(&p.mu)
	t.Cleanup(func() { l.Close(); p.set(false) })
	go func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", strings.TrimPrefix(url, "nats://"))
			if err != nil {
				a.Close()
				return
			}
			go p.copy(a, b)
			go p.copy(b, a)
		}
	}()
	return p
}

func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	for b := make([]byte, 1<<16); ; {
		n, err := from.Read(b)
		p.mu.Lock()
		for p.cut {
			p.run.Wait()
		}
		p.mu.Unlock()
		if _, werr := to.Write(b[:n]); err != nil || werr != nil {
			return
		}
	}
}

func (p *proxy) set(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	p.run.Broadcast()
}

// A router that is cut off from half of the nodes, without being told, goes on with the others. Cut off from all nodes of a
// shard it ends at the deadline, and goes on when they are back.
func TestCutOff(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 18))
	url, _ := startNATS(t)
	far := startProxy(t, url)
	paths := writeShards(t, rng, t.TempDir(), 2, 0, 200)
	router, near := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "cut"})
	for i, p := range paths {
		if _, err := startNode(t, connect(t, far.url), p, Options{Collection: "cut", Shard: i, Shards: len(paths)}); err != nil {
			t.Fatal(err)
		}
	}
	whole := wholeOf(t, paths)
	check := func(queries int) {
		t.Helper()
		for range queries {
			x := drawRequest(rng)
			want, wantErr := whole.Search(t.Context(), x)
			got, err := router.Search(t.Context(), x)
			same(t, len(paths), x, got, want, err, wantErr)
		}
	}
	check(20)
	far.set(true)
	check(20)
	near[1][0].Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := router.Search(ctx, &httpapi.Request{Text: "w1"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cut off from a shard: %v", err)
	}
	far.set(false)
	check(20)
}

// No clocks are compared, of machines or of one machine at two times: times are differences of readings that have the monotonic
// clock, which does not jump. So nothing in these packages asks for the time of day.
func TestClocks(t *testing.T) {
	wall := []string{"Unix", "UnixMilli", "UnixMicro", "UnixNano", "UTC", "Local", "AddDate", "Date", "Created", "ModTime", "Round", "Truncate"}
	for _, dir := range []string{".", "internal/program"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(wall, s.Sel.Name) {
					t.Errorf("%v: %s is a time of day", set.Position(s.Pos()), s.Sel.Name)
				}
				return true
			})
		}
	}
}

// Answers and requests that do not fit into a message are refused as wrong requests, not tried again.
func TestTooLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 19))
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), MaxPayload: 8 << 10, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	for !s.ReadyForConnections(time.Minute) {
	}
	paths := writeShards(t, rng, t.TempDir(), 2, 0, 300)
	router, _ := startAll(t, s.ClientURL(), paths, 1, time.Second, RouterOptions{Collection: "long", Absence: time.Hour})
	if _, err := router.Search(t.Context(), &httpapi.Request{Text: "w1", K: 3, Values: true}); err != nil {
		t.Fatal(err)
	}
	for what, x := range map[string]*httpapi.Request{
		"an answer": {Text: "w0 w1 w2 w3", K: 1000, Values: true},
		"a request": {Text: strings.Repeat("w1 ", 4000)},
	} {
		_, err := router.Search(t.Context(), x)
		if status, code := codeOf(err); status != 400 || code != httpapi.CodeInvalid || !strings.Contains(err.Error(), "NATS message") {
			t.Errorf("%s: %.300v", what, err)
		}
	}
}

// A count and suggestions whose state of the map no node has any more go on with the next.
func TestMovedOn(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 22))
	url, _ := startNATS(t)
	dir := t.TempDir()
	paths := writeShards(t, rng, dir, 2, 0, 60)
	router, _ := startAll(t, url, paths, 1, 20*time.Millisecond, RouterOptions{Collection: "moved", Absence: 20 * time.Millisecond})
	old := router.view.Load()
	for round := range keptCommits + 1 { // each node opens a commit in each, and drops that of old
		writeShards(t, rng, dir, 2, 60*(round+1), 60)
		want, err := wholeOf(t, paths).Summary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for got, err := router.Summary(t.Context()); err != nil || got.Documents != want.Documents; got, err = router.Summary(t.Context()) {
			time.Sleep(time.Millisecond)
		}
	}
	whole := wholeOf(t, paths)
	now := router.view.Load()
	c := &httpapi.CountRequest{Text: "w1 w2"}
	router.view.Store(old)
	counts := 0
	n, err := inOne(t.Context(), router, "count", func(ctx context.Context, in state) (*httpapi.CountResponse, error) {
		counts++
		router.view.Store(now)
		return router.countIn(ctx, in, c)
	})
	if all, err2 := whole.Count(t.Context(), c); err != nil || err2 != nil || *n != *all || counts != 2 {
		t.Errorf("%+v, %v in %d states, want %+v, %v", n, err, counts, all, err2)
	}
	x := &httpapi.SuggestRequest{Field: "body", Prefix: "w1", K: 5}
	router.view.Store(old)
	counts = 0
	a, err := inOne(t.Context(), router, "suggest", func(ctx context.Context, in state) (*httpapi.SuggestResponse, error) {
		counts++
		router.view.Store(now)
		return router.suggestIn(ctx, in, x)
	})
	if err != nil || counts != 2 || len(a.Terms) != 5 {
		t.Errorf("%+v, %v in %d states", a, err, counts)
	}
}
