package httpapi_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/httpapi"
)

// waiting is a Backend whose searches wait for a channel.
type waiting struct {
	httpapi.Backend
	began, end chan struct{}
}

func (w waiting) Search(ctx context.Context, _ *httpapi.Request) (*httpapi.Response, error) {
	w.began <- struct{}{}
	select {
	case <-w.end:
		return &httpapi.Response{Hits: []httpapi.Hit{}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w waiting) Summary(context.Context) (*httpapi.Summary, error) { return &httpapi.Summary{}, nil }

func get(t *testing.T, c *http.Client, url string) (int, string) {
	t.Helper()
	r, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// TestDrain stops a server with a request in flight: that is answered, readiness fails at once, and later nobody listens.
func TestDrain(t *testing.T) {
	w := waiting{began: make(chan struct{}), end: make(chan struct{})}
	s := serve(t, w, httpapi.Options{DrainDelay: 2 * time.Second})
	l, err := s.Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() { ended <- s.Serve(l) }()
	url, client := "http://"+l.Addr().String(), &http.Client{Transport: &http.Transport{}}
	if code, _ := get(t, client, url+"/readyz"); code != 200 {
		t.Fatalf("not ready: %d", code)
	}
	answered := make(chan int, 1)
	go func() {
		code, _ := get(t, client, url+"/v1/search?q=a")
		answered <- code
	}()
	<-w.began
	drained := make(chan error, 1)
	go func() { drained <- s.Drain(context.Background()) }()
	until(func() bool { return ask(s, "/readyz", "").Code == 503 })
	if code, text := get(t, client, url+"/readyz"); code != 503 || !strings.Contains(text, "about to stop") {
		t.Errorf("during the delay: %d %s", code, text)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	select {
	case err := <-drained:
		t.Errorf("drained with a request in flight: %v", err)
	default:
	}
	close(w.end)
	if code := <-answered; code != 200 {
		t.Errorf("the request in flight is answered %d", code)
	}
	if err := <-drained; err != nil {
		t.Errorf("Drain: %v", err)
	}
	if _, err := client.Get(url + "/healthz"); err == nil {
		t.Error("somebody listens")
	}
	again, err := s.Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(again); err != nil {
		t.Errorf("Serve after Drain: %v", err)
	}
}

// TestDrainEnds drains a server whose request does not end.
func TestDrainEnds(t *testing.T) {
	w := waiting{began: make(chan struct{}), end: make(chan struct{})}
	s := serve(t, w, httpapi.Options{Deadline: time.Hour})
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() { s.Serve(l) })
	running.Go(func() { http.Get("http://" + l.Addr().String() + "/v1/search?q=a") })
	<-w.began
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Drain: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	close(w.end)
	running.Wait()
}

// TestRun serves until a context is done.
func TestRun(t *testing.T) {
	s := serve(t, waiting{}, httpapi.Options{})
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, l, time.Second) }()
	if code, _ := get(t, http.DefaultClient, "http://"+l.Addr().String()+"/healthz"); code != 200 {
		t.Errorf("status %d", code)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
	broken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	broken.Close()
	if err := serve(t, waiting{}, httpapi.Options{}).Run(t.Context(), broken, time.Second); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Run on a closed listener: %v", err)
	}
}

// TestListen refuses addresses beyond this machine without credentials.
func TestListen(t *testing.T) {
	tokens := httpapi.Options{Tokens: []string{"0123456789abcdef"}}
	encrypted := httpapi.Options{TLS: &tls.Config{}}
	certified := httpapi.Options{TLS: &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert}}
	optional := httpapi.Options{TLS: &tls.Config{ClientAuth: tls.VerifyClientCertIfGiven}}
	for _, c := range []struct {
		address string
		o       httpapi.Options
		want    error
	}{
		{"127.0.0.1:0", httpapi.Options{}, nil},
		{"localhost:0", httpapi.Options{}, nil},
		{"127.8.8.8:0", httpapi.Options{}, nil},
		{":0", httpapi.Options{}, httpapi.ErrExposed},
		{"0.0.0.0:0", httpapi.Options{}, httpapi.ErrExposed},
		{"[::]:0", httpapi.Options{}, httpapi.ErrExposed},
		{"192.0.2.1:80", httpapi.Options{}, httpapi.ErrExposed},
		{"0.0.0.0:0", encrypted, httpapi.ErrExposed},
		{"0.0.0.0:0", optional, httpapi.ErrExposed},
		{"0.0.0.0:0", tokens, nil},
		{"0.0.0.0:0", certified, nil},
		{"nowhere", tokens, httpapi.ErrInvalid},
		{"127.0.0.1:x", tokens, httpapi.ErrInvalid},
	} {
		l, err := serve(t, failing{}, c.o).Listen(c.address)
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", c.address, err, c.want)
		}
		if err == nil {
			l.Close()
		}
	}
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := serve(t, failing{}, httpapi.Options{}).Serve(l); !errors.Is(err, httpapi.ErrExposed) {
		t.Errorf("Serve on %v: %v", l.Addr(), err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("the listener is open")
	}
}

