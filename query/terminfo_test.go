package query

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/registry"
	"github.com/pinion-index/pinion/query/internal/querytest"
	"github.com/pinion-index/pinion/reader"
)

// What a TermInfo says of a term holds for the scores of all its documents, found by an
// exhaustive search, in one segment and in several, with and without deleted documents.
func TestTermInfo(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 3))
	docs := make([][]string, 9000)
	for d := range docs {
		if r.IntN(3) == 0 {
			docs[d] = append(docs[d], slices.Repeat([]string{"long"}, 1+int(r.ExpFloat64()*2))...)
		}
		if d%20 == 0 {
			docs[d] = append(docs[d], slices.Repeat([]string{"medium"}, 1+r.IntN(6))...)
		}
		if d%200 == 0 {
			docs[d] = append(docs[d], "short")
		}
		docs[d] = append(docs[d], slices.Repeat([]string{"filler"}, 5+r.IntN(40))...)
	}
	c, _ := registry.ByName("newpfd")
	for name, parts := range map[string][]querytest.Part{
		"all live": querytest.Parts(t, docs, nil, c),
		"deletes":  querytest.Parts(t, docs, map[int]bool{0: true, 40: true, 77: true, 4020: true}, c),
		"segments": querytest.Parts(t, docs, nil, c, 3000, 6000),
	} {
		s := searcherOver(t, parts, Options{})
		for range 2 { // the second time from the cache
			infos, err := s.AppendTermInfo(nil, querytest.Terms("long", "absent", "short", "medium", "long", "filler"))
			if err != nil {
				t.Fatal(err)
			}
			if infos[0] != infos[4] {
				t.Errorf("%s: equal terms have different infos", name)
			}
			for i, word := range []string{"long", "absent", "short", "medium"} {
				checkTermInfo(t, s, name+", "+word, word, infos[i])
			}
			if infos[0].DocsCodec != codec.NewPFD || infos[0].FreqsCodec != codec.NewPFD || infos[2].DocsCodec != 0 {
				t.Errorf("%s: codecs %v, %v, %v", name, infos[0].DocsCodec, infos[0].FreqsCodec, infos[2].DocsCodec)
			}
		}
	}
}

func checkTermInfo(t *testing.T, s *Searcher, name, word string, x *TermInfo) {
	t.Helper()
	r, err := s.Search(t.Context(), Query{RawTerms: querytest.Terms(word), K: 9000, Mode: Or, Algorithm: Exhaustive})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Hits); uint64(n) != x.Docs || x.Share != float32(float64(n)/float64(s.scorer.bm25.Stats().Docs)) {
		t.Errorf("%s: %d documents, a share of %v, want %d", name, x.Docs, x.Share, n)
	}
	if x.Docs < 128 {
		if x.Blocks+x.Bytes != 0 || x.Bound != 0 || x.Kth != [3]float32{} || x.Above != [8]uint8{} {
			t.Errorf("%s: %+v", name, x)
		}
		return
	}
	if x.Bound < r.Hits[0].Score || x.Bound > x.Weight {
		t.Errorf("%s: bound %v, weight %v, the best scores %v", name, x.Bound, x.Weight, r.Hits[0].Score)
	}
	for i, k := range format.KthValues() {
		if k <= len(r.Hits) && x.Kth[i] > r.Hits[k-1].Score {
			t.Errorf("%s: %d documents reach %v, the last of them %v", name, k, x.Kth[i], r.Hits[k-1].Score)
		}
	}
	if x.Kth[0] <= 0 {
		t.Errorf("%s: no 10th impact", name)
	}
	// Fewer blocks have higher bounds, and some block has the list's.
	if !slices.IsSortedFunc(x.Above[:], func(a, b uint8) int { return int(b) - int(a) }) || x.Above[0] == 0 {
		t.Errorf("%s: shares of blocks %v", name, x.Above)
	}
	if x.Blocks < x.Docs/128 || x.Blocks > x.Docs/128+uint64(s.engine.Segments()) || x.Bytes == 0 || x.Bytes > 8*x.Docs {
		t.Errorf("%s: %d blocks, %d bytes", name, x.Blocks, x.Bytes)
	}
}

// Above is counted over all blocks of a list with no more than are sampled.
func TestBlockShares(t *testing.T) {
	var docs [][]string
	for b := range 40 {
		for range 128 {
			// Bounds of one block in four are near the highest.
			n := 1
			if b%4 == 3 {
				n = 30
			}
			docs = append(docs, slices.Repeat([]string{"w"}, n))
		}
	}
	c, _ := registry.ByName("bp128")
	s := searcherOver(t, querytest.Parts(t, docs, nil, c), Options{})
	infos, err := s.AppendTermInfo(nil, querytest.Terms("w"))
	if err != nil {
		t.Fatal(err)
	}
	if x := infos[0]; x.Blocks != 40 || x.Above[7] != 64 {
		t.Errorf("%d blocks, shares %v; a quarter of 40 has the bound of the list", x.Blocks, x.Above)
	}
}

// After the Searcher is closed there are no infos.
func TestTermInfoClosed(t *testing.T) {
	snapshot := querytest.Index(t, [][]string{{"a"}}, nil)
	s, err := NewSearcher(snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.Close()
	if infos, err := s.AppendTermInfo(nil, querytest.Terms("a")); len(infos) > 0 || !errors.Is(err, reader.ErrClosed) {
		t.Errorf("%v, %v", infos, err)
	}
}

// BenchmarkTermInfo looks three terms up.
func BenchmarkTermInfo(b *testing.B) {
	docs := querytest.ZipfDocs(rand.New(rand.NewPCG(1, 2)), 20000, 1000, 30)
	c, _ := registry.ByName("bp128")
	s := searcherOver(b, querytest.Parts(b, docs, nil, c), Options{})
	terms := querytest.Terms(docs[0][0], docs[1][0], docs[2][0])
	var infos []*TermInfo
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if infos, err = s.AppendTermInfo(infos[:0], terms); err != nil {
			b.Fatal(err)
		}
	}
}
