package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

func TestMatchesErrors(t *testing.T) {
	snapshot := querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(17, 18)), 3000, 30, 10), nil, 1000)
	s, err := NewSearcher(snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	q := Query{RawTerms: querytest.Terms("w0", "w1")}
	n := 0
	for doc, err := range s.Matches(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		// A search in between disturbs nothing.
		if r, err := s.Search(t.Context(), Query{RawTerms: q.RawTerms, K: 1}); err != nil || len(r.Hits) != 1 {
			t.Fatal(err)
		}
		if n++; doc > 500 {
			break
		}
	}
	all, err := matchesOf(s, q)
	if err != nil || len(all) < n || all[n-1] <= 500 || n > 1 && all[n-2] > 500 {
		t.Errorf("%d of %d matches before the break: %v", n, len(all), err)
	}
	for what, c := range map[string]struct {
		q    Query
		want error
	}{
		"and-or":         {Query{RawTerms: q.RawTerms, Mode: query.ModeAndOr}, query.ErrInvalid},
		"a mode":         {Query{RawTerms: q.RawTerms, Mode: 9}, query.ErrInvalid},
		"too many terms": {Query{RawTerms: manyTerms()}, query.ErrTooManyTerms},
	} {
		if docs, err := matchesOf(s, c.q); !errors.Is(err, c.want) || len(docs) > 0 {
			t.Errorf("%s: %d matches, %v", what, len(docs), err)
		}
	}
	for _, q := range []Query{{}, {Mode: query.ModeAnd}, {RawTerms: querytest.Terms("nowhere")}, {RawTerms: querytest.Terms("w0", "nowhere"), Mode: query.ModeAnd}} {
		if docs, err := matchesOf(s, q); err != nil || len(docs) > 0 {
			t.Errorf("%q: %d matches, %v", q.RawTerms, len(docs), err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n = 0
	for _, e := range s.Matches(ctx, q) {
		if n++; n == 10 {
			cancel()
		}
		err = e
	}
	if !errors.Is(err, context.Canceled) || n == len(all)+1 {
		t.Errorf("cancelled: %v after %d of %d", err, n, len(all))
	}
	snapshot.Close()
	for _, e := range s.Matches(t.Context(), q) {
		s.Close()
		err = e
	}
	if !errors.Is(err, reader.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// manyTerms returns more terms than a query may have.
func manyTerms() [][]byte {
	terms := make([][]byte, query.MaxTerms+1)
	for i := range terms {
		terms[i] = []byte{byte(i), byte(i >> 8), byte(i >> 16)}
	}
	return terms
}
