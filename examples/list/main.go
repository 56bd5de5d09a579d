// List walks the posting lists of two terms, as an algorithm of your own would:
// it prints the documents that hold both, with the frequency of each term.
//
//	go run ./examples/list kjv.idx salt earth
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/pinion-index/pinion/reader"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: list DIR TERM TERM")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(dir, first, second string) error {
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
	for _, segment := range snapshot.Segments() {
		if err := both(segment, first, second); err != nil {
			return err
		}
	}
	return nil
}

func both(segment *reader.Segment, first, second string) error {
	a, b := reader.NewCursor(), reader.NewCursor()
	defer a.Close()
	defer b.Close()
	for cursor, term := range map[*reader.Cursor]string{a: first, b: second} {
		entry, ok, err := segment.Lookup([]byte(term))
		if err != nil || !ok {
			return err
		}
		if err := cursor.Init(segment, entry); err != nil {
			return err
		}
	}
	for doc := a.Doc(); doc != reader.NoDoc; {
		if other := b.NextGEQ(doc); other != doc {
			doc = a.NextGEQ(other)
			continue
		}
		id, err := segment.AppendID(nil, doc)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s %d, %s %d\n", id, first, a.Freq(), second, b.Freq())
		doc = a.Next()
	}
	return errors.Join(a.Err(), b.Err())
}
