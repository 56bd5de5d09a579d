package search

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Invalid values are refused whatever else the query holds.
func TestInvalidValues(t *testing.T) {
	s, err := NewSearcher(querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(81, 82)), 50, 30, 10), nil), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ctx := context.Background()
	for _, q := range []Query{{Algorithm: 200, Mode: 9}, {Mode: 3}, {Algorithm: BlockMaxAnd + 1}, {Mode: 255, Algorithm: Scan}, {K: -1}} {
		for _, q.K = range []int{min(q.K, 0), q.K | 10} {
			for _, q.RawTerms = range [][][]byte{nil, querytest.Terms("w1", "w2")} {
				if _, err := s.Search(ctx, q); !errors.Is(err, query.ErrInvalid) {
					t.Errorf("%+v gives %v", q, err)
				}
				var failed *NumberError
				if res, err := s.Execute(ctx, []Query{{}, q}); !errors.Is(err, query.ErrInvalid) || !errors.As(err, &failed) || failed.Number != 1 || res != nil {
					t.Errorf("%+v in a batch gives %v, %v", q, res, err)
				}
			}
		}
	}
	if err := new(query.Mode).UnmarshalText([]byte("nor")); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("an unknown mode gives %v", err)
	}
	if err := new(Algorithm).UnmarshalText([]byte("fast")); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("an unknown algorithm gives %v", err)
	}
}

func TestInvalidSnapshots(t *testing.T) {
	if _, err := NewSearcher(nil, Options{}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("no snapshot gives %v", err)
	}
	snapshot := querytest.Index(t, [][]string{{"a"}}, nil)
	if _, err := NewSearcher(snapshot, Options{Seek: reader.Buckets + 1}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("an unknown strategy gives %v", err)
	}
	if _, err := NewSearcher(snapshot, Options{Params: query.Params{B: 2}}); !errors.Is(err, query.ErrParams) {
		t.Errorf("bad parameters give %v", err)
	}
	if err := snapshot.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := NewSearcher(snapshot, Options{}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed snapshot gives %v", err)
	}
}

// Zero options and parameters mean the defaults; Zero means 0.
func TestZeroOptions(t *testing.T) {
	snapshot := querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(83, 84)), 300, 30, 10), nil)
	search := func(o Options) []Hit {
		s, err := NewSearcher(snapshot, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		res, err := s.Search(context.Background(), Query{RawTerms: querytest.Terms("w1", "w4"), K: 50})
		if err != nil {
			t.Fatal(err)
		}
		return res.Hits
	}
	zero, standard, none := search(Options{}), search(Options{Params: query.Params{K1: 1.2, B: 0.75}}), search(Options{Params: query.Exactly(0, 0)})
	if !slices.Equal(zero, standard) {
		t.Errorf("zero options differ from k1 1.2, b 0.75: %s", difference(standard, zero))
	}
	if slices.Equal(zero, none) {
		t.Error("zero options mean k1 0, b 0")
	}
}

// Queries to a closed Searcher fail, also once their terms are cached, and those to another over the
// same snapshot do not. The snapshot may be closed before.
func TestSearchAfterClose(t *testing.T) {
	snapshot := querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(85, 86)), 300, 30, 10), nil)
	s, err := NewSearcher(snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	q := Query{RawTerms: querytest.Terms("w1", "w4"), K: 5}
	for range 10 {
		if _, err := s.Search(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	other, err := s.Retain()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	want, err := other.Search(context.Background(), q)
	if err := errors.Join(err, snapshot.Close(), s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := other.Search(context.Background(), q); err != nil || !slices.Equal(got.Hits, want.Hits) {
		t.Errorf("the other Searcher: %v, %v", got, err)
	}
	if res, err := s.Search(context.Background(), q); !errors.Is(err, reader.ErrClosed) || res.Hits != nil {
		t.Errorf("a search after Close gives %v, %v", res, err)
	}
}
