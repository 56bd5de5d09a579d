//go:build emu && cgo && !cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// TestOpening tells a Group about queries from several goroutines while it is opened: each of
// its devices loads their lists before it is asked, and answers as the CPU does.
func TestOpening(t *testing.T) {
	for _, c := range []struct{ segments, devices int }{{1, 1}, {3, 1}, {1, 2}, {3, 2}} {
		segments := c.segments
		s, searcher := manyTerms(t, segments)
		r := rand.New(rand.NewPCG(3, 1))
		qs := make([]search.Query, 300)
		for i := range qs {
			for range 1 + r.IntN(3) {
				qs[i].RawTerms = append(qs[i].RawTerms, fmt.Appendf(nil, "t%d", r.IntN(12)))
			}
			qs[i].K, qs[i].Mode = 10, query.Mode(i%3)
		}
		want, err := searcher.Execute(context.Background(), qs)
		if err != nil {
			t.Fatal(err)
		}
		p, err := StartGroup(c.devices, s, Options{Memory: 4 << 20, CPU: searcher})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				if !p.Expect(qs[100*i:][:100]) {
					t.Error("nothing is expected before Group is called")
				}
			})
		}
		wg.Wait()
		g, err := p.Group()
		if err != nil {
			t.Fatal(err)
		}
		if p.Expect(qs) {
			t.Error("queries are expected after Group has returned")
		}
		p.Load()
		for _, q := range qs {
			for _, b := range q.RawTerms {
				if !g.Resident(b) {
					t.Fatalf("the list of %s is not loaded", b)
				}
			}
		}
		for i, x := range g.Executors() {
			if n := x.Stats().Lists; n != 12 {
				t.Errorf("%+v: GPU %d has loaded %d lists", c, i, n)
			}
		}
		loaded := g.Stats()
		got, err := g.Execute(context.Background(), qs)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !slices.Equal(got[i].Hits, want[i].Hits) {
				t.Errorf("%+v, query %d: %v, want %v", c, i, got[i].Hits, want[i].Hits)
			}
		}
		if n := g.Stats(); n.Misses > 0 || n.Loaded != loaded.Loaded || n.Hits == 0 {
			t.Errorf("%+v: %d lists were missing, %d loaded ahead of %d", c, n.Misses, loaded.Loaded, n.Loaded)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// manyTerms returns a snapshot of an index whose terms t0 to t11 have long lists.
func manyTerms(t *testing.T, segments int) (*reader.Snapshot, *search.Searcher) {
	t.Helper()
	dir, docs := t.TempDir(), 2400
	w, err := writer.Open(t.Context(), dir, writer.Options{})
	for i := 0; err == nil && i < docs; i++ {
		text := []byte("all")
		for n := range 12 {
			if i%(n+2) == 0 {
				text = fmt.Appendf(text, " t%d", n)
			}
		}
		if err = w.Add(t.Context(), writer.Text(fmt.Append(nil, i), text)); err == nil && (i+1)%(docs/segments) == 0 {
			err = w.Flush(t.Context())
		}
	}
	if err = errors.Join(err, w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	index, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), index.Close()); err != nil {
			t.Error(err)
		}
	})
	if n := len(s.Segments()); n != segments {
		t.Fatalf("%d segments", n)
	}
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { searcher.Close() })
	return s, searcher
}

// TestOpeningWithoutRoom expects more than fits, and more than is kept.
func TestOpeningWithoutRoom(t *testing.T) {
	s, searcher := manyTerms(t, 1)
	var qs []search.Query
	for n := range 12 {
		qs = append(qs, search.Query{RawTerms: [][]byte{fmt.Appendf(nil, "t%d", n)}, K: 10})
	}
	p, err := StartGroup(1, s, Options{Memory: 3 << 10, AsStored: true, CPU: searcher})
	if err != nil {
		t.Fatal(err)
	}
	p.Expect(qs)
	e := p.first.expected.Load()
	if len(e.wants) != len(qs) || e.postings == 0 {
		t.Errorf("%d lists, %d postings are expected", len(e.wants), e.postings)
	}
	e.postings = mostExpectedPostings
	p.Expect([]search.Query{{RawTerms: [][]byte{[]byte("all")}}})
	if len(e.wants) != len(qs) {
		t.Errorf("%d lists are expected", len(e.wants))
	}
	g, err := p.Group()
	if err != nil {
		t.Fatal(err)
	}
	p.Load()
	if n := g.Stats(); n.Lists == 0 || n.Refused == 0 || n.Evicted > 0 {
		t.Errorf("%+v", n)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// TestOpeningFails opens a Group on devices that do not exist and of a snapshot that is closed.
func TestOpeningFails(t *testing.T) {
	s := openSnapshot(t)
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { searcher.Close() })
	n, err := cuda.Count()
	if err != nil {
		t.Fatal(err)
	}
	p, err := StartGroup(n+1, s, Options{CPU: searcher})
	if err != nil {
		t.Fatal(err)
	}
	p.Expect(someQueries())
	if _, err := p.Group(); !errors.Is(err, ErrNoDevice) {
		t.Errorf("more devices than there are: %v", err)
	}
	if p.Expect(someQueries()) {
		t.Error("queries are expected without a device")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := StartGroup(1, s, Options{CPU: searcher}); !errors.Is(err, reader.ErrClosed) {
		t.Errorf("a closed snapshot: %v", err)
	}
}
