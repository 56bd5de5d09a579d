//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// TestAccumulators compares disjunctions with accumulators in shared memory with brute force,
// for every codec: several segments, lists from a single posting to most documents, deleted
// documents, k up to 1000, and ranges of documents that are short and long.
func TestAccumulators(t *testing.T) {
	codecs := append([]string{gputrial.Mixed}, gputrial.Codecs()...)
	for i, name := range codecs[:few(3, len(codecs))] {
		s := gputrial.Shape{Docs: few(2000, 5000), Segments: 1 + i%3, Terms: 24, MaxDF: 0.9, MinDF: 1, DocsCodec: name, FreqsCodec: name,
			Clustered: i%2 == 1, Seed: uint64(i)}
		c, err := gputrial.New(s, true)
		if err != nil {
			t.Fatal(err)
		}
		sc := mustScorer(t, c)
		dev := testDevice(t, uint64(i))
		for j, o := range []Options{
			{ranges: 1, width: 2048},
			{ranges: 1},
		} {
			t.Run(fmt.Sprintf("%s-%d", name, o.width), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(i), uint64(j)))
				segs, deleted := viewsIn(c), (*docset.Bits)(nil)
				if j%2 == i%2 {
					deleted = deleteSome(r, segs)
				}
				o.Memory, o.AsStored = 8<<20, j%2 == 0
				x, err := newExecutor(dev, segs, with(sc, o))
				if err != nil {
					t.Fatal(err)
				}
				check(t, x, c, sc, c.Draw(r, 12, 5, 40, query.ModeOr, query.ModeAndOr), deleted)
				check(t, x, c, sc, c.Draw(r, 3, 4, 1000, query.ModeOr), deleted)
				closeExecutor(t, x)
			})
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// deleteSome deletes a third of the documents and returns which.
func deleteSome(r *rand.Rand, segs []residency.Segment) *docset.Bits {
	deleted := &docset.Bits{}
	for i := range segs {
		n := int(segs[i].Seg.Meta().Docs)
		local := &docset.Bits{}
		for range n / 3 {
			if d := r.IntN(n); d/64 < n/64 { // words at the end may be missing
				local.Add(uint32(d))
				deleted.Add(segs[i].Base + uint32(d))
			}
		}
		segs[i].Deletes = reader.NewDeletes(local.Words())
	}
	return deleted
}
