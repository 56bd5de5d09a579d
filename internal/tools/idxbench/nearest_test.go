package idxbench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// nearestIndex makes an index of several segments with deletes, several vectors a document and equal ones, and a file of queries.
func nearestIndex(t *testing.T, by schema.Similarity) (index, queries string) {
	dir, r := t.TempDir(), rand.New(rand.NewPCG(3, uint64(by)))
	index, queries = filepath.Join(dir, "index"), filepath.Join(dir, "q.json")
	w, err := writer.Open(t.Context(), index, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "emb", Kind: schema.Vector, Dims: 20, Similarity: by}, {Name: "tag", Kind: schema.Integer, Column: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	draw := func() []float32 {
		v := make([]float32, 20)
		for i := range v {
			v[i] = float32(r.IntN(3) - 1)
		}
		v[0] = 2
		return v
	}
	for i := range 600 {
		values := []schema.Value{schema.IntegerValue(1, int64(i%10))}
		for range i % 4 {
			values = append(values, schema.VectorValue(0, draw()))
		}
		err = errors.Join(err, w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: values}))
		if i%200 == 199 {
			err = errors.Join(err, w.Flush(t.Context()))
		}
	}
	for i := 0; i < 600; i += 7 {
		err = errors.Join(err, w.Delete(t.Context(), fmt.Append(nil, i)))
	}
	b, _ := json.Marshal([][]float32{draw(), draw(), draw()})
	if err = errors.Join(err, w.Commit(t.Context()), w.Close(), os.WriteFile(queries, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	return index, queries
}

// All answers are those of the loop, and what is looked at is counted.
func TestNearest(t *testing.T) {
	for _, by := range []schema.Similarity{schema.SimilarityCosine, schema.SimilarityDot, schema.SimilarityL2} {
		index, queries := nearestIndex(t, by)
		for _, c := range []struct {
			filter string
			k      int
			docs   func(i int) bool
		}{
			{"", 10, func(int) bool { return true }},
			{"", 1000, func(int) bool { return true }},
			{"tag = 3", 10, func(i int) bool { return i%10 == 3 }},
		} {
			docs, vectors := 0, 0
			for i := range 600 {
				if i%7 != 0 && i%4 != 0 && c.docs(i) {
					docs, vectors = docs+1, vectors+i%4
				}
			}
			r, err := (&nearestFlags{index: index, field: "emb", queries: queries, filter: c.filter, k: c.k, threads: 1}).run(t.Context(), io.Discard)
			if err != nil || r.Equal != 3 || r.Queries != 3 || r.Documents != docs || r.Vectors != vectors {
				t.Errorf("%v, %q: %+v, %v, want %d documents and %d vectors", by, c.filter, r, err, docs, vectors)
				continue
			}
			if r.Upper != float64(vectors) || r.Both > r.Upper || r.Floats > r.Both || r.Floats < float64(min(c.k, docs)) {
				t.Errorf("%v, %q: looked at %v, %v, %v", by, c.filter, r.Upper, r.Both, r.Floats)
			}
		}
	}
}

// Another answer is told from that of the loop.
func TestNearestDiffers(t *testing.T) {
	l := &loop{field: &schema.Field{}, k: 3}
	want := []nearDoc{{7, 1}, {3, 0.5}, {9, 0.5}}
	good := []search.Hit{{Doc: 7, Score: 1}, {Doc: 3, Score: 0.75}, {Doc: 9, Score: 0.75}}
	if !l.same(good, want) {
		t.Error("equal answers differ")
	}
	for i := range good {
		wrongDoc, wrongScore := slices.Clone(good), slices.Clone(good)
		wrongDoc[i].Doc++
		wrongScore[i].Score += 1e-6
		if l.same(wrongDoc, want) || l.same(wrongScore, want) || l.same(slices.Delete(slices.Clone(good), i, i+1), want) {
			t.Errorf("hit %d: another answer is equal", i)
		}
	}
	if twice := []search.Hit{good[0], good[1], good[1]}; l.same(twice, want) {
		t.Error("a document twice is equal")
	}
}

func TestNearestMisuse(t *testing.T) {
	index, queries := nearestIndex(t, schema.SimilarityCosine)
	none := filepath.Join(t.TempDir(), "none.json")
	if err := os.WriteFile(none, []byte("[[1, 2]]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f     nearestFlags
		usage bool
		want  string
	}{
		{nearestFlags{field: "emb", queries: queries}, true, "--index is missing"},
		{nearestFlags{index: index, queries: queries}, true, "--field is missing"},
		{nearestFlags{index: index, field: "emb"}, true, "--queries is missing"},
		{nearestFlags{index: index, field: "tag", queries: queries}, true, "tag is no field of kind vector"},
		{nearestFlags{index: index, field: "emb", queries: queries, filter: "no = 1"}, true, "--filter"},
		{nearestFlags{index: index, field: "emb", queries: none}, false, "query 1: "},
		{nearestFlags{index: index, field: "emb", queries: index + "x"}, false, "no such file"},
	} {
		c.f.k, c.f.threads = 10, 1
		if _, err := c.f.run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), c.want) || (cli.ExitCode(err) == cli.ExitUsage) != c.usage {
			t.Errorf("%+v: %v, want %s", c.f, err, c.want)
		}
	}
}

// With --probe, answers of an index with clusters are compared with the exact ones.
func TestNearestProbes(t *testing.T) {
	dir, r := t.TempDir(), rand.New(rand.NewPCG(5, 3))
	index, queries := filepath.Join(dir, "index"), filepath.Join(dir, "q.json")
	w, err := writer.Open(t.Context(), index, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "emb", Kind: schema.Vector, Dims: 3, Clusters: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	draw := func() []float32 {
		return []float32{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())}
	}
	for i := range 16_400 {
		err = errors.Join(err, w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.VectorValue(0, draw())}}))
	}
	b, _ := json.Marshal([][]float32{draw(), draw(), draw()})
	if err = errors.Join(err, w.Commit(t.Context()), w.Close(), os.WriteFile(queries, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	f := nearestFlags{index: index, field: "emb", queries: queries, k: 10, threads: 1, probes: []float64{1e-6, 0.01, 1}}
	got, err := f.run(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p := got.Probes
	if len(p) != 3 || p[0].Approximate != 3 || p[0].Recall > p[1].Recall || !(p[0].Recall > 0) || p[2].Recall != 1 || p[2].Approximate != 0 {
		t.Errorf("probes %+v", p)
	}
	var out strings.Builder
	got.Text(&out)
	if !strings.Contains(out.String(), "probe 0.01") || !strings.Contains(out.String(), "3 approximate") {
		t.Errorf("printed:\n%s", out.String())
	}
}
