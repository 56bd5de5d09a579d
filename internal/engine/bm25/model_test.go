package bm25

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/scorer"
)

// What package scorer asks of a Model is so of all that it knows: scores are not below 0, rise with the frequency and fall with the
// length, and vectors of them are the same.
func TestModels(t *testing.T) {
	for _, name := range scorer.Names()[1:] {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				st := Stats{Docs: rapid.Uint64Range(1, 1<<32).Draw(t, "docs"), MaxLen: 1 << 20}
				st.Tokens = rapid.Uint64Range(1, st.Docs*500).Draw(t, "tokens")
				lens := rapid.SampledFrom([]Lens{Exact, Coded, Even}).Draw(t, "lens")
				s := NewField(name, rapid.Float64Range(0, 1e6).Draw(t, "k1"), rapid.Float64Range(0, 1).Draw(t, "b"), st, lens, 1)
				df := rapid.Uint64Range(1, st.Docs).Draw(t, "df")
				w := s.Weight(df, rapid.Float64Range(1e-3, 1e3).Draw(t, "boost"))
				if df > 1 && s.Weight(df-1, 1) < s.Weight(df, 1) {
					t.Fatalf("the weight of df %d is below that of %d", df-1, df)
				}
				counts := rapid.OneOf(rapid.Uint32Range(1, 40), rapid.Uint32Min(1))
				tf, dl := counts.Draw(t, "tf"), rapid.OneOf(rapid.Uint32Range(0, 40), rapid.Uint32()).Draw(t, "dl")
				score := s.Score(w, float32(tf), s.Norm(dl))
				if !(score >= 0 && score <= s.Most(w) && s.Most(w) <= math.MaxFloat32) {
					t.Fatalf("score %v, at most %v", score, s.Most(w))
				}
				more, longer := max(tf, counts.Draw(t, "greater tf")), max(dl, counts.Draw(t, "greater dl"))
				if s.Score(w, float32(more), s.Norm(dl)) < score || s.Score(w, float32(tf), s.Norm(longer)) > score {
					t.Fatalf("tf %d, length %d scores %v; tf %d %v, length %d %v", tf, dl, score, more, s.Score(w, float32(more), s.Norm(dl)), longer, s.Score(w, float32(tf), s.Norm(longer)))
				}
				if v := []float32{s.Norm(dl)}; true {
					if s.ScoreNorms(v, []uint32{tf}, w, tf >= 1<<31); v[0] != score {
						t.Fatalf("ScoreNorms has %v, Score %v", v[0], score)
					}
				}
			})
		})
	}
}
