//go:build emu && cgo

package gpuload

import (
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/query"
)

// TestMostBytes lets an Executor have more memory than there is: it takes what all lists need,
// recoded and with presence words, of every codec and of several segments.
func TestMostBytes(t *testing.T) {
	for _, codec := range []string{"bp128", "newpfd", gputrial.Mixed} {
		for _, o := range []Options{{}, {AsStored: true}} {
			shape := gputrial.Shape{Docs: 5000, Segments: 1, Terms: 14, MaxDF: 0.9, MinDF: 100, DocsCodec: codec, FreqsCodec: codec, Clustered: true, Seed: 3}
			if codec == gputrial.Mixed {
				shape.Segments = 3
			}
			c, sc := newCollection(t, shape)
			dev := testDevice(t, 1)
			o.Scorer, o.Memory, o.Presence = sc, 1<<45, 1
			x, err := newExecutor(dev, viewsIn(c), o)
			if err != nil {
				t.Fatal(codec, err)
			}
			if err := x.LoadAll(t.Context()); err != nil {
				t.Error(codec, err)
			}
			r := rand.New(rand.NewPCG(1, 9))
			for range 2 {
				check(t, x, c, sc, c.Draw(r, 12, 5, 30, query.And, query.Or), nil)
			}
			s, free := x.Stats(), x.lists.arena.Free()
			if s.Refused > 0 || s.Evicted > 0 || s.Marked == 0 || free < x.lists.arena.Size()/4 {
				t.Errorf("%s, %+v: %+v, %d of %d bytes free", codec, o, s, free, x.lists.arena.Size())
			}
			closeExecutor(t, x)
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
