package hybrid_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// openIndex writes a small index to a new directory, and opens it.
func openIndex(ctx context.Context) (index *reader.Index, remove func(), err error) {
	dir, err := os.MkdirTemp("", "hybrid")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	w, err := writer.Open(ctx, dir, writer.Options{})
	if err != nil {
		return nil, remove, err
	}
	defer w.Close()
	for id, text := range map[string]string{"John11:35": "Jesus wept.", "Matthew5:13": "Ye are the salt of the earth"} {
		if err := w.Add(ctx, writer.Text([]byte(id), []byte(text))); err != nil {
			return nil, remove, err
		}
	}
	if err := w.Commit(ctx); err != nil {
		return nil, remove, err
	}
	index, err = reader.Open(ctx, reader.Dir(dir), reader.Options{})
	return index, remove, err
}

// Queries are answered on the CPU until the GPU is ready, and for good where there is none.
func ExampleOpen() {
	ctx := context.Background()
	index, remove, err := openIndex(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer snapshot.Close()
	searcher, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer searcher.Close()

	x, err := hybrid.Open(snapshot, searcher, hybrid.OpenOptions{Options: hybrid.Options{Deadline: 50 * time.Millisecond, Queue: 10000}})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	go func() { // a server says it once; queries need not wait
		if err := x.Ready(ctx); err != nil && !errors.Is(err, hybrid.ErrClosed) {
			fmt.Fprintln(os.Stderr, "answering on the CPU:", err)
		}
	}()

	result, err := x.Search(ctx, search.Query{Text: "jesus wept", K: 10})
	if errors.Is(err, hybrid.ErrOverload) {
		log.Fatal("the queue is full: an HTTP server answers 503")
	}
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		id, err := snapshot.AppendID(nil, hit.Doc)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", id)
	}
	// Output: John11:35
}
