// Write makes an index of a few documents in two segments, replaces one of the
// documents, merges, and prints the result.
//
//	go run ./examples/write new.idx
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: write DIR")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir string) error {
	w, err := writer.Open(ctx, dir, writer.Options{Schema: schema.Implicit("", "", true)})
	if err != nil {
		return err
	}
	defer w.Close()
	add := func(id, contents string) {
		if err == nil {
			err = w.Add(ctx, writer.Text([]byte(id), []byte(contents)))
		}
	}
	add("a", "a rose is a rose")
	add("b", "no rose without a thorn")
	if err != nil {
		return err
	}
	if err := w.Commit(ctx); err != nil { // durable, and visible to readers
		return err
	}
	add("c", "a thorn in the flesh")
	add("a", "a rose by any other name") // replaces the first document
	if err != nil {
		return err
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	stats, err := w.Merge(ctx, writer.MergeOptions{}) // all segments into one
	if err != nil {
		return err
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	fmt.Printf("merged %d segments, dropped %d document\n", stats.Sources, stats.Purged)
	return show(dir)
}

func show(dir string) error {
	index, err := reader.Open(context.Background(), reader.Dir(dir), reader.Options{})
	if err != nil {
		return err
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	for doc := range uint32(snapshot.Stats().Docs) {
		id, err := snapshot.AppendID(nil, doc)
		if err != nil {
			return err
		}
		text, err := snapshot.AppendStored(nil, doc)
		if err != nil {
			return err
		}
		fmt.Printf("%d %s %q\n", doc, id, text)
	}
	return nil
}
