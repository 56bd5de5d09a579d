package bucket

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/reader/host"
	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
)

// The directory of an index that a static host serves gives the same answers, whether the host lists it or files.json does.
func TestHTTP(t *testing.T) {
	dir := t.TempDir()
	build(t, dir, 1, 15000)
	build(t, dir, 2, 1000)
	queries := queryLog(20)
	want := local(t, dir, queries)
	static := http.FileServer(http.Dir(filepath.Dir(dir)))
	silent := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		static.ServeHTTP(w, r)
	})
	whole := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Range")
		static.ServeHTTP(w, r)
	})
	ask := func(h http.Handler) error {
		meter := lag.New(lag.Model{}, 1)
		server := httptest.NewServer(meter.Handler(h))
		defer server.Close()
		x, err := OpenIndex(t.Context(), server.URL+"/"+filepath.Base(dir), ReadOptions{})
		if err != nil {
			return err
		}
		defer x.Close()
		s, err := x.Snapshot()
		if err != nil {
			return err
		}
		defer s.Close()
		got, err := hits(t.Context(), s, queries)
		if err == nil && got != want {
			t.Error("the hits differ")
		}
		return err
	}
	if err := ask(static); err != nil {
		t.Errorf("a host that lists the directory: %v", err)
	}
	if err := ask(silent); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("a host that lists nothing: %v", err)
	}
	if err := ask(whole); err == nil || !strings.Contains(err.Error(), host.ErrNoRanges.Error()) {
		t.Errorf("a host without ranges: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	list := "["
	for _, e := range entries {
		list += `"` + e.Name() + `",`
	}
	if err := os.WriteFile(filepath.Join(dir, "files.json"), []byte(strings.TrimSuffix(list, ",")+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ask(silent); err != nil {
		t.Errorf("a host with files.json: %v", err)
	}
	var missing atomic.Int64
	without := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "segment-") {
			missing.Add(1)
			http.NotFound(w, r)
			return
		}
		static.ServeHTTP(w, r)
	})
	if err := ask(without); !errors.Is(err, ErrExpired) {
		t.Errorf("a host without the segments: %v", err)
	}
	if n := missing.Load(); n > 4 { // of two segments, each of which may be asked for again when the answer is late
		t.Errorf("missing files are asked for %d times", n)
	}
}
