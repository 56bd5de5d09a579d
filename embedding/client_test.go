package embedding_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/embedding"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// asked is a request as an endpoint sees it.
type asked struct {
	Model    string   `json:"model"`
	Input    []string `json:"input"`
	Encoding string   `json:"encoding_format"`
	Dims     int      `json:"dimensions"`
}

// endpoint returns a client of a server that answers by f, given the number of the request, from 1.
func endpoint(t *testing.T, f func(w http.ResponseWriter, r *http.Request, in asked, n int)) *embedding.Client {
	t.Helper()
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number := int(n.Add(1))
		b, err := io.ReadAll(r.Body)
		var in asked
		if err := errors.Join(err, json.Unmarshal(b, &in)); err != nil || r.Method != "POST" || r.URL.Path != "/v1/embeddings" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %s: %v", r.Method, r.URL, b, err)
		}
		f(w, r, in, number)
	}))
	t.Cleanup(s.Close)
	return &embedding.Client{URL: s.URL + "/v1", Model: "m", Wait: time.Millisecond}
}

// vector returns the vector that endpoints of tests have for a text.
func vector(text string) []float32 { return []float32{float32(len(text)), -0.1} }

// answer writes vectors in reverse order, in the encoding that is asked for.
func answer(w io.Writer, in asked) {
	var data []string
	for i, text := range slices.Backward(in.Input) {
		b, _ := json.Marshal(vector(text))
		if in.Encoding == "base64" {
			var packed []byte
			for _, x := range vector(text) {
				packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(x))
			}
			b = fmt.Appendf(nil, "%q", base64.StdEncoding.EncodeToString(packed))
		}
		data = append(data, fmt.Sprintf(`{"object": "embedding", "index": %d, "embedding": %s}`, i, b))
	}
	fmt.Fprintf(w, `{"object": "list", "data": [%s], "model": %q, "usage": {"total_tokens": 3}}`, strings.Join(data, ","), in.Model)
}

