package pinion_test

import (
	"context"
	"fmt"
	"os"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// scratch returns a new directory and what removes it.
func scratch() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "pinion")
	if err != nil {
		panic(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

func ExampleOpen() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	index, err := pinion.Open(ctx, dir, pinion.Options{})
	if err != nil {
		panic(err)
	}
	defer index.Close() // makes everything durable
	if err := index.Add(ctx, pinion.Text("a", "no rose without a thorn"), pinion.Text("b", "a thorn in the flesh")); err != nil {
		panic(err)
	}
	page, err := index.Search(ctx, pinion.Request{Query: query.Match{Text: "rose thorn"}, Snippet: &pinion.Snippet{}})
	if err != nil {
		panic(err)
	}
	for _, h := range page.Hits {
		fmt.Printf("%s: %s\n", h.ID, h.Passage().Text)
	}
	// Output:
	// a: no rose without a thorn
	// b: a thorn in the flesh
}

// What belongs together is asked of one View, which does not change.
func ExampleIndex_View() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	index, err := pinion.Open(ctx, dir, pinion.Options{})
	if err != nil {
		panic(err)
	}
	defer index.Close()
	if err := index.Add(ctx, pinion.Text("a", "rose"), pinion.Text("b", "rose"), pinion.Text("c", "rose")); err != nil {
		panic(err)
	}
	err = index.View(ctx, func(v *pinion.View) error {
		r := pinion.Request{Query: query.Match{Text: "rose"}, Limit: 2}
		for {
			page, err := v.Search(ctx, r)
			if err != nil {
				return err
			}
			fmt.Println(len(page.Hits), "hits")
			if r.After = page.Next(); r.After == nil {
				return nil
			}
		}
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// 2 hits
	// 1 hits
}

// Documents with fields.
func ExampleIndex_Add() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	books := &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "english", Stored: true, Boost: 2},
		{Name: "text", Kind: schema.Text, Analyzer: "english"},
		{Name: "year", Kind: schema.Integer, Stored: true},
	}}
	title, text, year := books.Number("title"), books.Number("text"), books.Number("year")
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: books, SyncEach: true}) // Add returns when the change survives a crash
	if err != nil {
		panic(err)
	}
	defer index.Close()
	err = index.Add(ctx, pinion.Doc{ID: "moby", Values: []schema.Value{
		schema.TextValue(title, []byte("Moby-Dick; or, The Whale")),
		schema.TextValue(text, []byte("Call me Ishmael.")),
		schema.IntegerValue(year, 1851),
	}})
	if err != nil {
		panic(err)
	}
	page, err := index.Search(ctx, pinion.Request{Query: query.Match{Text: "whales"}, Fields: []string{"title", "year"}})
	if err != nil {
		panic(err)
	}
	for _, h := range page.Hits {
		fmt.Println(h.Values)
	}
	fmt.Println(index.Add(ctx, pinion.Doc{ID: "bad", Values: []schema.Value{schema.IntegerValue(title, 1851)}}))
	// Output:
	// [Moby-Dick; or, The Whale 1851]
	// bad document "bad": schema: invalid schema: field "title": a value of kind integer in a field of kind text
}

// Sparse vectors of an encoder beside words: the score of a hit is that of its words, plus the dot product.
func ExampleDot() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Analyzer: "english", Stored: true},
		{Name: "vector", Kind: schema.Impacts, Scale: 0.01},
	}}
	text, vector := s.Number("text"), s.Number("vector")
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: s})
	if err != nil {
		panic(err)
	}
	defer index.Close()
	weigh := func(x float64) uint8 { // what the encoder says, in steps of the scale
		w, err := s.Fields[vector].Quantize(x)
		if err != nil {
			panic(err)
		}
		return w
	}
	err = index.Add(ctx,
		pinion.Doc{ID: "a", Values: []schema.Value{schema.TextValue(text, []byte("the whale")),
			schema.ImpactsValue(vector, []schema.Impact{{Term: "whale", Weight: weigh(2.1)}, {Term: "sea", Weight: weigh(0.5)}})}},
		pinion.Doc{ID: "b", Values: []schema.Value{schema.TextValue(text, []byte("a ship")),
			schema.ImpactsValue(vector, []schema.Impact{{Term: "ship", Weight: weigh(1.9)}, {Term: "sea", Weight: weigh(0.7)}})}})
	if err != nil {
		panic(err)
	}
	dot := query.Dot{Field: "vector", Boost: 0.1}
	for term, weight := range map[string]float64{"sea": 1.5, "ocean": 0.8} {
		if err := dot.Add(term, weight); err != nil {
			panic(err)
		}
	}
	for _, n := range []query.Node{dot, query.Bool{Should: []query.Node{dot, query.Match{Text: "whales"}}}} {
		page, err := index.Search(ctx, pinion.Request{Query: n})
		if err != nil {
			panic(err)
		}
		for _, h := range page.Hits {
			fmt.Printf("%s %.3f\n", h.ID, h.Score)
		}
	}
	// Output:
	// b 1.050
	// a 0.750
	// a 1.443
	// b 1.050
}

