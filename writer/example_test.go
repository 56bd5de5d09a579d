package writer_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// Documents are searched before they are committed, and those that match a query are
// deleted.
func ExampleWriter_Publish() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "pinion")
	check(err)
	defer os.RemoveAll(dir)
	w, err := writer.Open(ctx, dir, writer.Options{})
	check(err)
	defer w.Close()
	check(w.Commit(ctx)) // there must be an index to open
	index, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
	check(err)
	defer index.Close()

	for _, text := range []string{"salt of the earth", "black pepper", "the salt sea"} {
		check(w.Add(ctx, writer.Text([]byte(text), []byte(text))))
	}
	check(w.Publish(ctx))
	ids, err := matches(ctx, index, "salt")
	check(err)
	fmt.Printf("not committed: %q\n", ids)

	for _, id := range ids {
		check(w.Delete(ctx, id))
	}
	check(w.Publish(ctx))
	ids, err = matches(ctx, index, "salt")
	check(err)
	fmt.Printf("deleted: %q\n", ids)

	check(w.Commit(ctx)) // now it is durable, and other processes see it
	ids, err = matches(ctx, index, "pepper")
	check(err)
	fmt.Printf("committed: %q\n", ids)
	// Output:
	// not committed: ["salt of the earth" "the salt sea"]
	// deleted: []
	// committed: ["black pepper"]
}

// matches returns the ids of the documents that hold the words of text, committed or
// not.
func matches(ctx context.Context, index *reader.Index, text string) (ids [][]byte, err error) {
	if _, err := index.RefreshUncommitted(ctx); err != nil {
		return nil, err
	}
	s, err := index.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return nil, err
	}
	defer searcher.Close()
	terms, err := searcher.Parse(text)
	if err != nil {
		return nil, err
	}
	for doc, err := range searcher.Matches(ctx, search.Query{RawTerms: terms, Mode: query.ModeAnd}) {
		if err != nil {
			return nil, err
		}
		id, err := s.AppendID(nil, doc)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