// TestClient asks in batches, in both encodings, and has vectors in the order of the texts.
func TestClient(t *testing.T) {
	for _, floats := range []bool{false, true} {
		var sizes []int
		c := endpoint(t, func(w http.ResponseWriter, r *http.Request, in asked, n int) {
			sizes = append(sizes, len(in.Input))
			if in.Model != "m" || in.Encoding != map[bool]string{true: "float", false: "base64"}[floats] || in.Dims != 2 || r.Header.Get("Authorization") != "Bearer secret" || !strings.HasPrefix(in.Input[0], "q: ") {
				t.Errorf("%+v, %v", in, r.Header)
			}
			answer(w, in)
		})
		c.Floats, c.Dims, c.Key, c.Prefix, c.Batch = floats, 2, "secret", "q: ", 3
		got, err := c.Embed(t.Context(), []string{"a", "bcd", "", "é", "ffffff", "g", "h"})
		if err != nil || !slices.Equal(sizes, []int{3, 3, 1}) {
			t.Fatalf("batches of %v: %v", sizes, err)
		}
		for i, n := range []int{4, 6, 3, 5, 9, 4, 4} {
			if !slices.Equal(got[i], []float32{float32(n), -0.1}) {
				t.Errorf("text %d: %v", i, got[i])
			}
		}
	}
	c := endpoint(t, func(http.ResponseWriter, *http.Request, asked, int) { t.Error("asked for nothing") })
	if got, err := c.Embed(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	c = endpoint(t, func(w http.ResponseWriter, r *http.Request, in asked, n int) {
		if in.Dims != 0 || r.Header.Get("Authorization") != "" {
			t.Errorf("%+v, %v", in, r.Header)
		}
		io.WriteString(w, `{"data": [{"embedding": [1]}, {"embedding": [2]}]}`) // without an index
	})
	if got, err := c.Embed(t.Context(), []string{"a", "b"}); err != nil || got[0][0] != 1 || got[1][0] != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestClientRefuses names what is wrong with an answer, which it does not ask for again.
func TestClientRefuses(t *testing.T) {
	for _, c := range []struct {
		status     int
		body, want string
	}{
		{200, `{"data": [{"index": 0, "embedding": [1, 2]}]}`, "1 vectors of 2 texts"},
		{200, `{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 0, "embedding": [1, 2]}]}`, "index 0, of 2 texts"},
		{200, `{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 2, "embedding": [1, 2]}]}`, "index 2, of 2 texts"},
		{200, `{"data": [{"index": 0, "embedding": [1, 2]}, {"index": -1, "embedding": [1, 2]}]}`, "index -1"},
		{200, `{"data": [{"index": 1, "embedding": [1, 2, 3]}, {"index": 0, "embedding": [1, 2]}]}`, "vector 1 has 3 dimensions, want 2"},
		{200, `{"data": [{"index": 1, "embedding": null}, {"index": 0}]}`, "vector 1 has 0 dimensions"},
		{200, `{"data": [{"index": 1, "embedding": [null, 1]}, {"index": 0, "embedding": [1, 2]}]}`, "vector 1: a value is null"},
		{200, `{"data": [{"index": 1, "embedding": [1e300, 1]}, {"index": 0, "embedding": [1, 2]}]}`, "vector 1"},
		{200, `{"data": [{"index": 1, "embedding": "AAAA"}, {"index": 0, "embedding": [1, 2]}]}`, "base64 of 3 bytes"},
		{200, `{"data": [{"index": 1, "embedding": "!"}, {"index": 0, "embedding": [1, 2]}]}`, "vector 1"},
		{200, `{"data": [{"index": 0, "embedd`, "not as it should be"},
		{200, `<html>`, "not as it should be"},
		{200, ``, "answer of 0 bytes"},
		{200, `{"data": [` + strings.Repeat(" ", 2*32*schema.MaxDims+1<<20), "more than"},
		{401, `{"error": {"message": "no such key", "type": "x"}}`, "HTTP status 401 Unauthorized: no such key"},
		{400, `{"error": "too long"}`, "400 Bad Request: too long"},
		{404, `not here`, "404 Not Found: not here"},
		{501, ``, "501 Not Implemented"},
		{418, "\xff" + strings.Repeat("x", 5000), strings.Repeat("x", 999)},
		{204, ``, "204 No Content"},
	} {
		var times atomic.Int64
		client := endpoint(t, func(w http.ResponseWriter, r *http.Request, in asked, n int) {
			times.Store(int64(n))
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		})
		client.Dims = 2
		got, err := client.Embed(t.Context(), []string{"a", "b"})
		if got != nil || err == nil || !strings.Contains(err.Error(), c.want) || times.Load() != 1 || len(err.Error()) > 1200 {
			t.Errorf("%d %.80s: %v after %d times, want %s", c.status, c.body, err, times.Load(), c.want)
		}
		if e := (*embedding.Error)(nil); errors.As(err, &e) != (c.status != 200) || e != nil && e.Status != c.status {
			t.Errorf("%d: %v", c.status, err)
		}
	}
}

// TestClientAgain holds that what may pass is asked for again, up to Attempts times.
func TestClientAgain(t *testing.T) {
	broken := func(w http.ResponseWriter) { // an answer that ends early
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"data": [`)
	}
	for what, fail := range map[string]func(w http.ResponseWriter){
		"429": func(w http.ResponseWriter) { w.WriteHeader(429) },
		"500": func(w http.ResponseWriter) { w.WriteHeader(500) },
		"503, in a past": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT")
			w.WriteHeader(503)
		},
		"429, at once": func(w http.ResponseWriter) { w.Header().Set("Retry-After", "0"); w.WriteHeader(429) },
		"truncated":    broken,
		"cut":          func(w http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		var times atomic.Int64
		client := endpoint(t, func(w http.ResponseWriter, r *http.Request, in asked, n int) {
			if times.Store(int64(n)); n < 3 {
				fail(w)
				return
			}
			answer(w, in)
		})
		if got, err := client.Embed(t.Context(), []string{"abc"}); err != nil || times.Load() != 3 || got[0][0] != 3 {
			t.Errorf("%s: %v, %v, after %d times", what, got, err, times.Load())
		}
		down := endpoint(t, func(w http.ResponseWriter, r *http.Request, in asked, n int) { times.Store(int64(n)); fail(w) })
		down.Attempts = 2
		if _, err := down.Embed(t.Context(), []string{"abc"}); err == nil || times.Load() != 2 {
			t.Errorf("%s: %v after %d times", what, err, times.Load())
		}
	}
}

// TestClientWaits holds that a client waits as long as the endpoint says, but no longer than Wait and its context.
func TestClientWaits(t *testing.T) {
	later := func(after string) (*embedding.Client, *atomic.Int64) {
		times := new(atomic.Int64)
		return endpoint(t, func(w http.ResponseWriter, r *http.Request, in asked, n int) {
			if times.Store(int64(n)); n == 1 {
				w.Header().Set("Retry-After", after)
				w.WriteHeader(429)
				return
			}
			answer(w, in)
		}), times
	}
	c, times := later("0.05")
	c.Wait = time.Minute
	began := time.Now()
	if _, err := c.Embed(t.Context(), []string{"a"}); err != nil || time.Since(began) < 50*time.Millisecond || times.Load() != 2 {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	c, times = later("3600")
	e := (*embedding.Error)(nil)
	if _, err := c.Embed(t.Context(), []string{"a"}); !errors.As(err, &e) || e.Status != 429 || !strings.Contains(err.Error(), "1h0m0s") || times.Load() != 1 {
		t.Errorf("%v after %d times", err, times.Load())
	}
	c, times = later("60")
	c.Wait = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := c.Embed(ctx, []string{"a"}); !errors.As(err, &e) || ctx.Err() != nil || times.Load() != 1 {
		t.Errorf("%v after %d times", err, times.Load())
	}
	c, times = later("60")
	c.Wait = time.Hour
	canceled, cancel := context.WithCancel(t.Context())
	c.HTTP = &http.Client{Transport: canceling{cancel}}
	if _, err := c.Embed(canceled, []string{"a"}); !errors.Is(err, context.Canceled) || times.Load() != 1 {
		t.Errorf("%v after %d times", err, times.Load())
	}
}

// canceling cancels a context when an answer has come.
type canceling struct{ cancel func() }

func (c canceling) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		time.AfterFunc(10*time.Millisecond, c.cancel)
	}
	return answer, err
}

func TestClientMisuse(t *testing.T) {
	for _, c := range []embedding.Client{{}, {URL: "http://localhost"}, {Model: "m"}, {URL: "localhost:1", Model: "m"}, {URL: "ftp://x", Model: "m"}, {URL: "http://%", Model: "m"},
		{URL: "http://x", Model: "m", Dims: -1}, {URL: "http://x", Model: "m", Batch: -1}, {URL: "http://x", Model: "m", Attempts: -1}, {URL: "http://x", Model: "m", Wait: -1}} {
		if _, err := c.Embed(t.Context(), []string{"a"}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	c := embedding.Client{URL: strings.Replace(s.URL, "//", "//user:password@", 1), Model: "m", Attempts: 1}
	if _, err := c.Embed(t.Context(), []string{"a"}); err == nil || strings.Contains(err.Error(), "password") || !strings.Contains(err.Error(), "/embeddings") {
		t.Errorf("nobody there: %v", err)
	}
}
