package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format/codec/bp128"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query/internal/querytest"
)

// Small collections too use bounds by range in tests.
func init() { algorithm.MinRangePostings = 200 }

// topicDocs returns n documents with some of ten words, most of them long. Each stretch of 1,024 has short ones about two
// of the words.
func topicDocs(rng *rand.Rand, n int) [][]string {
	docs := make([][]string, n)
	for d := range docs {
		if rng.IntN(8) == 0 {
			docs[d] = slices.Repeat([]string{fmt.Sprintf("w%d", (3*(d/1024)+rng.IntN(2))%10)}, 5+rng.IntN(9))
			continue
		}
		for w := range 10 {
			if rng.IntN(10) == 0 {
				docs[d] = append(docs[d], fmt.Sprintf("w%d", w))
			}
		}
		for range 30 + rng.IntN(20) {
			docs[d] = append(docs[d], fmt.Sprintf("f%d", rng.IntN(5000)))
		}
	}
	return docs
}

// Bounds by range change no answer, and spare blocks.
func TestMaxima(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48))
	docs := topicDocs(rng, 24000)
	for _, c := range []struct {
		name string
		cuts []int
		gone map[int]bool
	}{{name: "one segment"}, {name: "segments with deletes", cuts: []int{11000, 20000}, gone: map[int]bool{3: true, 9999: true, 15000: true, 15001: true}}} {
		t.Run(c.name, func(t *testing.T) {
			parts := querytest.Parts(t, docs, c.gone, bp128.Codec{}, c.cuts...)
			plain := searcherOver(t, parts, Options{DenseBytes: -1})
			warm := searcherOver(t, parts, Options{})
			with, without := uint64(0), uint64(0)
			for i := range 200 {
				var q Query
				for range 2 + rng.IntN(3) {
					q.RawTerms = append(q.RawTerms, []byte(fmt.Sprintf("w%d", rng.IntN(10))))
				}
				q.K, q.Mode, q.Trace = 1+rng.IntN(12), Or, true
				if i%5 == 0 {
					q.Filter = everyNth(len(docs), 1+rng.IntN(4))
				}
				want, err := plain.Search(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				got, err := warm.Search(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Hits, want.Hits) {
					t.Fatalf("query %d, %s: %s", i, q.RawTerms, difference(want.Hits, got.Hits))
				}
				with, without = with+skippedBlocks(got.Trace), without+skippedBlocks(want.Trace)
			}
			if with < 50 || with*10 < without*13 {
				t.Errorf("%d blocks skipped with bounds by range, %d without", with, without)
			}
			if n := warm.engine.Maxima(0); n == 0 {
				t.Error("no list has maxima")
			}
		})
	}
}

func everyNth(docs, n int) *roaring.Bitmap {
	b := roaring.New()
	for d := 0; d < docs; d += n {
		b.Add(uint32(d))
	}
	return b
}

// skippedBlocks returns how many blocks a bound ruled out.
func skippedBlocks(t *Trace) (n uint64) {
	for _, s := range t.Segments {
		for _, l := range s.Lists {
			n += l.ByBound
		}
	}
	return n
}
