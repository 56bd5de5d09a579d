package segment_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
)

func TestViewsEqualModel(t *testing.T) {
	longtest.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		docs := rapid.SampledFrom([]int{1, 2, 17, 130, 1000, 5000, 20000}).Draw(t, "docs")
		m := segtest.Random(r, docs, rapid.IntRange(0, 120).Draw(t, "terms"))
		w := segtest.With{
			Docs:   segtest.Codec(rapid.SampledFrom([]string{"bp128", "vbyte128"}).Draw(t, "docs codec")),
			Freqs:  segtest.Codec(rapid.SampledFrom([]string{"bp128", "vbyte128"}).Draw(t, "freqs codec")),
			Stored: rapid.Bool().Draw(t, "stored"), DocsFirst: rapid.Bool().Draw(t, "docs first"),
		}
		s := segtest.Open(t, m.Build(t, w))
		m.Check(t, s, w.Stored)
		if err := check.Segment(context.Background(), s, check.Options{}); err != nil {
			t.Fatal(err)
		}
	})
}
