// Remote searches an index that lies behind a web server, such as a static host, and prints how many requests that took. The
// server answers requests for ranges. The names of the files are in files.json, or in what the server answers for
// the URL itself:
//
//	go run ./examples/remote http://localhost:8080/kjv.idx/ "the lord is my shepherd"
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"
	"github.com/pinion-index/pinion/reader/meter"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: remote URL QUERY")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// metered returns a context whose requests are counted.
func metered() (context.Context, *meter.Meter) {
	m := meter.New(meter.Budget{})
	return meter.With(context.Background(), m), m
}

func run(url, text string) error {
	ctx, opening := metered()
	files, err := host.Open(ctx, url)
	if err != nil {
		return err
	}
	defer files.Close()
	index, err := reader.OpenReaderAt(files, reader.Options{CacheSize: 256 << 20})
	if err != nil {
		return err
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	searcher, err := query.NewSearcher(snapshot, query.Options{})
	if err != nil {
		return err
	}
	defer searcher.Close()
	fmt.Println("opened by", opening.Usage().Requests, "requests")

	ctx, searching := metered()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	result, err := searcher.Search(ctx, query.Query{Text: text, K: 3})
	if err != nil {
		return err
	}
	searched := searching.Usage().Requests
	fmt.Println("searched by", searched)

	var docs []uint32
	for _, hit := range result.Hits {
		docs = append(docs, hit.Doc)
	}
	hits := snapshot.WithContext(ctx)
	hits.Prefetch(docs, true) // what all hits need, at once
	for _, hit := range result.Hits {
		id, err := hits.AppendID(nil, hit.Doc)
		if err != nil {
			return err
		}
		stored, err := hits.AppendStored(nil, hit.Doc)
		if err != nil {
			return err
		}
		fmt.Printf("%.4f %s %s\n", hit.Score, id, stored)
	}
	fmt.Println("read by", searching.Usage().Requests-searched)
	return nil
}
