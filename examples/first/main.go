// First adds documents to an index and searches it, in the directory that it is run in. It is the
// program that README.md shows.
//
//	go run ./examples/first
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

func main() {
	ctx := context.Background()
	index, err := pinion.Open(ctx, "first.idx", pinion.Options{Language: "en"}) // makes it if need be
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	err = index.Add(ctx,
		pinion.Text("Psalms 23:1", "The LORD is my shepherd; I shall not want."),
		pinion.Text("John 10:11", "I am the good shepherd: the good shepherd giveth his life for the sheep."))
	if err != nil {
		log.Fatal(err)
	}
	page, err := index.Search(ctx, pinion.Request{Query: query.Match{Text: "good shepherds"}, Snippet: &pinion.Snippet{}})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range page.Hits {
		fmt.Printf("%.2f  %s  %s\n", hit.Score, hit.ID, hit.HTML("text"))
	}
}
