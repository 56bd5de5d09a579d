package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/httpapi"
)

// errorOf returns the error of an answer, which must be one.
func errorOf(t *testing.T, data []byte) *httpapi.Error {
	t.Helper()
	var e httpapi.ErrorBody
	if err := json.Unmarshal(data, &e); err != nil || e.Error == nil {
		t.Fatalf("%.200s is no error: %v", data, err)
	}
	return e.Error
}

// An answer has so many bytes, whatever it is made of, and is whole or an error.
func TestAnswerLimit(t *testing.T) {
	x := open(t, 200)
	const most = 3000
	s := serve(t, httpapi.OfIndex(x), httpapi.Options{MaxAnswer: most})
	facets := strings.Repeat(`{"field": "tag", "k": 1000}, {"field": "price", "every": "1"}, `, 31) + `{"field": "tag"}`
	for body, fits := range map[string]bool{
		`{"q": "rose", "k": 3}`:                                        true,
		`{"q": "rose", "k": 3, "values": true}`:                        true,
		`{"q": "*", "k": 200}`:                                         false,
		`{"q": "*", "k": 60, "values": true}`:                          false,
		`{"q": "rose", "k": 60, "fields": ["title", "body"]}`:          false,
		`{"q": "rose", "k": 60, "passages": {"length": 100}}`:          false,
		`{"q": "rose", "k": 1, "facets": [` + facets + `]}`:            false,
		`{"q": "rose", "k": 1, "facets": [{"field": "tag", "k": 99}]}`: true,
		`{"q": "*", "k": 100, "sort": ["price"], "fields": ["tag"]}`:   false,
	} {
		w := ask(s, "/v1/search", body)
		if w.Body.Len() > most+1 || fits != (w.Code == 200) {
			t.Errorf("%s: %d, %d bytes", body, w.Code, w.Body.Len())
		}
		if e := w.Body.Bytes(); !fits {
			if e := errorOf(t, e); w.Code != http.StatusRequestEntityTooLarge || e.Code != httpapi.CodeTooLarge || !strings.Contains(e.Message, "more than 3000 bytes") {
				t.Errorf("%s: %d %+v", body, w.Code, e)
			}
		}
	}
	// A batch has as many with all of its lines.
	w := ask(s, "/v1/search/batch", strings.Repeat(`{"q": "rose", "k": 5}`+"\n", 100))
	answered, refused, size := 0, 0, 0
	for line := range bytes.Lines(w.Body.Bytes()) {
		var r httpapi.Response
		if err := json.Unmarshal(line, &r); err == nil && len(r.Hits) == 5 {
			answered++
			size += len(line)
			continue
		}
		if e := errorOf(t, line); e.Code != httpapi.CodeTooLarge || !strings.Contains(e.Message, "more than 3000 bytes") {
			t.Errorf("%+v", e)
		}
		refused++
	}
	if answered == 0 || answered+refused != 100 || size > most {
		t.Errorf("%d lines of %d bytes answered, %d refused", answered, size, refused)
	}
	if s.Held() != 0 {
		t.Errorf("%d bytes are held", s.Held())
	}
}

// All lines of a batch are answered, those that come too late with errors, and nothing is computed for them.
func TestBatchDeadline(t *testing.T) {
	var asked atomic.Int64
	s := serve(t, backendOf(func(ctx context.Context) (*httpapi.Response, error) {
		asked.Add(1)
		<-ctx.Done()
		return nil, ctx.Err()
	}), httpapi.Options{Deadline: 5 * time.Millisecond})
	const lines = 1000
	w := ask(s, "/v1/search/batch", strings.Repeat(`{"q": "rose"}`+"\n", lines))
	n := 0
	for line := range bytes.Lines(w.Body.Bytes()) {
		if e := errorOf(t, line); e.Code != httpapi.CodeDeadline {
			t.Fatalf("%+v", e)
		}
		n++
	}
	if n != lines || asked.Load() > lines/2 {
		t.Errorf("%d lines, %d asked for", n, asked.Load())
	}
}

// backendOf answers searches.
type backendOf func(context.Context) (*httpapi.Response, error)

func (f backendOf) Search(ctx context.Context, _ *httpapi.Request) (*httpapi.Response, error) {
	return f(ctx)
}
func (backendOf) Count(context.Context, *httpapi.CountRequest) (*httpapi.CountResponse, error) {
	return &httpapi.CountResponse{}, nil
}
func (backendOf) Suggest(context.Context, *httpapi.SuggestRequest) (*httpapi.SuggestResponse, error) {
	return &httpapi.SuggestResponse{}, nil
}
func (backendOf) Summary(context.Context) (*httpapi.Summary, error) { return &httpapi.Summary{}, nil }

// listening returns a Server that listens, and what is told of its requests.
func listening(t *testing.T, b httpapi.Backend, o httpapi.Options, add func(*httpapi.Server)) (*httpapi.Server, string, chan httpapi.Observation) {
	t.Helper()
	observed := make(chan httpapi.Observation, 100)
	o.Observe = func(x httpapi.Observation) { observed <- x }
	s := serve(t, b, o)
	if add != nil {
		add(s)
	}
	l, err := s.Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() { s.Serve(l) })
	t.Cleanup(func() {
		s.Close()
		done.Wait()
	})
	return s, l.Addr().String(), observed
}

