package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
)

// reachable returns how much memory is reachable.
func reachable() int64 {
	runtime.GC()
	runtime.GC() // of what sync.Pools hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// allTerms returns a query of all terms of querytest.ZipfDocs.
func allTerms(vocab, k int) Query {
	q := Query{K: k, Mode: query.ModeOr}
	for i := range vocab {
		q.RawTerms = append(q.RawTerms, fmt.Appendf(nil, "w%d", i))
	}
	return q
}

// A closed Searcher holds almost nothing, but what it shares with another stays cached.
func TestClosedSearcherMemory(t *testing.T) {
	longtest.Once(t)
	const docs, vocab, least, most = 60000, 3000, 512 << 10, 64 << 10
	snapshot := querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(51, 52)), docs, vocab, 10), nil)
	before := reachable()
	s, err := NewSearcher(snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, term := range allTerms(vocab, 1).RawTerms {
		q := Query{RawTerms: [][]byte{term, []byte("w0"), []byte("w1"), []byte("w2"), []byte("w3")}, K: 10, Mode: query.ModeAnd}
		if _, err := s.Search(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	second, err := s.Retain()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil { // counts once
		t.Fatal(err)
	}
	if n := reachable() - before; n < least {
		t.Errorf("%d bytes are held while a Searcher is open: the caches are gone, or this tests nothing", n)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if n := reachable() - before; n > most {
		t.Errorf("closed Searchers hold %d bytes, more than %d", n, most)
	}
	runtime.KeepAlive([]*Searcher{s, second})
}

// A worker without work frees what an unusual query needed, and answers the next one.
func TestIdleWorkerMemory(t *testing.T) {
	longtest.Once(t)
	const docs, vocab, least, most = 100000, 5000, 512 << 10, 64 << 10
	snapshot := querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(53, 54)), docs, vocab, 10), nil)
	s, err := NewSearcher(snapshot, Options{DenseBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, q := range []Query{allTerms(vocab, 10), {RawTerms: querytest.Terms("w0", "w1", "w2", "w3"), Mode: query.ModeOr, K: docs}} {
		want, err := s.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.engine.Tasks()
		if err != nil {
			t.Fatal(err)
		}
		w := e.NewWorker()
		answer := func(q Query) []Hit {
			x := e.NewQuery(1, 0)
			own := q.Engine()
			x.Begin(context.Background(), &own)
			defer x.Forget()
			x.Fail(w.Answer(x))
			hits, _, err := engine.AppendTaskHits(x, []Hit(nil))
			if err != nil {
				t.Fatal(err)
			}
			return hits
		}
		before := reachable()
		if hits := answer(q); !slices.Equal(hits, want.Hits) {
			t.Error(difference(want.Hits, hits))
		}
		if n := reachable() - before; n < least {
			t.Errorf("%d terms, K %d: a worker holds %d bytes: a test of nothing", len(q.RawTerms), q.K, n)
		}
		w.Forget()
		if n := reachable() - before; n > most {
			t.Errorf("%d terms, K %d: an idle worker holds %d bytes, more than %d", len(q.RawTerms), q.K, n, most)
		}
		if hits := answer(q); !slices.Equal(hits, want.Hits) {
			t.Errorf("the next query: %s", difference(want.Hits, hits))
		}
		e.Close()
	}
}
