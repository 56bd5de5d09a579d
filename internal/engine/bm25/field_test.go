package bm25

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
)

// The weight of a field and a boost multiply what the weight of a term is without them.
func TestFieldWeight(t *testing.T) {
	st := Stats{Docs: 1000, Tokens: 57139, MaxLen: 300}
	plain, heavy := New(0.9, 0.4, st), NewField("", 0.9, 0.4, st, Exact, 2.5)
	for _, df := range []uint64{1, 17, 999} {
		for qtf := 1; qtf < 4; qtf++ {
			if got, want := heavy.Weight(df, float64(qtf)*0.3), float32(plain.Weight(df, 1)*float32(float64(2.5*float64(float64(qtf)*0.3)))); got != want {
				t.Errorf("df %d, %d times: weight %v, want %v", df, qtf, got, want)
			}
		}
	}
}

// Scores of coded lengths are BM25 of the decoded ones to a few units in the last place, also of documents of a
// million times the average length, where those of exact lengths are not.
func TestScoreCodedIsBM25(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := rapid.Uint64Range(1, 1<<31).Draw(t, "docs")
		tokens := rapid.Uint64Range(docs, docs*300).Draw(t, "tokens")
		k1, b := rapid.Float64Range(1e-3, 3).Draw(t, "k1"), rapid.Float64Range(0, 1).Draw(t, "b")
		dl := format.DecodeLen(format.EncodeLen(rapid.Uint32Min(1).Draw(t, "dl")))
		tf := rapid.Uint32Range(1, 1<<24).Draw(t, "tf")
		s := NewField("", k1, b, Stats{Docs: docs, Tokens: tokens}, Coded, 1)
		w := s.Weight(rapid.Uint64Range(1, docs).Draw(t, "df"), 1)
		got := float64(s.Score(w, float32(tf), s.Norm(dl)))
		k := k1 * (1 - b + b*float64(dl)/(float64(tokens)/float64(docs)))
		want := float64(w) / (1 + k/float64(tf))
		if math.Abs(got-want) > 10*0x1p-24*want {
			t.Fatalf("score %v, want %v (weight %v)", got, want, w)
		}
	})
}

// Scores of coded lengths grow with the frequency and shrink with the length, are 0 of frequency 0 and never above
// the weight.
func TestScoreCodedMonotone(t *testing.T) {
	for _, p := range [][2]float64{{0.9, 0.4}, {0, 0}, {0, 1}, {1.2, 0.75}, {1e6, 1}, {2, 0}, {1e-6, 0.5}} {
		s := NewField("", p[0], p[1], Stats{Docs: 1000, Tokens: 57139}, Coded, 1)
		w := s.Weight(17, 1)
		for c := range 256 {
			norm := s.codeNorms[c]
			if norm != s.Norm(format.DecodeLen(uint8(c))) {
				t.Fatalf("%v: the norm of code %d is %v", p, c, norm)
			}
			if v := s.Score(w, 0, norm); v != 0 {
				t.Fatalf("%v: score %v of frequency 0", p, v)
			}
			last := float32(0)
			for _, tf := range []float32{1, 2, 3, 5, 40, 41, 255, 256, 1e6, 1 << 24, 1 << 32, float32(math.Inf(1))} {
				v := s.Score(w, tf, norm)
				if !(v >= last && v <= w) || c > 0 && v > s.Score(w, tf, s.codeNorms[c-1]) {
					t.Fatalf("%v: code %d, frequency %v: score %v, after %v, weight %v", p, c, tf, v, last, w)
				}
				last = v
			}
		}
	}
}

// The bound of four postings is the greatest of their scores.
func TestBoundIsGreatest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lens := rapid.SampledFrom([]Lens{Exact, Coded, Even}).Draw(t, "lens")
		st := Stats{Docs: 1000, Tokens: rapid.Uint64Range(1, 500_000).Draw(t, "tokens"), MaxLen: 300}
		s := NewField("", rapid.SampledFrom([]float64{0, 1e-6, 0.9, 3, 1e6}).Draw(t, "k1"), rapid.Float64Range(0, 1).Draw(t, "b"), st, lens, 1)
		w := s.Weight(rapid.Uint64Range(1, 1000).Draw(t, "df"), 1)
		var q format.Quad
		var greatest float32
		for i := range 4 {
			tf, dl := rapid.Uint8().Draw(t, "tf"), rapid.Uint8().Draw(t, "dl")
			q |= format.Quad(uint64(tf)|uint64(dl)<<8) << (16 * i)
			f := float32(format.DecodeTF(tf))
			if tf == 255 {
				f = float32(math.Inf(1))
			}
			greatest = max(greatest, s.Score(w, f, s.Norm(format.DecodeLen(dl))))
		}
		if got := s.Bound(w, q); got != greatest {
			t.Fatalf("bound %v, greatest score %v", got, greatest)
		}
	})
}