// dial sends the beginning of a request.
func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err == nil {
		_, err = io.WriteString(c, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Clients that do not read hold no more than MaxHeld together, and no longer than they are waited for: then what they have
// is cut off, and does not look whole.
func TestClientsThatDoNotRead(t *testing.T) {
	defer httpapi.SetPatience(-time.Hour)() // what sockets take at once counts for less
	large := &httpapi.Response{Hits: []httpapi.Hit{{ID: httpapi.Text(strings.Repeat("x", 12<<20))}}}
	s, address, observed := listening(t, backendOf(func(context.Context) (*httpapi.Response, error) { return large, nil }),
		httpapi.Options{MaxHeld: 30 << 20}, nil)
	const get = "GET /v1/search?q=rose HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for range 4 {
		c := dial(t, address, get)
		x := <-observed
		if x.Err == nil || x.Status != 200 {
			t.Fatalf("%d, %v", x.Status, x.Err)
		}
		data, _ := io.ReadAll(c)
		head, _, _ := bytes.Cut(data, []byte("\r\n\r\n"))
		if len(data) >= 12<<20 || len(data) > 0 && !bytes.Contains(head, []byte(fmt.Sprintf("Content-Length: %d", 12<<20+len(`{"hits":[{"id":"","doc":0,"score":0}]}`)+1))) {
			t.Errorf("%d bytes, %.200s", len(data), data)
		}
		if s.Held() != 0 {
			t.Errorf("%d bytes are held", s.Held())
		}
	}
}

// Requests that would hold too much together are asked to come again.
func TestHeld(t *testing.T) {
	large := &httpapi.Response{Hits: []httpapi.Hit{{ID: httpapi.Text(strings.Repeat("x", 12<<20))}}}
	s, address, observed := listening(t, backendOf(func(context.Context) (*httpapi.Response, error) { return large, nil }),
		httpapi.Options{MaxHeld: 30 << 20}, nil)
	const get = "GET /v1/search?q=rose HTTP/1.1\r\nHost: localhost\r\n\r\n"
	var waiting []net.Conn
	for i := range 2 {
		c := dial(t, address, get)
		waiting = append(waiting, c)
		for s.Held() < int64(i+1)*12<<20 {
			time.Sleep(time.Millisecond)
		}
	}
	r, err := http.Get("http://" + address + "/v1/search?q=rose")
	if err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if e := errorOf(t, data); r.StatusCode != http.StatusTooManyRequests || e.Code != httpapi.CodeBusy || r.Header.Get("Retry-After") == "" {
		t.Errorf("%d %+v", r.StatusCode, e)
	}
	<-observed
	for _, c := range waiting {
		c.Close()
		<-observed
	}
	r, err = http.Get("http://" + address + "/v1/search?q=rose")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != 200 || n < 12<<20 {
		t.Errorf("%d, %d bytes, %v", r.StatusCode, n, err)
	}
	r.Body.Close()
	if <-observed; s.Held() != 0 {
		t.Errorf("%d bytes are held", s.Held())
	}
}

// A body that trickles is cut off once it is too slow, of a path that has no deadline too; one that comes is read.
func TestTricklingBody(t *testing.T) {
	restore := httpapi.SetPatience(50 * time.Millisecond)
	defer restore()
	_, address, observed := listening(t, backendOf(nil), httpapi.Options{}, func(s *httpapi.Server) {
		s.HandleHTTP("POST /upload", httpapi.Private, func(w http.ResponseWriter, r *http.Request) error {
			n, err := io.Copy(io.Discard, r.Body)
			if err == nil {
				fmt.Fprint(w, n)
			}
			return err
		})
	})
	const post = "POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
	c := dial(t, address, post+"x")
	stop := make(chan struct{})
	go func() { // a byte now and then
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				io.WriteString(c, "x")
			}
		}
	}()
	x := <-observed
	close(stop)
	if e := httpapi.ErrorOf(x.Err); x.Status != http.StatusRequestTimeout || e.Code != httpapi.CodeSlow {
		t.Errorf("%d, %v", x.Status, x.Err)
	}
	restore()
	r, err := http.Post("http://"+address+"/upload", "text/plain", strings.NewReader(strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if data, err := io.ReadAll(r.Body); err != nil || string(data) != "1048576" {
		t.Errorf("%q, %v", data, err)
	}
	// Bodies count as held until their requests are answered.
	h := serve(t, backendOf(nil), httpapi.Options{MaxHeld: 1000})
	h.Handle("POST /upload", func(r *http.Request) (any, error) {
		_, err := io.ReadAll(r.Body)
		return nil, err
	})
	for size, status := range map[int]int{900: http.StatusNoContent, 1100: http.StatusRequestEntityTooLarge} { // which is in vain again
		w := httptest.NewRecorder()
		q := httptest.NewRequest("POST", "/upload", strings.NewReader(strings.Repeat("x", size)))
		q.Host = "localhost"
		if h.ServeHTTP(w, q); w.Code != status || h.Held() != 0 {
			t.Errorf("%d bytes: %d, %d held", size, w.Code, h.Held())
		}
	}
}

// A body that nobody reads is not waited for either: net/http would read it before it answers.
func TestBodyThatNobodyReads(t *testing.T) {
	defer httpapi.SetPatience(time.Second / 2)() // also for the answer, on a busy machine
	_, address, _ := listening(t, backendOf(func(context.Context) (*httpapi.Response, error) { return &httpapi.Response{}, nil }), httpapi.Options{}, nil)
	for path, status := range map[string]string{"/v1/search?q=rose": "200", "/nowhere": "404", "/healthz": "200"} {
		c := dial(t, address, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx")
		c.SetReadDeadline(time.Now().Add(time.Minute)) // without a bound it is never answered
		data, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(data), "HTTP/1.1 "+status) {
			t.Errorf("%s: %v, %.200s", path, err, data)
		}
	}
}
