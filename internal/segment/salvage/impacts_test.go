package salvage_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// Segments with fields of impacts are mended like others, also without a section table, and their weights are salvaged.
func TestSalvageImpacts(t *testing.T) {
	for seed := range uint64(4) {
		m := segtest.RandomImpacts(rand.New(rand.NewPCG(seed, 2)), 300, 3, 60)
		good := m.Build(t, segtest.Default())
		s := segtest.Open(t, good)
		for _, id := range []format.SectionID{0, format.SectionTermIndex, format.SectionDocLengths, format.SectionIDHash} {
			bad := segment.Aligned(bytes.Clone(good))
			if sec, ok := s.Header().Section(id); ok {
				clear(bad[sec.Offset:][:sec.Length])
			} else {
				clear(bad[:s.Header().Sections[0].Offset])
				clear(bad[len(bad)-format.FooterSize:])
			}
			mended, err := salvage.Mend("bad", bad, salvage.Known{ID: s.Header().ID})
			if err != nil || !mended.Whole {
				t.Errorf("%s: %+v, %v", id, mended, err)
				continue
			}
			x, err := segment.Open("mended", mended.Data)
			if err != nil {
				t.Fatal(err)
			}
			m.Check(t, x)
		}
		x := salvage.New(s, s, func(doc uint32) bool { return doc%7 == 0 })
		for range x.Docs() {
		}
		for l := range x.Lists() {
			var want []segtest.Posting
			for _, p := range m.Fields[l.Field].Lists[string(l.Term)] {
				if p.Doc%7 != 0 {
					want = append(want, segtest.P(p.Doc-p.Doc/7-1, p.TF))
				}
			}
			var got []segtest.Posting
			for i, doc := range l.Docs {
				got = append(got, segtest.P(doc, l.Freqs[i]))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("list %q of field %d is %v, want %v", l.Term, l.Field, got, want)
			}
		}
		if len(x.Losses()) > 0 {
			t.Error(x.Losses())
		}
	}
}
