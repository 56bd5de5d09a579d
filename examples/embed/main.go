// Embed searches an index that is part of the program:
//
//	go run ./examples/embed "light of the world"
package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log"
	"os"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

//go:generate rm -rf verses.idx
//go:generate go run ../../tools/idxbuild --analyzer english --store-text --out verses.idx verses.jsonl
//go:generate rm verses.idx/write.lock
//go:embed verses.idx
var files embed.FS

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: embed QUERY")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(text string) error {
	ctx := context.Background()
	verses, err := fs.Sub(files, "verses.idx")
	if err != nil {
		return err
	}
	index, err := pinion.OpenSource(ctx, reader.FromFS(verses))
	if err != nil {
		return err
	}
	defer index.Close()
	page, err := index.Search(ctx, pinion.Request{Query: query.Match{Text: text}, Fields: []string{"text"}})
	if err != nil {
		return err
	}
	for _, hit := range page.Hits {
		fmt.Printf("%.2f  %s  %s\n", hit.Score, hit.ID, hit.Value("text"))
	}
	return nil
}
