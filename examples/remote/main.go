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

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"
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

func run(url, text string) error {
	opening := reader.NewMeter(reader.Budget{})
	ctx := reader.WithMeter(context.Background(), opening) // whose requests are counted
	files, err := host.Open(ctx, url)
	if err != nil {
		return err
	}
	defer files.Close()
	index, err := pinion.OpenSource(ctx, files) // goes on to newer commits
	if err != nil {
		return err
	}
	defer index.Close()
	fmt.Println("opened by", opening.Usage().Requests, "requests")

	searching := reader.NewMeter(reader.Budget{})
	ctx, cancel := context.WithTimeout(reader.WithMeter(context.Background(), searching), 10*time.Second)
	defer cancel()
	page, err := index.Search(ctx, pinion.Request{Query: query.Match{Text: text}, Limit: 3, Fields: []string{"text"}})
	if err != nil {
		return err
	}
	fmt.Println("searched and read by", searching.Usage().Requests)
	for _, hit := range page.Hits {
		fmt.Printf("%.4f %s %s\n", hit.Score, hit.ID, hit.Value("text"))
	}
	return nil
}
