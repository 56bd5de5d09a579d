package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// build builds an index of two segments with deletes in dir.
func build(t *testing.T, dir string) {
	t.Helper()
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: schema.Implicit("", "", true), MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6000 {
		text := fmt.Sprintf("common n%d n%d", i%10, i%100)
		if err := w.Add(t.Context(), writer.Text(fmt.Appendf(nil, "d%d", i), []byte(text))); err != nil {
			t.Fatal(err)
		}
		if i == 4000 {
			err = w.Commit(t.Context())
		}
	}
	if err = errors.Join(err, w.Delete(t.Context(), []byte("d7")), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
}

var queries = []string{"n7", "common n3", "n1 n11 n99", "absent"}

// hits returns the hits of the queries with ids and texts, and closes x.
func hits(t *testing.T, x *reader.Index) string {
	t.Helper()
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var out strings.Builder
	for _, text := range queries {
		ctx, m := t.Context(), reader.NewMeter(reader.Budget{})
		ctx = reader.WithMeter(ctx, m)
		r, err := q.Search(ctx, search.Query{Text: text, K: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hits {
			id, err1 := s.WithContext(ctx).AppendID(nil, h.Doc)
			stored, err2 := s.WithContext(ctx).AppendStored(nil, h.Doc)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s %x %s\n", id, h.Score, stored)
		}
	}
	return out.String()
}

// counted serves a directory, and counts the bytes of its answers.
func counted(t *testing.T, dir string, change func(w http.ResponseWriter, r *http.Request) bool) (url string, requests, bytes *atomic.Int64) {
	requests, bytes = new(atomic.Int64), new(atomic.Int64)
	files := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if change == nil || change(w, r) {
			files.ServeHTTP(counter{w, bytes}, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, requests, bytes
}

type counter struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (c counter) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}

// A directory that a server serves gives the answers of the directory, with ranges and without, and what is counted is what the
// server has sent.
func TestSource(t *testing.T) {
	dir := t.TempDir()
	build(t, dir)
	mapped, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := hits(t, mapped)
	whole := func(w http.ResponseWriter, r *http.Request) bool {
		r.Header.Del("Range")
		return true
	}
	for name, change := range map[string]func(w http.ResponseWriter, r *http.Request) bool{"ranges": nil, "whole": whole} {
		url, requests, bytes := counted(t, dir, change)
		m := reader.NewMeter(reader.Budget{})
		src, err := host.Open(reader.WithMeter(t.Context(), m), url)
		if err != nil {
			t.Fatal(err)
		}
		if src.Whole() != (name == "whole") {
			t.Errorf("%s: Whole is %v", name, src.Whole())
		}
		listed := bytes.Load() // and what that brings is not counted
		x, err := reader.Open(t.Context(), src, reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		u := m.Usage()
		if n := requests.Load(); int64(u.Requests) != n-1 { // files.json is not there
			t.Errorf("%s: %d requests, the server had %d", name, u.Requests, n)
		}
		if n := bytes.Load(); u.Bytes > n || u.Bytes < n-listed {
			t.Errorf("%s: %d bytes, the server sent %d", name, u.Bytes, n)
		}
		if got := hits(t, x); got != want {
			t.Errorf("%s: other hits", name)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	url, _, _ := counted(t, dir, nil)
	if _, err := host.Open(t.Context(), url); !errors.Is(err, format.ErrNotAnIndex) {
		t.Errorf("no index: %v", err)
	}
	if _, err := host.Open(t.Context(), url+"/absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	if _, err := host.Open(t.Context(), "http://%"); err == nil {
		t.Error("no URL: no error")
	}
	build(t, dir)
	cut := false
	url, _, _ = counted(t, dir, func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path == "/files.json":
			io.WriteString(w, `["manifest-000000000002.pin.bak", "old-manifest-000000000001.pin", "manifest-3.pin", "manifest-", "manifest-99999999999999999999.pin", "manifest-000000000003.pin"]`)
			return false
		case cut && strings.Contains(r.URL.Path, "segment"):
			w.Header().Set("Content-Range", "bytes 0-9/10")
			w.WriteHeader(http.StatusPartialContent)
			return false
		}
		return true
	})
	src, err := host.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	cut = true
	if _, err := reader.Open(t.Context(), src, reader.Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("answers without content: %v", err)
	}
	m := reader.NewMeter(reader.Budget{Requests: 1})
	var over *reader.BudgetError
	if _, err := host.Open(reader.WithMeter(t.Context(), m), url); !errors.As(err, &over) {
		t.Errorf("a budget of one request: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := host.Open(ctx, url); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	h, err := host.New(url)
	if err != nil {
		t.Fatal(err)
	}
	body, size, err := h.Get(t.Context(), "manifest-000000000003.pin", 10, 20)
	if err != nil || size < 100 {
		t.Fatal(size, err)
	}
	b, err := io.ReadAll(body)
	body.Close()
	if len(b) != 20 || err != nil {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}
