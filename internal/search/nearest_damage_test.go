package search_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// vectorFile writes an index of one segment, of documents with up to two vectors in a field and one in another, and returns its file.
func vectorFile(t *testing.T, docs int) (fs *memfs.FS, name string, whole []byte) {
	t.Helper()
	fs = memfs.New()
	fields := []schema.Field{{Name: "a", Kind: schema.Vector, Dims: 20}, {Name: "b", Kind: schema.Vector, Dims: 5, Similarity: schema.SimilarityDot}}
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: fields}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(62, 5))
	for d := range docs {
		values := []schema.Value{schema.VectorValue(1, denseVector(rng, &fields[1]))}
		for range d % 3 {
			values = append(values, schema.VectorValue(0, denseVector(rng, &fields[0])))
		}
		if err := w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: values}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	name = indexdir.SegmentName(1)
	data, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if whole, err = data.Range(0, data.Size()); err != nil {
		t.Fatal(err)
	}
	return fs, name, slices.Clone(whole)
}

// vectorQueries are queries that look at all vectors of vectorFile.
func vectorQueries() []query.Node {
	a, b := make([]float32, 20), []float32{1, 2, 3, -4, 5}
	a[3] = 1
	return []query.Node{query.Nearest{Field: "a", Vector: a, K: 2000}, query.Nearest{Field: "b", Vector: b, K: 2000},
		query.Bool{Should: []query.Node{query.All{}, query.Similarity{Field: "a", Vector: a}, query.Similarity{Field: "b", Vector: b}}}}
}

// A vector that has changed since it was written is named by its file, section and field.
func TestDamagedVectorNamed(t *testing.T) {
	fs, name, whole := vectorFile(t, 600)
	h, err := format.ParseFile(name, whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []format.SectionID{format.SectionVectors, format.SectionVectorFloats} {
		sec, ok := h.Section(id)
		if !ok {
			t.Fatalf("no section %v", id)
		}
		b := slices.Clone(whole)
		b[int64(sec.Offset)+int64(sec.Length)/4] ^= 4
		fs.Put(name, b)
		failed := 0
		for i, n := range slices.Concat(vectorQueries(), vectorQueries()) {
			_, err := damagedHitsOf(t, fs, &search.Query{Node: n, K: 10}, 1+i/3*3)
			if err == nil {
				continue
			}
			failed++
			for _, part := range []string{name, id.String(), "field "} {
				if !errors.Is(err, format.ErrCorrupt) || !strings.Contains(err.Error(), part) {
					t.Errorf("%v, %T: %v does not name %s", id, n, err, part)
				}
			}
		}
		if failed < 2 {
			t.Errorf("%v: no query found the damage", id)
		}
	}
}

// Damage that no checksum finds gives an error or some result of vectors, but never a panic, and no score that is not finite.
func TestDamagedVectors(t *testing.T) {
	const docs = 900
	fs, name, whole := vectorFile(t, docs)
	file, err := damage.Parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(62, 6))
	answered, found := 0, 0
	for range 300 {
		b, what := damage.Mutate(r, file, file)
		if b == nil {
			continue
		}
		fs.Put(name, b)
		for _, n := range vectorQueries() {
			hits, err := damagedHitsOf(t, fs, &search.Query{Node: n, K: 10}, 1+r.IntN(2)*3)
			if answered++; err != nil {
				if found++; !errors.Is(err, format.ErrCorrupt) && !errors.Is(err, format.ErrTooNew) && !errors.Is(err, query.ErrInvalid) {
					t.Errorf("%s: %v", what, err)
				}
			}
			for _, h := range hits {
				if h.Doc >= docs || !(h.Score >= 0 && h.Score < 1e38) {
					t.Errorf("%s: document %d scores %v", what, h.Doc, h.Score)
				}
			}
		}
	}
	if found == 0 || found == answered {
		t.Errorf("%d of %d damaged segments gave errors", found, answered)
	}
}
