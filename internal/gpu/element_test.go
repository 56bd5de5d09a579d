//go:build emu && cgo

package gpu

import (
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// TestElement compares docIDs of conjunctions that look up single elements of the
// linear-regression codecs with brute force: two segments, lists of any length, some in
// other codecs, deleted documents, warps in any order, and every way of locating blocks.
func TestElement(t *testing.T) {
	for _, name := range []string{"lrc", "lrcseg", "seglrc", "hslrc", gputrial.Mixed} {
		for seed, clustered := range []bool{true, false}[:few(1, 2)] {
			shape := someShape
			shape.DocsCodec, shape.FreqsCodec, shape.Seed = name, "newpfd", uint64(seed)
			t.Run(name, func(t *testing.T) { testElement(t, shape, clustered) })
		}
	}
}

func testElement(t *testing.T, shape gputrial.Shape, clustered bool) {
	shape.Clustered = clustered
	c, sc := newCollection(t, shape)
	for seed := range uint64(few(2, 3)) {
		dev := cuda.NewEmulator()
		dev.Seed = seed
		segs, deleted := viewsIn(c), (*docset.Bits)(nil)
		if seed == 1 {
			deleted = deleteSome(rand.New(rand.NewPCG(4, seed)), segs)
		}
		x, err := newExecutor(dev, segs, Options{Scorer: sc, Memory: 4 << 20, AsStored: true, locate: uint32(seed)})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		var in []search.Query
		qs := c.Draw(rand.New(rand.NewPCG(8, seed)), few(8, 16), 4, 10, query.ModeAnd)
		for i := range qs {
			qs[i].K = 1 << 20
			q := qs[i].Query()
			q.K = 1
			in = append(in, q)
		}
		for _, how := range []Strategy{Element, Auto} {
			checkConjunction(t, x, c, sc, in, qs, how, deleted)
		}
	}
}