// TestTLS serves over TLS, by HTTP/2, to those with a token.
func TestTLS(t *testing.T) {
	borrowed := httptest.NewUnstartedServer(nil) // for its certificate
	borrowed.StartTLS()
	config := &tls.Config{Certificates: borrowed.TLS.Certificates}
	pool := x509.NewCertPool()
	pool.AddCert(borrowed.Certificate())
	borrowed.Close()
	const token = "0123456789abcdef"
	s := serve(t, httpapi.OfIndex(open(t, 5)), httpapi.Options{TLS: config, Tokens: []string{token}, ErrorLog: log.New(io.Discard, "", 0)})
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	defer s.Close()
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool}}}
	r, err := http.NewRequest("POST", "https://"+l.Addr().String()+"/v1/search/batch", strings.NewReader("{\"q\":\"rose\"}\n{}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	a, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != 200 || a.ProtoMajor != 2 || bytes.Count(text, []byte("\n")) != 2 {
		t.Errorf("%s %d %s, %v", a.Proto, a.StatusCode, text, err)
	}
	if a, err := http.Get("http://" + l.Addr().String() + "/healthz"); err == nil && a.StatusCode == 200 {
		t.Error("it is served without TLS")
	}
}

// TestOptions refuses options that cannot be.
func TestOptions(t *testing.T) {
	if _, err := httpapi.New(nil, httpapi.Options{}); !errors.Is(err, httpapi.ErrInvalid) {
		t.Errorf("no backend: %v", err)
	}
	for _, o := range []httpapi.Options{{Deadline: -1}, {MaxInFlight: -1}, {MaxBody: -1}, {MaxK: -1}, {MaxBatch: -1}, {DrainDelay: -1}, {Tokens: []string{"short"}}, {Tokens: []string{"0123456789abcdef\n"}}, {Tokens: []string{"\ufeff0123456789abcdef"}}} {
		if _, err := httpapi.New(failing{}, o); !errors.Is(err, httpapi.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestSlowBody sends a body that does not come to its end: the deadline counts it too.
func TestSlowBody(t *testing.T) {
	s := httptest.NewServer(serve(t, failing{}, httpapi.Options{Deadline: 50 * time.Millisecond}))
	defer s.Close()
	in, out := io.Pipe()
	defer out.Close()
	a, err := http.Post(s.URL+"/v1/search", "application/json", in)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if text, _ := io.ReadAll(a.Body); a.StatusCode != 504 {
		t.Errorf("%d %s", a.StatusCode, text)
	}
}

// TestAlongside goes around a Server as tracing does, and changes the index meanwhile.
func TestAlongside(t *testing.T) {
	x := open(t, 40)
	var mu sync.Mutex
	routes := map[string]int{}
	s := serve(t, httpapi.OfIndex(x), httpapi.Options{Observe: func(o httpapi.Observation) {
		mu.Lock()
		defer mu.Unlock()
		routes[o.Route]++
	}})
	around := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(struct{ http.ResponseWriter }{w}, r) // without what ResponseController wants
	}))
	defer around.Close()
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() {
			for j := range 25 {
				path := []string{"/v1/search?q=rose&values&passages=&total", "/v1/count?q=thorn", "/v1/index", "/metrics", "/nothing"}[(i+j)%5]
				if code, text := get(t, around.Client(), around.URL+path); code != 200 && (code != 404 || path != "/nothing") {
					t.Errorf("%s: %d %s", path, code, text)
				}
				if err := x.Add(context.Background(), product(1000*i+j)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	mu.Lock()
	defer mu.Unlock()
	if routes["/v1/search"] != 20 || routes[""] != 20 || len(routes) != 5 {
		t.Errorf("observed %v", routes)
	}
}

// A program's own metrics come after those of the server.
func TestOwnMetrics(t *testing.T) {
	s := serve(t, failing{}, httpapi.Options{Metrics: func(w io.Writer) { io.WriteString(w, "mine 7\n") }})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/metrics", nil))
	if b := w.Body.String(); w.Code != 200 || !strings.HasSuffix(b, "\nmine 7\n") || !strings.Contains(b, "pinion_http_in_flight 0\n") {
		t.Errorf("%d %s", w.Code, b)
	}
}
