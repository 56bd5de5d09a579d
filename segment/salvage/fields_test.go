package salvage_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/segtest"
	"github.com/pinion-index/pinion/segment/salvage"
)

// What the other sections of a segment with fields imply is mended, lengths of all forms too.
func TestMendFields(t *testing.T) {
	m := segtest.RandomFields(rand.New(rand.NewPCG(4, 2)), 300, 6, 60)
	for i := range 3 { // with lengths in one, two and four bytes, and coded
		f := segtest.RandomFields(rand.New(rand.NewPCG(uint64(i), 2)), 300, 1, 0).Fields[0]
		f.Field = schema.Field{ID: uint32(50 + i), Name: "z" + string(rune('0'+i)), Kind: schema.KindText, Lengths: schema.Lengths(i / 2)}
		clear(f.Lens)
		f.Lists = map[string][]segtest.Posting{"x": segtest.Pairs(3, 1, 9, 1+uint32(i)*70_000), "y": segtest.Pairs(9, 40)}
		f.Lens[3], f.Lens[9] = 1, 41+uint32(i)*70_000
		m.Fields = append(m.Fields, f)
	}
	good := m.Build(t, segtest.Default())
	s := segtest.Open(t, good)
	m.Check(t, s)
	for _, id := range []format.SectionID{format.SectionTermIndex, format.SectionDocLengths, format.SectionIDIndex, format.SectionIDHash} {
		sec, _ := s.Header().Section(id)
		bad := segment.Aligned(bytes.Clone(good))
		clear(bad[sec.Offset:][:sec.Length])
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
	for _, id := range []format.SectionID{format.SectionFields, format.SectionMeta} { // which nothing implies
		sec, _ := s.Header().Section(id)
		bad := segment.Aligned(bytes.Clone(good))
		bad[sec.Offset+5] ^= 8
		if mended, err := salvage.Mend("bad", bad, salvage.Known{ID: s.Header().ID}); err != nil || !mended.Whole {
			t.Errorf("a bit of %s: %+v, %v", id, mended, err)
		}
	}
	lost := segment.Aligned(bytes.Clone(good)) // without a section table
	clear(lost[:s.Header().Sections[0].Offset])
	clear(lost[len(lost)-format.FooterSize:])
	mended, err := salvage.Mend("lost", lost, salvage.Known{ID: s.Header().ID})
	if err != nil || !mended.Whole {
		t.Fatalf("no section table: %+v, %v", mended, err)
	}
	found, err := segment.Open("found", mended.Data)
	if err != nil {
		t.Fatal(err)
	}
	m.Check(t, found)
	x := salvage.New(s, s, func(uint32) bool { return false })
	docs, lists := 0, 0
	for d := range x.Docs() {
		if n, err := s.DocLen(uint32(docs)); n != d.Len || err != nil {
			t.Fatalf("document %d has %d tokens, not %d, %v", docs, n, d.Len, err)
		}
		docs++
	}
	for l := range x.Lists() {
		if want := m.Fields[l.Field].Lists[string(l.Term)]; len(want) != l.Len() {
			t.Fatalf("list %q of field %d has %d postings, not %d", l.Term, l.Field, l.Len(), len(want))
		}
		lists++
	}
	if docs != 300 || lists != int(s.Meta().Terms) || len(x.Losses()) > 0 {
		t.Errorf("%d documents, %d lists, %v", docs, lists, x.Losses())
	}
}
