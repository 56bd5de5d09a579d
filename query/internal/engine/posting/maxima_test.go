package posting_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/format/codec/bp128"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine/bm25"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
	"github.com/pinion-index/pinion/query/internal/querytest"
)

// Maxima bound the scores of a list under any weight, and closely.
func TestMaxima(t *testing.T) {
	docs := querytest.ZipfDocs(rand.New(rand.NewPCG(49, 50)), 5000, 300, 12)
	seg := querytest.Parts(t, docs, nil, bp128.Codec{})[0].Segment
	lens, err := seg.Views(trusted.Caller{}).DocLens()
	if err != nil {
		t.Fatal(err)
	}
	tokens := uint64(0)
	for _, d := range docs {
		tokens += uint64(len(d))
	}
	for _, b := range []float64{0, 0.4, 1} {
		f := posting.Field{Scorer: bm25.New(0.9, b, bm25.Stats{Docs: uint64(len(docs)), Tokens: tokens, MaxLen: 64}), Lens: bm25.NewLengths(lens)}
		for w := 0; w < 300; w += 7 {
			term := []byte(fmt.Sprintf("w%d", w))
			e, ok, err := seg.Lookup(term)
			if err != nil || !ok {
				t.Fatal(string(term), ok, err)
			}
			m, err := posting.NewMaxima(seg, e, &f)
			if err != nil {
				t.Fatal(err)
			}
			for _, weight := range []float32{1e-6, 0.7, 1, 31, 1e9} {
				best := make([]float32, len(m.Of))
				for p, err := range seg.Postings(term) {
					if err != nil {
						t.Fatal(err)
					}
					s := &best[p.Doc>>posting.RangeShift]
					*s = max(*s, f.Scorer.Score(weight, float32(p.Freq), f.Norm(p.Doc)))
				}
				unit := weight * m.Unit
				for i, s := range best {
					if bound := unit * float32(m.Of[i]); s > bound || bound > s+1.01*unit+weight*1e-5 {
						t.Fatalf("%s under weight %g, b %g, range %d: %g is bounded by %g", term, weight, b, i, s, bound)
					}
				}
			}
		}
	}
}
