package near

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/vector"
)

// A Best keeps the greatest scores, and of equal ones the first documents.
func TestBestOffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), 1, -1, 2.5, float32(math.Inf(-1)), -7, 1e30}), 1, 60).Draw(t, "scores")
		k := rapid.IntRange(1, 70).Draw(t, "k")
		docs := make([]uint32, len(scores))
		b := NewBest(&Query{By: vector.Product, Factor: 1}, k)
		for i, s := range scores {
			docs[i] = uint32(3 * i)
			if s >= b.least {
				b.offer(docs[i], s)
			}
		}
		slices.SortStableFunc(docs, func(x, y uint32) int { return cmp.Compare(scores[y/3], scores[x/3]) })
		docs = docs[:min(k, len(docs))]
		slices.Sort(docs)
		bases := []uint32{0, 40, 40, 100}
		var got []uint32
		for i, f := range Split(b.query, b.Hits(), bases) {
			for j, doc := range f.Docs {
				got = append(got, bases[i]+doc)
				if want := b.query.Score(scores[(bases[i]+doc)/3]); f.Scores[j] != want || f.Most < want {
					t.Fatalf("document %d scores %v, at most %v, want %v", bases[i]+doc, f.Scores[j], f.Most, want)
				}
			}
		}
		if !slices.Equal(got, docs) {
			t.Fatalf("documents %v, want %v", got, docs)
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
