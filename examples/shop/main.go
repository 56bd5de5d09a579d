// Shop keeps products, which it reads as lines of JSON, and prints those that match a query below a price, with how many each brand has:
//
//	go run ./examples/shop shop.idx vase 20 <products.jsonl
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

type product struct {
	ID, Title, Brand, Text string
	Price                  float64
}

var fields = schema.For[product]().
	Set(schema.Field{Name: "title", Kind: schema.Text, Analyzer: "english", Stored: true, Boost: 3}).
	Set(schema.Field{Name: "text", Kind: schema.Text, Analyzer: "english", Stored: true})

func add(ctx context.Context, index *pinion.Index, lines *json.Decoder) error {
	var all []product
	for {
		var p product
		if err := lines.Decode(&p); errors.Is(err, io.EOF) {
			return pinion.For[product](index).Add(ctx, all...)
		} else if err != nil {
			return err
		}
		all = append(all, p)
	}
}

func find(ctx context.Context, index *pinion.Index, typed string, most float64) (pinion.TypedPage[product], error) {
	return pinion.For[product](index).Search(ctx, pinion.Request{
		Query:  query.ParseLenient(index.Schema(), typed).Node,
		Filter: query.AtMost("price", most),
		Facets: []pinion.Facet{{Field: "brand"}},
		Total:  true,
	})
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: shop DIR QUERY PRICE")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, typed, price string) error {
	most, err := strconv.ParseFloat(price, 64)
	if err != nil {
		return err
	}
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: fields})
	if err != nil {
		return err
	}
	defer index.Close()
	if err := add(ctx, index, json.NewDecoder(os.Stdin)); err != nil {
		return err
	}
	page, err := find(ctx, index, typed, most)
	if err != nil {
		return err
	}
	fmt.Println(page.Total, "found")
	for _, hit := range page.Hits {
		fmt.Printf("%s  %s, %.2f\n", hit.ID, hit.Doc.Title, hit.Doc.Price)
	}
	for _, brand := range page.Facets[0].Counts {
		fmt.Println(brand.Value, brand.Count)
	}
	return nil
}
