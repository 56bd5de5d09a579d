// Importer opens an index, adds a document, and shows a page: what every program compiles that
// imports package pinion.
package main

import (
	"context"
	"log"
	"os"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, words string) error {
	x, err := pinion.Open(ctx, dir, pinion.Options{})
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.Add(ctx, pinion.Text("a", "no rose without a thorn")); err != nil {
		return err
	}
	page, err := x.Search(ctx, pinion.Request{Query: query.Match{Text: words}, Snippet: &pinion.Snippet{}})
	for _, h := range page.Hits {
		log.Printf("%s: %s", h.ID, h.Passage().Text)
	}
	return err
}
