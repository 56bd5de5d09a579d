package near

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/vector"
)

// drawScores draws scores of which many are equal.
func drawScores(t *rapid.T) []float32 {
	return rapid.SliceOfN(rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), 1, -1, 2.5, float32(math.Inf(-1)), float32(math.Inf(1)), -7, 1e30}), 1, 60).Draw(t, "scores")
}

// first returns the documents with the k greatest of scores, and of equal ones the first, in ascending order.
func first(scores []float32, k int) []uint32 {
	docs := make([]uint32, len(scores))
	for i := range docs {
		docs[i] = uint32(i)
	}
	slices.SortStableFunc(docs, func(x, y uint32) int { return cmp.Compare(scores[y], scores[x]) })
	docs = docs[:min(k, len(docs))]
	slices.Sort(docs)
	return docs
}

// What is best does not depend on who offers what, and when: goroutines that take pieces and leave out what least says.
func TestBestOffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := drawScores(t)
		k, piece := rapid.IntRange(1, 70).Draw(t, "k"), rapid.IntRange(1, 30).Draw(t, "piece")
		b := best{k: k}
		var next atomic.Int64
		var all sync.WaitGroup
		for range rapid.IntRange(1, 8).Draw(t, "goroutines") {
			all.Go(func() {
				for {
					at := int(next.Add(1)-1) * piece
					if at >= len(scores) {
						return
					}
					least := b.least(uint32(at))
					for doc := at; doc < min(at+piece, len(scores)); doc++ {
						if scores[doc] < least {
							continue
						}
						b.offer(uint32(doc), scores[doc])
						if doc%2 == 0 {
							runtime.Gosched()
						}
						least = b.least(uint32(doc))
					}
				}
			})
		}
		all.Wait()
		var got []uint32
		for _, h := range b.hits() {
			if got = append(got, h.Doc); h.Near != scores[h.Doc] {
				t.Fatalf("document %d is as near as %v, want %v", h.Doc, h.Near, scores[h.Doc])
			}
		}
		if want := first(scores, k); !slices.Equal(got, want) {
			t.Fatalf("documents %v, want %v", got, want)
		}
	})
}

// Once there are k, no document that is not one of them passes.
func TestBestLeast(t *testing.T) {
	b := best{k: 2}
	for _, c := range []struct {
		doc   uint32
		score float32
	}{{5, 1}, {3, 1}, {9, 1}, {4, 1}} {
		b.offer(c.doc, c.score)
	}
	for doc, want := range map[uint32]float32{3: 1, 4: 1, 5: math.Nextafter32(1, 2), 9: math.Nextafter32(1, 2)} {
		if got := b.least(doc); got != want {
			t.Errorf("from document %d on: %v, want %v", doc, got, want)
		}
	}
}

// Hits are split by segments, with what they score.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := drawScores(t)
		var hits []Hit
		for i, s := range scores {
			hits = append(hits, Hit{uint32(3 * i), s})
		}
		q, bases := &Query{By: vector.Product, Factor: 1}, []uint32{0, 40, 40, 100}
		var got []uint32
		for i, f := range Split(q, hits, bases) {
			for j, doc := range f.Docs {
				got = append(got, bases[i]+doc)
				if want := q.Score(scores[(bases[i]+doc)/3]); f.Scores[j] != want || f.Most < want {
					t.Fatalf("document %d scores %v, at most %v, want %v", bases[i]+doc, f.Scores[j], f.Most, want)
				}
				if end := bases[i] + doc; i+1 < len(bases) && end >= bases[i+1] {
					t.Fatalf("document %d in segment %d", end, i)
				}
			}
		}
		if len(got) != len(hits) || !slices.IsSorted(got) {
			t.Fatalf("documents %v of %v", got, hits)
		}
	})
}

// Scores are not negative, do not fall as vectors are nearer, and are finite.
func TestScores(t *testing.T) {
	values := []float32{float32(math.Inf(-1)), -math.MaxFloat32, -2, -1.0000001, -1, -0.5, float32(math.Copysign(0, -1)), 0, 1e-30, 0.5, 1, 1.0000001, 7, 1e30, math.MaxFloat32, float32(math.Inf(1))}
	for _, by := range []vector.Similarity{vector.Cosine, vector.Product, vector.Euclidean} {
		q := Query{By: by, Factor: 1e6}
		last := float32(0)
		for _, s := range values {
			got := q.Score(s)
			if !(got >= last) || math.IsInf(float64(got), 0) {
				t.Errorf("similarity %d: %v scores %v, after %v", by, s, got, last)
			}
			last = got
		}
	}
	for _, c := range []struct {
		by      vector.Similarity
		s, want float32
	}{{vector.Cosine, 1, 2}, {vector.Cosine, 0, 1}, {vector.Cosine, -1, 0}, {vector.Product, 3, 8}, {vector.Product, -3, 0.5}, {vector.Euclidean, 0, 2}, {vector.Euclidean, -3, 0.5}} {
		if got := (&Query{By: c.by, Factor: 2}).Score(c.s); got != c.want {
			t.Errorf("similarity %d: %v scores %v, want %v", c.by, c.s, got, c.want)
		}
	}
}
