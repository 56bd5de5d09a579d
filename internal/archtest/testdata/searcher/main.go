// Searcher opens an index, searches it, and shows a page: what every program compiles that
// only reads.
package main

import (
	"context"
	"log"
	"os"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/search"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, words string) error {
	index, err := reader.Open(dir)
	if err != nil {
		return err
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	finder, err := query.NewSearcher(snapshot, query.Options{})
	if err != nil {
		return err
	}
	defer finder.Close()
	pages, err := search.New(snapshot, finder)
	if err != nil {
		return err
	}
	defer pages.Close()
	page, err := pages.Search(ctx, search.Request{Query: query.Match{Text: words}, Snippet: &search.Snippet{}})
	if err != nil {
		return err
	}
	for _, h := range page.Hits {
		log.Printf("%s: %s", h.ID, h.Text)
	}
	return nil
}
