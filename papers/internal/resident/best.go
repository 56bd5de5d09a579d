package resident

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	own "github.com/pinion-index/pinion/papers/kernels"
)

// Best answers a query on the CPU by adding up the scores of all postings: lists and
// frequencies are those that were compressed.
func (x *Index) Best(lists [][]uint32, freqs [][]uint8, q []int, and bool, k int) []uint64 {
	scores, terms := make([]float32, x.docs), make([]uint8, x.docs)
	for _, l := range q {
		for i, d := range lists[l] {
			scores[d] += search.Score(x.Weights[l], float32(max(freqs[l][i], 1)), x.Norms[d])
			terms[d]++
		}
	}
	var keys []uint64
	for d, n := range terms {
		if n > 0 && !and || int(n) == len(q) {
			keys = append(keys, uint64(math.Float32bits(scores[d]))<<32|uint64(^uint32(d)))
		}
	}
	slices.Sort(keys)
	slices.Reverse(keys)
	return keys[:min(k, len(keys))]
}

// Selection is scores on the device, of which the k best are wanted.
type Selection struct {
	m    *Memory
	n, k int
	best own.BestParams
	out  []byte

	sort   *sorting
	bucket *bucketing
	scores []byte // for CopyOut
}

// NewSelection copies scores to the device; the i-th is that of docID i. A score of 0 is
// none.
func NewSelection(m *Memory, scores []float32, k int) *Selection {
	s := &Selection{m: m, n: len(scores), k: k, out: m.Pinned(8*k + 8)}
	s.best = own.BestParams{Scores: m.Put(kernels.Slice(scores)), Out: m.Room(8*k + 8), N: uint32(len(scores)), K: uint32(k)}
	s.best.OutCount = s.best.Out + kernels.Ptr(8*k)
	n := len(scores)
	for i := range s.best.Maxima {
		n = blocks(n, own.Group)
		s.best.Maxima[i] = m.Room(8 * n)
	}
	return s
}

// Selected is what a selection took, in seconds.
type Selected struct {
	Kernels float64 // between events
	Whole   float64 // with launches, waiting and the copy of the result
}

// Maxima selects by levels of maxima (Ding 2009, section 8). Keys are as those of an Answer.
func (s *Selection) Maxima() (keys []uint64, t Selected, err error) {
	var g cuda.Batch
	g.Record(0)
	launchBest(&g, s.best)
	g.Record(1)
	g.CopyOut(s.out, s.best.Out)
	if t.Whole, err = s.m.Run(&g); err != nil {
		return nil, t, err
	}
	t.Kernels = s.m.Between(0, 1)
	words := format.Uint32s(s.out)
	for i := range words[2*s.k] {
		keys = append(keys, uint64(words[2*i])|uint64(words[2*i+1])<<32)
	}
	return keys, t, s.m.Err()
}
