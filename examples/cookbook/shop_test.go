package cookbook

import (
	"fmt"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Product is a document of the shop.
type Product struct {
	ID    string
	Title string
	Body  string
	Brand string
	Price float64
}

var products = []Product{
	{"a", "Rose vase", "A vase of crystal for a single rose.", "acme", 12.5},
	{"b", "Tulip vase", "Holds five tulips. No rose fits.", "acme", 9},
	{"c", "Rose soap", "Smells of roses.", "soapworks", 3.25},
	{"d", "Glass vase", "A plain vase.", "glassco", 19},
}

var shopSchema = schema.For[Product]().
	Set(schema.Field{Name: "title", Kind: schema.Text, Analyzer: "english", Boost: 3}).
	Set(schema.Field{Name: "body", Kind: schema.Text, Analyzer: "english", Positions: true})

// A struct in, a page out.
func Example_structs() {
	ctx, dir := begin()
	// begin structs
	index, err := pinion.Open(ctx, dir+"/shop.idx", pinion.Options{Schema: schema.For[Product]().
		Set(schema.Field{Name: "title", Kind: schema.Text, Analyzer: "english", Boost: 3}).
		Set(schema.Field{Name: "body", Kind: schema.Text, Analyzer: "english", Positions: true})})
	check(err)
	defer index.Close()
	shop := pinion.For[Product](index)
	check(shop.Add(ctx, products...))
	page, err := shop.Search(ctx, pinion.Request{Query: query.Match{Text: "roses"}, Snippet: &pinion.Snippet{Field: "body"}, Limit: 2})
	check(err)
	for _, hit := range page.Hits {
		fmt.Println(hit.Doc.Title, hit.Doc.Price, hit.HTML("body"))
	}
	// end

	// Output:
	// Rose soap 3.25 Smells of <mark>roses</mark>.
	// Rose vase 12.5 A vase of crystal for a single <mark>rose</mark>.
}

// Facets and filters.
func Example_facets() {
	ctx, dir := begin()
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: shopSchema})
	check(err)
	defer index.Close()
	check(pinion.For[Product](index).Add(ctx, products...))
	// begin facets
	page, err := index.Search(ctx, pinion.Request{
		Query:  query.Match{Text: "vase"},
		Filter: query.And{query.Below("price", 15), query.Equal("brand", "acme")},
		Facets: []pinion.Facet{{Field: "brand"}, {Field: "price", Ranges: []pinion.Range{{Max: 10}, {Min: 10, Max: 20}}}},
		Sort:   []pinion.Sort{{Field: "price"}},
		Fields: []string{"title", "price"},
		Total:  true,
	})
	check(err)
	fmt.Println(page.Total, "hits")
	for _, hit := range page.Hits {
		fmt.Println(hit.ID, hit.Value("title"), hit.Value("price"))
	}
	for _, f := range page.Facets {
		for _, c := range f.Counts {
			fmt.Println(f.Field, c.Value, c.Count)
		}
	}
	// end

	// Output:
	// 2 hits
	// b Tulip vase 9
	// a Rose vase 12.5
	// brand acme 2
	// price (-inf, 10) 1
	// price [10, 20) 1
}
