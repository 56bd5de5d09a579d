// Query prints the best documents of an index for a query:
//
//	go run ./examples/query kjv.idx "the lord is my shepherd"
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
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
	index, err := reader.Open(dir)
	if err != nil {
		return err
	}
	defer index.Close()
	snapshot, err := index.Snapshot() // stays as it is while writers commit
	if err != nil {
		return err
	}
	defer snapshot.Close()
	searcher, err := query.NewSearcher(snapshot, query.Options{})
	if err != nil {
		return err
	}
	defer searcher.Close()
	result, err := searcher.Search(context.Background(), query.Query{Text: text, K: 3, Mode: query.AndOr})
	if err != nil {
		return err
	}
	for _, hit := range result.Hits {
		id, err := snapshot.AppendID(nil, hit.Doc)
		if err != nil {
			return err
		}
		fmt.Printf("%.4f %s\n", hit.Score, id)
	}
	return nil
}
