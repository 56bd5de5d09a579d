package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// Expansions over an index that is read on demand give the same hits, and end with the context of the query.
func TestExpansionsOnDemand(t *testing.T) {
	rng := rand.New(rand.NewPCG(353, 2))
	l := library(t, writer.Options{MergePolicy: writer.NoMerges}, books(rng, 400), 150)
	all := l.Snapshot() // commits
	files := fstest.MapFS{}
	names, err := l.FS().List()
	l.Do(err)
	for _, name := range names {
		f, err := l.FS().Open(name)
		l.Do(err)
		b, err := f.Range(0, f.Size())
		l.Do(err)
		files[name] = &fstest.MapFile{Data: bytes.Clone(b)}
	}
	x, err := reader.Open(t.Context(), reader.FromFS(fs.FS(files)), reader.Options{CacheSize: 1})
	l.Do(err)
	defer x.Close()
	snapshot, err := x.Snapshot()
	l.Do(err)
	defer snapshot.Close()
	remote, err := search.NewSearcher(snapshot, search.Options{})
	l.Do(err)
	defer remote.Close()
	local, err := search.NewSearcher(all, search.Options{})
	l.Do(err)
	defer local.Close()
	for range 60 {
		n := drawExpansion(rng, rng.IntN(2) == 0).node
		if rng.IntN(2) == 0 {
			n = query.Bool{Should: []query.Node{n, query.Match{Field: "body", Text: fmt.Sprint("w", rng.IntN(9))}}, MustNot: []query.Node{query.Prefix{Text: "w1"}}}
		}
		q := search.Query{Node: n, K: 100}
		want, err := local.Search(t.Context(), q)
		l.Do(err)
		if got, err := remote.Search(t.Context(), q); err != nil || !slices.Equal(got.Hits, want.Hits) {
			t.Fatalf("%+v: %d hits, %v, want %d", n, len(got.Hits), err, len(want.Hits))
		}
		matches, err := local.Count(t.Context(), q)
		l.Do(err)
		if got, err := remote.Count(t.Context(), q); err != nil || got != matches {
			t.Fatalf("%+v: %d matches, %v, want %d", n, got, err, matches)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := remote.Suggest(ctx, "body", "w", 3); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
