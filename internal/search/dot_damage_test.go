package search_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Damage that no checksum finds gives a format.ErrCorrupt or some result of a Dot over several windows, but never a panic.
func TestDamagedDots(t *testing.T) {
	const docs = 40_000
	r, fs := rand.New(rand.NewPCG(39, 3)), memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Impacts}}}})
	if err != nil {
		t.Fatal(err)
	}
	dot := query.Dot{Field: "v"}
	err = w.AddInverted(t.Context(), writer.Inverted{Field: "v",
		Docs: func(yield func(writer.InvertedDoc, error) bool) {
			for d := range docs {
				if !yield(writer.InvertedDoc{ID: fmt.Append(nil, d)}, nil) {
					return
				}
			}
		},
		Lists: func(yield func(writer.InvertedList, error) bool) {
			for term := range 6 {
				var p format.Postings
				for d := range uint32(docs) {
					if r.IntN(4<<term) == 0 {
						p.Docs, p.Freqs = append(p.Docs, d), append(p.Freqs, uint32(1+r.IntN(1+r.IntN(255))))
					}
				}
				name := fmt.Append(nil, "t", term)
				dot.Terms = append(dot.Terms, query.WeightedTerm{Term: string(name), Weight: 1 + r.Uint32N(100)})
				if !yield(writer.InvertedList{Term: name, Postings: p}, nil) {
					return
				}
			}
		}})
	if err := errors.Join(err, w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	name := indexdir.SegmentName(1)
	data, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := data.Range(0, data.Size())
	if err != nil {
		t.Fatal(err)
	}
	file, err := damage.Parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	answered, found := 0, 0
	for range 150 {
		b, what := damage.Mutate(r, file, file)
		if b == nil {
			continue
		}
		fs.Put(name, b)
		hits, err := damagedHits(t, fs, &search.Query{Node: dot, K: 10})
		if answered++; err != nil {
			if found++; !errors.Is(err, format.ErrCorrupt) && !errors.Is(err, format.ErrTooNew) {
				t.Errorf("%s: %v", what, err)
			}
		}
		for _, h := range hits {
			if h.Doc >= docs {
				t.Errorf("%s: document %d", what, h.Doc)
			}
		}
	}
	if found == 0 || found == answered {
		t.Errorf("%d of %d damaged segments gave errors", found, answered)
	}
}

// damagedHits returns the hits of a query on an index, if that can be opened.
func damagedHits(t *testing.T, fs *memfs.FS, q *search.Query) ([]search.Hit, error) {
	return damagedHitsOf(t, fs, q, 1)
}

// damagedHitsOf is damagedHits with several goroutines, if workers is above 1.
func damagedHitsOf(t *testing.T, fs *memfs.FS, q *search.Query, workers int) ([]search.Hit, error) {
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		return nil, err
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if workers == 1 {
		return s.AppendHits(t.Context(), nil, q)
	}
	p, err := pool.New(s, pool.Options{Workers: workers, Model: pool.FineGrained, TaskPostings: 50})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	return p.AppendHits(t.Context(), nil, q)
}
