package bm25

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/scorer"
)

// The bits of idf and scores are the same on every platform. They were computed once and must not
// change, since answers would.
func TestScoreGolden(t *testing.T) {
	s := New(0.9, 0.4, Stats{Docs: 338791, Tokens: 19358188, MaxLen: 1000})
	for _, c := range []struct {
		df      uint64
		qtf     int
		tf, dl  uint32
		w, want uint32
	}{
		{1, 1, 1, 57, 0x41bb6175, 0x41455575},
		{1000, 1, 3, 20, 0x41311398, 0x4110e825},
		{100000, 2, 17, 999, 0x409460af, 0x4053aa26},
		{338791, 1, 1, 100000, 0x363c2dc5, 0x31988c00},
	} {
		w := s.Weight(c.df, float64(c.qtf))
		got := Score(w, float32(c.tf), s.Norm(c.dl))
		if math.Float32bits(w) != c.w || math.Float32bits(got) != c.want {
			t.Errorf("df %d qtf %d tf %d dl %d: weight %#x, score %#x (%v), want %#x, %#x",
				c.df, c.qtf, c.tf, c.dl, math.Float32bits(w), math.Float32bits(got), got, c.w, c.want)
		}
	}
}

func TestScoreIsBM25(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := rapid.Uint64Range(1, 1<<31).Draw(t, "docs")
		tokens := rapid.Uint64Range(docs, docs*300).Draw(t, "tokens")
		df := rapid.Uint64Range(1, docs).Draw(t, "df")
		k1, b := rapid.Float64Range(0, 3).Draw(t, "k1"), rapid.Float64Range(0, 1).Draw(t, "b")
		dl := rapid.Uint32Range(1, 5000).Draw(t, "dl")
		tf := rapid.Uint32Range(1, dl).Draw(t, "tf")
		s := New(k1, b, Stats{Docs: docs, Tokens: tokens, MaxLen: 2000})
		w := s.Weight(df, 1)
		got := float64(Score(w, float32(tf), s.Norm(dl)))
		idf := math.Log1p((float64(docs-df) + 0.5) / (float64(df) + 0.5))
		avg := float64(tokens) / float64(docs)
		k := k1 * (1 - b + b*float64(dl)/avg)
		want := idf * float64(tf) * (k1 + 1) / (float64(tf) + k)
		if tol := 2e-6*want + 2e-7*float64(w); math.Abs(got-want) > tol {
			t.Fatalf("score %v, want %v (weight %v)", got, want, w)
		}
	})
}

func TestScoreMonotone(t *testing.T) {
	for _, p := range [][2]float64{{0.9, 0.4}, {0, 0}, {0, 1}, {1.2, 0.75}, {1e6, 1}, {2, 0}, {1e-6, 0.5}} {
		s := New(p[0], p[1], Stats{Docs: 1000, Tokens: 57139, MaxLen: 70000})
		w := s.Weight(17, 1)
		var norms []float32
		for dl := uint32(0); dl < 70000; dl++ {
			n := s.Norm(dl)
			if n != s.norm(dl) || math.IsNaN(float64(n)) || n <= 0 {
				t.Fatalf("%+v: norm(%d) = %v", p, dl, n)
			}
			if dl > 0 && n > norms[dl-1] {
				t.Fatalf("%+v: norm(%d) = %v > norm(%d) = %v", p, dl, n, dl-1, norms[dl-1])
			}
			norms = append(norms, n)
		}
		for dl := 1; dl < 400; dl++ {
			for tf := 1; tf <= 400; tf++ {
				v := Score(w, float32(tf), norms[dl])
				if !(v >= 0 && v <= w) {
					t.Fatalf("%+v: score(tf %d, dl %d) = %v, weight %v", p, tf, dl, v, w)
				}
				if v < Score(w, float32(tf-1), norms[dl]) || v < Score(w, float32(tf), norms[dl+1]) {
					t.Fatalf("%+v: score(tf %d, dl %d) is below a dominated one", p, tf, dl)
				}
			}
		}
	}
}

func TestBoundHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := Stats{Docs: rapid.Uint64Range(1, 1<<24).Draw(t, "docs"), MaxLen: 1 << 20}
		st.Tokens = rapid.Uint64Range(1, st.Docs*500).Draw(t, "tokens")
		lens := rapid.SampledFrom([]Lens{Exact, Coded, Even}).Draw(t, "lens")
		s := NewField(rapid.SampledFrom(scorer.Names()).Draw(t, "formula"), rapid.Float64Range(0, 1e6).Draw(t, "k1"), rapid.Float64Range(0, 1).Draw(t, "b"), st, lens, 1)
		w := s.Weight(rapid.Uint64Range(1, st.Docs).Draw(t, "df"), rapid.Float64Range(1e-6, 1e6).Draw(t, "boost"))
		tfs := rapid.OneOf(rapid.Uint32Range(1, 40), rapid.Uint32Min(1))
		dls := rapid.OneOf(rapid.Uint32Range(0, 40), rapid.Uint32())
		var q format.Quad
		for i := range 4 {
			tf := format.EncodeTF(tfs.Draw(t, "tf"))
			dl := format.EncodeLen(dls.Draw(t, "dl"))
			q |= format.Quad(uint64(tf)|uint64(dl)<<8) << (16 * i)
		}
		bound := s.Bound(w, q)
		if !(bound >= 0 && bound <= s.Most(w)) {
			t.Fatalf("bound %v, weight %v, at most %v", bound, w, s.Most(w))
		}
		tf, dl := tfs.Draw(t, "posting tf"), dls.Draw(t, "posting dl")
		if q.Dominates(tf, dl) && s.Score(w, float32(tf), s.Norm(dl)) > bound {
			t.Fatalf("posting (%d, %d) scores %v above the bound %v", tf, dl, s.Score(w, float32(tf), s.Norm(dl)), bound)
		}
	})
}

// If a sum in any order is at most PruneBelow, the canonical sum is below the threshold.
func TestPruneBelowIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(1, 6), rapid.IntRange(1, 400)).Draw(t, "terms")
		scores := rapid.SliceOfN(rapid.Float32Range(0, 20), n, n).Draw(t, "scores")
		var canonical float32
		for _, s := range scores {
			canonical += s
		}
		perm := rapid.Permutation(scores).Draw(t, "order")
		var any float32
		for _, s := range perm {
			any += s
		}
		// The hardest threshold is the canonical score itself: a tie must survive.
		if any <= PruneBelow(canonical, n) {
			t.Fatalf("sum %v is pruned at threshold %v", any, canonical)
		}
	})
	for _, theta := range []float32{-1, 0} {
		if PruneBelow(theta, 3) >= 0 {
			t.Errorf("threshold %v prunes", theta)
		}
	}
	for _, theta := range []float32{math.SmallestNonzeroFloat32, 1e-40, 1e-10, 1, 1e30} {
		if p := PruneBelow(theta, 3); !(p >= 0 && p < theta) {
			t.Errorf("pruneBelow(%v) = %v", theta, p)
		}
	}
}
