package build

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

type doc struct {
	ID       string `json:"id"`
	Contents string `json:"contents"`
	Price    int    `json:"price"`

	Vector map[string]uint8 `json:"vector"` // of the price, whose digits are the terms
}

// collection is documents of a few words, in three inputs, one compressed. The last has some of the ids of the others.
func collection(t *testing.T) (inputs []string, docs [][]doc) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 38))
	for i, n := range []int{700, 900, 400} {
		var lines bytes.Buffer
		var ds []doc
		for k := range n {
			d := doc{ID: fmt.Sprintf("%d-%d", i, k), Contents: words(r, 3+r.IntN(30)), Price: r.IntN(50)}
			d.Vector = map[string]uint8{}
			for j, digit := range fmt.Sprint(d.Price) {
				d.Vector[string(digit)] = uint8(1 + j + 3*d.Price)
			}
			if i == 2 && k%4 == 0 {
				d.ID = fmt.Sprintf("%d-%d", k/4%2, k)
			}
			line, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
			ds = append(ds, d)
		}
		name, content := filepath.Join(t.TempDir(), fmt.Sprintf("%d.jsonl", i)), lines.Bytes()
		if i == 1 {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			z.Write(content)
			z.Close()
			name, content = name+".gz", packed.Bytes()
		}
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
		inputs, docs = append(inputs, name), append(docs, ds)
	}
	return inputs, docs
}

func words(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "w%d ", int(90*r.Float64()*r.Float64()))
	}
	return b.String()
}

// queries is a log whose words many documents have, so that many scores are equal.
func queries() (log []string) {
	r := rand.New(rand.NewPCG(2, 38))
	for range 60 {
		log = append(log, words(r, 1+r.IntN(3)))
	}
	return log
}

// checksum returns that of the hits over the log: ids, and scores to the bit.
func checksum(ctx context.Context, s *reader.Snapshot) (string, error) {
	x, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return "", err
	}
	defer x.Close()
	h := sha256.New()
	var log []search.Query
	for _, text := range queries() {
		log = append(log, search.Query{Text: text, K: 20})
	}
	if s.Schema().HasImpacts() {
		for digit := range 10 {
			terms := []query.WeightedTerm{{Term: fmt.Sprint(digit), Weight: 2}, {Term: "1", Weight: 1}}
			log = append(log, search.Query{Node: query.Dot{Field: "vector", Terms: terms}, K: 20})
		}
	}
	for i := range log {
		res, err := x.Search(ctx, log[i])
		if err != nil {
			return "", err
		}
		if log[i].Node != nil && len(res.Hits) == 0 {
			return "", fmt.Errorf("no document has digit %d", i-len(queries()))
		}
		for _, hit := range res.Hits {
			id, err := s.WithContext(ctx).AppendID(nil, hit.Doc)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%d %s %b\n", i, id, hit.Score)
		}
	}
	return fmt.Sprintf("%d documents in %d segments: %x", s.Stats().Live, s.Stats().Segments, h.Sum(nil)), nil
}

// ordered returns the documents in the order that the package promises.
func ordered(inputs [][]doc, shards, partitions int) (docs []doc) {
	for p := range shards * partitions {
		for _, in := range inputs {
			for _, d := range in {
				h := xxhash.Sum64String(d.ID)
				if shard, n := int(h%uint64(shards)), int(h/uint64(shards)%uint64(partitions)); shard*partitions+n == p {
					docs = append(docs, d)
				}
			}
		}
	}
	return docs
}

// prices is the schema of documents with prices.
func prices(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.Parse([]byte(`{"fields": [{"name": "contents", "kind": "text", "analyzer": "simple", "stored": true},
		{"name": "price", "kind": "integer", "column": true, "stored": true},
		{"name": "vector", "kind": "impacts"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plain returns the checksum of the index that an ordinary writer makes of the documents, in one segment.
func plain(t *testing.T, docs []doc, s *schema.Schema) string {
	t.Helper()
	dir := t.TempDir()
	o := writer.Options{Schema: s, MergePolicy: writer.NoMerges}
	if s == nil {
		o.Schema = schema.Implicit("simple", "", false)
	}
	w, err := writer.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if s == nil {
			err = w.Add(t.Context(), writer.Text([]byte(d.ID), []byte(d.Contents)))
		} else {
			var impacts []schema.Impact
			for term, weight := range d.Vector {
				impacts = append(impacts, schema.Impact{Term: term, Weight: weight})
			}
			err = w.Add(t.Context(), writer.Doc{ID: []byte(d.ID), Values: []schema.Value{
				schema.TextValue(0, []byte(d.Contents)), schema.IntegerValue(1, int64(d.Price)), schema.ImpactsValue(2, impacts)}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Merge(t.Context(), writer.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snap, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	sum, err := checksum(t.Context(), snap)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
