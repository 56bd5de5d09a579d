//go:build (emu && cgo) || cuda || gpu

package hybrid

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// The two processors answer queries over a part of a collection as a Searcher with Options.Collection does, in groups and one
// by one, and refuse those without Frequencies.
func TestPart(t *testing.T) {
	onGPU := int64(0)
	for round := range 2 {
		rng := rand.New(rand.NewPCG(38, uint64(round)))
		libraries, err := gputrial.DrawLibraries(t.Context(), rng, 400+rng.IntN(400), 100)
		if err != nil {
			t.Fatal(err)
		}
		collection := new(query.Collection)
		var snapshots []*reader.Snapshot
		var alone []*search.Searcher
		for _, l := range libraries {
			s, q, err := l.Searcher()
			if err == nil {
				err = collection.Add(search.CollectionOf(s))
			}
			if err != nil {
				t.Fatal(err)
			}
			snapshots, alone = append(snapshots, s), append(alone, q)
		}
		cpu, err := search.NewSearcher(snapshots[0], search.Options{Collection: collection})
		if err != nil {
			t.Fatal(err)
		}
		x, err := Open(snapshots[0], cpu, OpenOptions{Options: Options{Mode: []Mode{Parallel, OnlyGPU}[round], Batch: 50}, GPU: gpu.Options{Memory: 8 << 20}, GPUs: 1})
		if err == nil {
			err = x.Ready(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		var queries []search.Query
		for range 100 {
			q := libraries[1].Query(rng)
			q.Total = rng.IntN(10) == 0
			q.Frequencies = new(query.Frequencies)
			for _, s := range alone {
				own, err := s.Frequencies(t.Context(), q)
				if err == nil {
					err = q.Frequencies.Add(own)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			q.Frequencies.Trim()
			queries = append(queries, q)
		}
		want, err := cpu.Execute(t.Context(), queries)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{20, len(queries)} {
			got, err := x.Execute(t.Context(), queries[:n])
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if !slices.Equal(got[i].Hits, want[i].Hits) || got[i].Total != want[i].Total {
					t.Fatalf("%+v of %d: %v, want %v", queries[i], n, got[i], want[i])
				}
			}
		}
		for i := range 40 {
			got, err := x.Search(t.Context(), queries[i])
			if err != nil || !slices.Equal(got.Hits, want[i].Hits) || got.Total != want[i].Total {
				t.Fatalf("%+v alone: %v, %v, want %v", queries[i], got, err, want[i])
			}
		}
		q := queries[0]
		q.Frequencies = nil
		if _, err := x.Search(t.Context(), q); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("without Frequencies: %v", err)
		}
		onGPU += x.Stats().GPU.Queries
		err = errors.Join(x.Close(), cpu.Close())
		for i, l := range libraries {
			err = errors.Join(err, alone[i].Close(), snapshots[i].Close(), l.Close())
		}
		if err != nil {
			t.Error(err)
		}
	}
	if onGPU < 70 {
		t.Errorf("the GPU has taken %d queries", onGPU)
	}
}
