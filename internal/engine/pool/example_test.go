package pool_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// shelf returns a Searcher over an index of three short documents, and the index.
func shelf(ctx context.Context) (*search.Searcher, error) {
	dir := memfs.New() // in place of a directory
	w, err := writer.OpenFS(ctx, dir, writer.Options{Schema: schema.Implicit("simple", "", false)})
	if err != nil {
		return nil, err
	}
	for id, text := range []string{"salt of the earth", "the light of the world", "the salt sea"} {
		if err := w.Add(ctx, writer.Text(fmt.Appendf(nil, "doc%d", id), []byte(text))); err != nil {
			return nil, err
		}
	}
	if err := w.Commit(ctx); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	index, err := reader.Open(ctx, reader.FromStore(dir), reader.Options{})
	if err != nil {
		return nil, err
	}
	defer index.Close() // the snapshot stays open
	snapshot, err := index.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close() // the searcher keeps it
	return search.NewSearcher(snapshot, search.Options{})
}

// Execute answers a batch of queries on all CPUs.
func ExamplePool_Execute() {
	ctx := context.Background()
	searcher, err := shelf(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer searcher.Close()
	p, err := pool.New(searcher, pool.Options{Model: pool.FineGrained})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	results, err := p.Execute(ctx, []search.Query{
		{RawTerms: [][]byte{[]byte("salt")}, K: 10},
		{RawTerms: [][]byte{[]byte("the"), []byte("light")}, K: 10, Mode: query.ModeAnd},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		fmt.Println(len(r.Hits), "hits, the best is document", r.Hits[0].Doc)
	}
	// Output:
	// 2 hits, the best is document 2
	// 1 hits, the best is document 1
}

// Submit starts a query; a goroutine of the Pool delivers the answer.
func ExamplePool_Submit() {
	ctx := context.Background()
	searcher, err := shelf(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer searcher.Close()
	p, err := pool.New(searcher, pool.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	var group sync.WaitGroup
	group.Add(1)
	q := search.Query{RawTerms: [][]byte{[]byte("earth")}, K: 10}
	err = p.Submit(ctx, &q, func(hits []search.Hit, err error) {
		defer group.Done()
		fmt.Println(len(hits), "hit, error", err)
	})
	if err != nil {
		log.Fatal(err)
	}
	group.Wait()
	// Output:
	// 1 hit, error <nil>
}