// Dense vectors of an encoder: the nearest of those documents that pass a filter, and words beside them.
func ExampleNearest() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Analyzer: "english", Stored: true},
		{Name: "tenant", Kind: schema.Keyword, Column: true},
		{Name: "embedding", Kind: schema.Vector, Dims: 3}, // by cosine
	}}
	text, tenant, embedding := s.Number("text"), s.Number("tenant"), s.Number("embedding")
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: s})
	if err != nil {
		panic(err)
	}
	defer index.Close()
	add := func(id, of, words string, vector ...float32) {
		err := index.Add(ctx, pinion.Doc{ID: id, Values: []schema.Value{schema.TextValue(text, []byte(words)),
			schema.KeywordValue(tenant, []byte(of)), schema.VectorValue(embedding, vector)}})
		if err != nil {
			panic(err)
		}
	}
	add("a", "north", "the whale", 1, 0, 0)
	add("b", "south", "a ship", 0.8, 0.6, 0)
	add("c", "north", "the sea", 0, 1, 0)
	nearest := query.Nearest{Field: "embedding", Vector: []float32{0.6, 0.8, 0}, K: 1} // of what passes the filter
	for _, n := range []query.Node{nearest, query.Bool{Should: []query.Node{nearest, query.Match{Text: "whales"}}}} {
		page, err := index.Search(ctx, pinion.Request{Query: n, Filter: query.Equal("tenant", "north")})
		if err != nil {
			panic(err)
		}
		for _, h := range page.Hits {
			fmt.Printf("%s %.3f\n", h.ID, h.Score)
		}
	}
	// Output:
	// c 0.900
	// a 0.981
	// c 0.900
}

// Words and vectors, each ranked by itself, joined in one list: what both find comes first.
func ExampleFuse() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Analyzer: "english", Stored: true},
		{Name: "embedding", Kind: schema.Vector, Dims: 2},
	}}
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: s})
	if err != nil {
		panic(err)
	}
	defer index.Close()
	for _, d := range []struct {
		id, text string
		vector   []float32
	}{{"a", "error E1042 at startup", []float32{0, 1}}, {"b", "the program does not start, with E1042", []float32{0.6, 0.8}}, {"c", "it hangs when it begins", []float32{1, 0}}, {"d", "colors", []float32{-1, 0}}} {
		err := index.Add(ctx, pinion.Doc{ID: d.id, Values: []schema.Value{schema.TextValue(0, []byte(d.text)), schema.VectorValue(1, d.vector)}})
		if err != nil {
			panic(err)
		}
	}
	page, err := index.Search(ctx, pinion.Request{Fuse: &pinion.Fuse{Lists: []pinion.FuseList{
		{Query: query.Match{Text: "E1042"}},
		{Query: query.Nearest{Field: "embedding", Vector: []float32{0.8, 0.6}, K: 3}},
	}}})
	if err != nil {
		panic(err)
	}
	for _, h := range page.Hits {
		fmt.Printf("%s %.4f: %d of the words, %d of the vectors\n", h.ID, h.Score, h.Lists[0].Rank, h.Lists[1].Rank)
	}
	// Output:
	// b 0.0325: 2 of the words, 1 of the vectors
	// a 0.0323: 1 of the words, 3 of the vectors
	// c 0.0161: 0 of the words, 2 of the vectors
}

// Structs in, structs out. The cookbook (docs/cookbook.md) has more tasks.
func ExampleFor() {
	type Product struct {
		ID    string
		Title string
		Price float64
	}
	dir, err := os.MkdirTemp("", "shop")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	s := schema.For[Product]().Set(schema.Field{Name: "title", Kind: schema.Text, Analyzer: "english"})
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: s})
	if err != nil {
		panic(err)
	}
	defer index.Close()
	shop := pinion.For[Product](index)
	if err := shop.Add(ctx, Product{"a", "Rose vase", 12.5}, Product{"b", "Tulip vases", 9}); err != nil {
		panic(err)
	}
	page, err := shop.Search(ctx, pinion.Request{Query: query.Match{Text: "vase"}, Sort: []pinion.Sort{{Field: "price"}}})
	if err != nil {
		panic(err)
	}
	for _, hit := range page.Hits {
		fmt.Println(hit.Doc.Title, hit.Doc.Price)
	}
	one, err := shop.Get(ctx, "a")
	fmt.Println(one, err)
	// Output:
	// Tulip vases 9
	// Rose vase 12.5
	// {a Rose vase 12.5} <nil>
}

// Passages are texts, and HTML in which all of a document is escaped.
func ExampleHit_HTML() {
	dir, err := os.MkdirTemp("", "html")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	index, err := pinion.Open(ctx, dir, pinion.Options{Language: "en"})
	if err != nil {
		panic(err)
	}
	defer index.Close()
	if err := index.Add(ctx, pinion.Text("a", "Roses & <thorns>")); err != nil {
		panic(err)
	}
	page, err := index.Search(ctx, pinion.Request{Query: query.Match{Text: "rose"}, Snippet: &pinion.Snippet{Tag: "b"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(page.Hits[0].HTML("text"))
	// Output: <b>Roses</b> &amp; &lt;thorns&gt;
}

// What is similar to a document has the words that weigh most in it, under a filter as any query.
func ExampleIndex_Like() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Analyzer: "english", Stored: true}, {Name: "lang", Kind: schema.Keyword, Column: true}}}})
	if err != nil {
		panic(err)
	}
	defer index.Close()
	for id, text := range []string{"Sail makers of the Baltic harbors", "A harbor for sailing ships", "The Baltic in winter, and its harbors", "Ships in a bottle"} {
		if err := index.Add(ctx, pinion.Doc{ID: fmt.Sprint(id), Fields: map[string]any{"text": text, "lang": "en"}}); err != nil {
			panic(err)
		}
	}
	similar, err := index.Like(ctx, pinion.Like{IDs: []string{"0"}})
	if err != nil {
		panic(err)
	}
	page, err := index.Search(ctx, pinion.Request{Query: similar, Filter: query.Equal("lang", "en")})
	if err != nil {
		panic(err)
	}
	for _, n := range similar.Should {
		fmt.Println(n.(query.Term).Text)
	}
	for _, h := range page.Hits {
		fmt.Println("found", h.ID)
	}
	// Output:
	// baltic
	// sail
	// harbor
	// found 1
	// found 2
}
