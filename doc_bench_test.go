package pinion_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
)

// BenchmarkAddDocs measures builds from typed values, from values by name, from Fields and from structs.
func BenchmarkAddDocs(b *testing.B) {
	type product struct {
		ID, Title, Brand, Body string
		Price                  float64
		Stock                  int
	}
	s := schema.For[product]().Set(schema.Field{Name: "title", Kind: schema.Text}).Set(schema.Field{Name: "body", Kind: schema.Text})
	var all []product
	for i := range 20000 {
		words := make([]string, 60)
		for j := range words {
			words[j] = fmt.Sprint("word", (i*31+j*j*7)%5000)
		}
		all = append(all, product{fmt.Sprint(i), strings.Join(words[:6], " "), fmt.Sprint("brand", i%50), strings.Join(words, " "), float64(i%1000) / 4, i % 77})
	}
	for _, way := range []string{"values", "names", "fields", "structs"} {
		b.Run(way, func(b *testing.B) {
			for range b.N {
				x, err := pinion.OpenFS(b.Context(), memfs.New(), pinion.Options{Schema: s})
				if err != nil {
					b.Fatal(err)
				}
				typed := pinion.For[product](x)
				for part := range len(all) / 100 {
					part := all[100*part : 100*part+100]
					docs := make([]pinion.Doc, 0, 100)
					for _, p := range part {
						d := pinion.Doc{ID: p.ID}
						switch way {
						case "values":
							d.Values = []schema.Value{schema.TextValue(0, p.Title), schema.KeywordValue(1, p.Brand), schema.TextValue(2, p.Body), schema.FloatValue(3, p.Price), schema.IntegerValue(4, int64(p.Stock))}
						case "names":
							d.Values = []schema.Value{schema.TextValue("title", p.Title), schema.KeywordValue("brand", p.Brand), schema.TextValue("body", p.Body), schema.FloatValue("price", p.Price), schema.IntegerValue("stock", int64(p.Stock))}
						case "fields":
							d.Fields = map[string]any{"title": p.Title, "brand": p.Brand, "body": p.Body, "price": p.Price, "stock": p.Stock}
						}
						docs = append(docs, d)
					}
					if way == "structs" {
						err = typed.Add(b.Context(), part...)
					} else {
						err = x.Add(b.Context(), docs...)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				if err := x.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
