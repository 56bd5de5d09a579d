// Query prints the best documents of an index for a query:
//
//	go run ./examples/query kjv.idx "the lord is my shepherd"
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: query DIR QUERY")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(dir, text string) error {
	ctx := context.Background()
	index, err := pinion.OpenReader(ctx, dir)
	if err != nil {
		return err
	}
	defer index.Close()
	page, err := index.Search(ctx, pinion.Request{Query: query.Match{Text: text}, Limit: 3})
	if err != nil {
		return err
	}
	for _, hit := range page.Hits {
		fmt.Printf("%.4f %s\n", hit.Score, hit.ID)
	}
	return nil
}
