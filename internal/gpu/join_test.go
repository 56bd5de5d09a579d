//go:build emu && cgo

package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
)

// Over many segments, and more than a view has, the answers are those of brute force, with
// and without deleted documents, and each term has one list for each view.
func TestJoined(t *testing.T) {
	for _, s := range []gputrial.Shape{
		{Docs: 120, Segments: 140, Terms: 30, MaxDF: 0.6, MinDF: 1, DocsCodec: gputrial.Mixed, Seed: 2},
		{Docs: 1500, Segments: 6, Terms: 40, MaxDF: 0.7, MinDF: 1, DocsCodec: gputrial.Mixed, OwnLengths: true, Clustered: true, Seed: 3},
	} {
		for _, deletes := range []bool{false, true} {
			c, sc := newCollection(t, s)
			segs, deleted := viewsIn(c), (*docset.Bits)(nil)
			if deletes {
				deleted = deleteSome(rand.New(rand.NewPCG(1, 2)), segs)
			}
			dev := cuda.NewEmulator()
			x, err := newExecutor(dev, segs, Options{Scorer: sc, Memory: 8 << 20})
			if err != nil {
				t.Fatal(err)
			}
			if err := x.LoadAll(context.Background()); err != nil {
				t.Fatal(err)
			}
			loaded := x.Stats()
			if most := int64(s.Terms * len(x.docs.Views)); len(x.docs.Views) > (s.Segments+126)/127+1 || loaded.Lists == 0 || loaded.Lists > most || loaded.Stored == 0 || loaded.Refused > 0 {
				t.Errorf("%d segments: %d views, %+v", s.Segments, len(x.docs.Views), loaded)
			}
			check(t, x, c, sc, c.Draw(rand.New(rand.NewPCG(3, 4)), 40, 5, 40, query.ModeAnd, query.ModeOr, query.ModeAndOr), deleted)
			if n := x.Stats(); n.Misses > loaded.Misses {
				t.Errorf("queries missed %d lists after LoadAll", n.Misses-loaded.Misses)
			}
			closeExecutor(t, x)
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Damage in one of the lists of a term, whether or not its checksum shows it, keeps the
// joined list from the device, and the error names the segment.
func TestJoinedDamage(t *testing.T) {
	c, sc := newCollection(t, gputrial.Shape{Docs: 3000, Segments: 5, Terms: 20, MaxDF: 0.7, MinDF: 400, DocsCodec: "bp128", FreqsCodec: "bp128", OwnLengths: true, Seed: 5})
	refused := 0
	for round := range 6 {
		r := rand.New(rand.NewPCG(uint64(round), 7))
		segs, bad := viewsIn(c), 1+r.IntN(4)
		s, err := segment.Open("damaged", segment.Aligned(slices.Clone(c.Parts[bad].Bytes)))
		if err != nil {
			t.Fatal(err)
		}
		s.Raw().SkipPageChecks()
		segs[bad].Seg = s
		why, changed := map[string]string{}, map[string]bool{}
		for it := s.Lists().Terms(); it.Next(); {
			l, err := s.Lists().List(it.Entry())
			if err != nil || l.Extent() == nil {
				continue
			}
			if r.IntN(2) == 0 {
				damage(r, l.Extent())
				changed[string(it.Term())] = true
			}
			why[string(it.Term())] = fault(t, s, it.Entry())
		}
		dev := cuda.NewEmulator()
		x, err := newExecutor(dev, segs, Options{Scorer: sc, Memory: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for term, why := range why {
			_, err := x.Execute(context.Background(), []search.Query{{RawTerms: [][]byte{[]byte(term)}, K: 5, Mode: query.ModeOr}})
			if !changed[term] && err != nil {
				t.Errorf("round %d, sound list %s: %v", round, term, err)
			}
			if why == "" {
				continue
			}
			refused++
			var at *format.Error
			if !errors.As(err, &at) || at.File != "damaged" {
				t.Errorf("round %d, list %s: %v, though %s", round, term, err, why)
			}
		}
		closeExecutor(t, x)
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
	if refused < 20 {
		t.Errorf("only %d lists were damaged", refused)
	}
}
