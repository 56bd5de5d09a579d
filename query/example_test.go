package query_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// shelf returns a snapshot of an index of four short documents.
func shelf(ctx context.Context) (*reader.Snapshot, error) {
	simple, err := analysis.New("simple", "")
	if err != nil {
		return nil, err
	}
	dir := memfs.New() // in place of a directory
	w, err := writer.OpenFS(ctx, dir, writer.Options{Analyzer: simple})
	if err != nil {
		return nil, err
	}
	for id, text := range []string{"salt of the earth", "the light of the world", "the salt sea", "bread and salt and salt"} {
		if err := w.Add(ctx, writer.Document{ID: fmt.Appendf(nil, "doc%d", id), Contents: []byte(text)}); err != nil {
			return nil, err
		}
	}
	if err := w.Commit(ctx); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	index, err := reader.OpenFS(dir)
	if err != nil {
		return nil, err
	}
	defer index.Close() // the snapshot stays open
	return index.Snapshot()
}

func ExampleSearcher_Search() {
	ctx := context.Background()
	snapshot, err := shelf(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer snapshot.Close()
	searcher, err := query.NewSearcher(snapshot, query.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer searcher.Close()
	result, err := searcher.Search(ctx, query.Query{Text: "Salt, the SEA", K: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		id, err := snapshot.AppendID(nil, hit.Doc)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f %s\n", hit.Score, id)
	}
	// Output:
	// 2.030 doc2
	// 0.721 doc0
	// 0.457 doc1
}

// A parameter of 0 means the default; Zero means 0.
func ExampleOptions() {
	ctx := context.Background()
	snapshot, err := shelf(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer snapshot.Close()
	for _, o := range []query.Options{{}, {Params: query.Params{K1: 0.9, B: query.Zero}}} {
		searcher, err := query.NewSearcher(snapshot, o)
		if err != nil {
			log.Fatal(err)
		}
		defer searcher.Close()
		result, err := searcher.Search(ctx, query.Query{RawTerms: [][]byte{[]byte("salt")}, K: 1})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f\n", result.Hits[0].Score)
	}
	// Output:
	// 0.457
	// 0.467
}
