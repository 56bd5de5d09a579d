package host_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"
)

// faultyServer serves a directory. fault writes the answer to the n-th request, from 1 on, in place of a sound one, or returns false.
func faultyServer(t *testing.T, dir string, fault func(n int64, w http.ResponseWriter, r *http.Request, sound *httptest.ResponseRecorder) bool) (url string, requests *atomic.Int64) {
	requests = new(atomic.Int64)
	files := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := requests.Add(1)
		sound := httptest.NewRecorder()
		files.ServeHTTP(sound, r)
		if fault(n, w, r, sound) {
			return
		}
		head(w, sound)
		w.Write(sound.Body.Bytes())
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// head writes the head of an answer.
func head(w http.ResponseWriter, sound *httptest.ResponseRecorder) {
	for k, v := range sound.Header() {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Length", strconv.Itoa(sound.Body.Len()))
	w.WriteHeader(sound.Code)
}

// open opens the index at a URL.
func open(t *testing.T, url string) (*reader.Index, *reader.Meter, error) {
	t.Helper()
	m := reader.NewMeter(reader.Budget{})
	src, err := host.Open(reader.WithMeter(t.Context(), m), url)
	if err != nil {
		return nil, m, err
	}
	t.Cleanup(func() { src.Close() })
	x, err := reader.Open(t.Context(), src, reader.Options{})
	return x, m, err
}

// A request that fails, stalls or brings a wrong byte, whichever it is, changes no answer, from servers with ranges and without.
func TestFaults(t *testing.T) {
	dir := t.TempDir()
	build(t, dir)
	mapped, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := hits(t, mapped)
	for _, c := range []struct {
		name  string
		fault func(w http.ResponseWriter, r *http.Request, sound *httptest.ResponseRecorder)
		turns int64 // of which requests
	}{
		{"busy", func(w http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) {
			http.Error(w, "busy", http.StatusServiceUnavailable)
		}, 10},
		{"cut", func(w http.ResponseWriter, r *http.Request, sound *httptest.ResponseRecorder) {
			head(w, sound)
			w.Write(sound.Body.Bytes()[:sound.Body.Len()/2])
		}, 10},
		{"flipped bytes", func(w http.ResponseWriter, r *http.Request, sound *httptest.ResponseRecorder) {
			head(w, sound)
			b := sound.Body.Bytes()
			for i := 100; i < len(b) && strings.HasSuffix(r.URL.Path, ".pin"); i += 4096 { // in each page
				b[i] ^= 4
			}
			w.Write(b)
		}, 10},
		{"stalled", func(w http.ResponseWriter, r *http.Request, sound *httptest.ResponseRecorder) {
			head(w, sound)
			w.Write(sound.Body.Bytes()[:sound.Body.Len()/2])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, 3},
		{"no answer", func(w http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) { <-r.Context().Done() }, 3},
	} {
		for _, whole := range []bool{false, true} {
			for turn := int64(1); turn <= c.turns; turn++ {
				url, _ := faultyServer(t, dir, func(n int64, w http.ResponseWriter, r *http.Request, sound *httptest.ResponseRecorder) bool {
					if whole && r.Header.Get("Range") != "" {
						r.Header.Del("Range")
						sound.Body.Reset()
						*sound = *httptest.NewRecorder()
						http.FileServer(http.Dir(dir)).ServeHTTP(sound, r)
					}
					if n == turn {
						c.fault(w, r, sound)
					}
					return n == turn
				})
				t.Run(fmt.Sprint(c.name, ", whole ", whole, ", request ", turn), func(t *testing.T) {
					t.Parallel() // they wait for what does not come
					x, _, err := open(t, url)
					if err != nil {
						t.Fatal(err)
					}
					if got := hits(t, x); got != want {
						t.Error("the hits differ")
					}
				})
			}
		}
	}
}

// Damage that stays is damage, after one more request that is counted as that, and a file that is missing is asked for once.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	build(t, dir)
	url, requests := faultyServer(t, dir, func(_ int64, w http.ResponseWriter, r *http.Request, sound *httptest.ResponseRecorder) bool {
		if b := sound.Body.Bytes(); strings.HasPrefix(r.URL.Path, "/manifest-") {
			b[len(b)/2] ^= 1
		}
		return false
	})
	_, m, err := open(t, url)
	if u := m.Usage(); !errors.Is(err, format.ErrCorrupt) || u.Damaged != 1 || requests.Load() != 4 { // files.json, the directory, the manifest
		t.Errorf("%v, counted %+v, %d requests", err, u, requests.Load())
	}
	url, requests = faultyServer(t, dir, func(int64, http.ResponseWriter, *http.Request, *httptest.ResponseRecorder) bool { return false })
	if _, err := host.OpenCommit(t.Context(), url, 99); err == nil || requests.Load() != 1 {
		t.Errorf("a commit that is missing: %v after %d requests", err, requests.Load())
	}
}
