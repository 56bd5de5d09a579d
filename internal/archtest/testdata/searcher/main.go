// Searcher opens an index, searches it, and shows a page: what every program compiles that
// only reads.
package main

import (
	"context"
	"log"
	"os"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, words string) error {
	index, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
	if err != nil {
		return err
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	pages, err := pinion.NewView(snapshot, nil)
	if err != nil {
		return err
	}
	defer pages.Close()
	page, err := pages.Search(ctx, pinion.Request{Query: query.Match{Text: words}, Snippet: &pinion.Snippet{}})
	if err != nil {
		return err
	}
	for _, h := range page.Hits {
		log.Printf("%s: %s", h.ID, h.Passage().Text)
	}
	return nil
}
