package pinion_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/testdata"
)

// BenchmarkFuse measures a page of ten with passages under a filter: of words, of vectors (generated), of both in one list, and rescored.
func BenchmarkFuse(b *testing.B) {
	const dims = 256
	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Analyzer: "english", Stored: true}, {Name: "book", Kind: schema.Keyword, Column: true}, {Name: "v", Kind: schema.Vector, Dims: dims}}}
	x, err := pinion.OpenFS(b.Context(), memfs.New(), pinion.Options{Schema: s, NoCache: true})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	rng := rand.New(rand.NewPCG(53, 1))
	draw := func() []float32 {
		v := make([]float32, dims)
		for i := range v {
			v[i] = float32(rng.NormFloat64()) / float32(1+i) // a few dimensions say most
		}
		return v
	}
	z, err := gzip.NewReader(bytes.NewReader(testdata.KJV))
	if err != nil {
		b.Fatal(err)
	}
	var docs []pinion.Doc
	for lines := bufio.NewScanner(z); lines.Scan(); {
		var d struct{ ID, Contents string }
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			b.Fatal(err)
		}
		docs = append(docs, pinion.Doc{ID: d.ID, Values: []schema.Value{schema.TextValue(0, []byte(d.Contents)), schema.KeywordValue(1, []byte(strings.TrimRight(d.ID, "0123456789:"))), schema.VectorValue(2, draw())}})
	}
	if err := x.Add(b.Context(), docs...); err != nil {
		b.Fatal(err)
	}
	words, and := query.Match{Text: "valley shadow death"}, query.Match{Text: "lord king israel", Mode: query.ModeAnd}
	near := query.Nearest{Field: "v", Vector: draw(), K: 100}
	column, word := query.Not{Node: query.Equal("book", string(docs[0].Values[1].Bytes()))}, query.Match{Text: "unto"}
	list := func(all ...query.Node) *pinion.Fuse {
		f := new(pinion.Fuse)
		for _, n := range all {
			f.Lists = append(f.Lists, pinion.FuseList{Query: n})
		}
		return f
	}
	for _, c := range []struct {
		name string
		r    pinion.Request
	}{
		{"words", pinion.Request{Query: words, Filter: column}},
		{"vectors", pinion.Request{Query: near, Filter: column}},
		{"fused", pinion.Request{Fuse: list(words, near), Filter: column}},
		{"fused with a total", pinion.Request{Fuse: list(words, near), Filter: column, Total: true}},
		{"rescored", pinion.Request{Query: words, Filter: column, Rescore: &pinion.Rescore{Query: query.Similarity{Field: "v", Vector: near.Vector}}}},
		{"and", pinion.Request{Query: and, Filter: word}},
		{"and of one list", pinion.Request{Fuse: list(and), Filter: word}},
		{"or under a word", pinion.Request{Query: words, Filter: word}},
		{"or of one list", pinion.Request{Fuse: list(words), Filter: word}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			c.r.Snippet = &pinion.Snippet{}
			for range b.N {
				if page, err := x.Search(b.Context(), c.r); err != nil || len(page.Hits) != 10 {
					b.Fatal(len(page.Hits), err)
				}
			}
		})
	}
}
