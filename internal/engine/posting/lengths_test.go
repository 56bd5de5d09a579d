package posting

import (
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/segment"
)

// Norms and scores of many documents are those of one at a time, for every form of lengths.
func TestManyNorms(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	st := bm25.Stats{Docs: 500, Tokens: 40000, MaxLen: 70000}
	for _, c := range []struct {
		name  string
		lens  bm25.Lens
		width int
		most  uint32
	}{
		{"exact 1", bm25.Exact, 1, 255}, {"exact 2", bm25.Exact, 2, 60000}, {"exact 4", bm25.Exact, 4, 70000}, {"coded", bm25.Coded, 1, 255}, {"even", bm25.Even, 0, 0},
	} {
		var table segment.LengthTable
		if c.width > 0 {
			b := make([]byte, 500*c.width+8)
			for d := range 500 {
				v := r.Uint32N(c.most + 1)
				for i := range c.width {
					b[d*c.width+i] = byte(v >> (8 * i))
				}
			}
			table = segment.PackedLengths(b[:500*c.width], c.width)
		}
		s, l := bm25.NewField("", 0.9, 0.4, st, c.lens, 1), NewLengths(table)
		for n := range 40 {
			docs, freqs, norms := make([]uint32, n), make([]uint32, n, n+bm25.Slack), bm25.Grow(nil, n)
			for i := range docs {
				docs[i], freqs[i] = r.Uint32N(500), r.Uint32N(4)
				if n%3 > 0 && r.IntN(8) == 0 { // more than the table of inverses has
					freqs[i] = 6 + r.Uint32N(1<<r.IntN(20))
				}
			}
			l.Norms(norms, docs, s)
			want := make([]float32, n)
			for i, d := range docs {
				norm := s.Norm(table.Get(d))
				if c.lens == bm25.Coded {
					norm = s.Norm(format.DecodeLen(table.Bytes()[d]))
				}
				if norms[i] != norm || l.Norm(d, s) != norm {
					t.Fatalf("%s: norm %v, want %v", c.name, norms[i], norm)
				}
				want[i] = s.Score(7.5, float32(freqs[i]), norm)
			}
			for _, huge := range []bool{false, true} {
				got := append(bm25.Grow(nil, n)[:0], norms...)
				s.ScoreNorms(got, freqs, 7.5, huge)
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("%s: score %v, want %v", c.name, got[i], want[i])
					}
				}
			}
		}
	}
}
