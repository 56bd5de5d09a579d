//go:build unix

package search_test

import (
	"os"
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// benchSearcher returns a Searcher over the index in a directory.
func benchSearcher(b *testing.B, dir string) *search.Searcher {
	b.Helper()
	index, err := reader.Open(b.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snapshot.Close()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

// benchQueries returns a Searcher over the index PINION_INDEX, and what is in the file PINION_QUERIES: lines of a number, tab, text.
func benchQueries(b *testing.B) (*search.Searcher, []byte) {
	b.Helper()
	dir, file := os.Getenv("PINION_INDEX"), os.Getenv("PINION_QUERIES")
	if dir == "" || file == "" {
		b.Skip("PINION_INDEX and PINION_QUERIES name no index and queries")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	return benchSearcher(b, dir), text
}
