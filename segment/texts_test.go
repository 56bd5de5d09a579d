package segment_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// Texts returns the same as Stored, whichever documents are skipped, also when docIDs go
// back.
func TestTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	m := segtest.Random(r, 3000, 5)
	for i := range m.Texts {
		m.Texts[i] = strings.Repeat("text ", r.IntN(60))
	}
	m.Texts[100] = strings.Repeat("long ", 200_000)
	w := segtest.Default()
	w.Stored = true
	s := segtest.Open(t, m.Build(t, w))
	for _, step := range []int{1, 2, 7, 997} {
		texts, err := s.Documents().Texts()
		if err != nil {
			t.Fatal(err)
		}
		check := func(doc int) {
			t.Helper()
			if got, err := texts.At(uint32(doc)); err != nil || string(got) != m.Texts[doc] {
				t.Fatalf("step %d, docID %d: %.40q, %v; want %.40q", step, doc, got, err, m.Texts[doc])
			}
		}
		for doc := 0; doc < len(m.Texts); doc += step {
			check(doc)
		}
		for range 50 {
			check(r.IntN(len(m.Texts)))
		}
		if _, err := texts.At(uint32(len(m.Texts))); err == nil {
			t.Fatal("a document that is not there")
		}
	}
	w.Stored = false
	texts, err := segtest.Open(t, m.Build(t, w)).Documents().Texts()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := texts.At(5); err != nil || len(got) != 0 {
		t.Fatalf("%q, %v without stored text", got, err)
	}
}

// After a block that does not decompress, Texts still gives the texts of the block before it.
func TestTextsAfterDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	m := segtest.Random(r, 400, 1)
	for i := range m.Texts {
		m.Texts[i] = strings.Repeat(string(rune('a'+i%26)), 300)
	}
	w := segtest.Default()
	w.Stored = true
	b := segment.Aligned(m.Build(t, w))
	s := segtest.Open(t, b)
	s.Raw().SkipPageChecks()
	second, err := s.Raw().StoredBlock(1)
	if err != nil || second.Form != segment.StoredSnappy {
		t.Fatal(second, err)
	}
	sec, _ := s.Header().Section(format.SectionStored)
	b[sec.Offset+second.Offset+second.Size-1] ^= 0xff // decompression fails at its end
	texts, err := s.Documents().Texts()
	if err != nil {
		t.Fatal(err)
	}
	check := func(doc uint32, good bool) {
		t.Helper()
		if got, err := texts.At(doc); good != (err == nil) || good && string(got) != m.Texts[doc] {
			t.Errorf("docID %d: %.10q, %v; want %.10q", doc, got, err, m.Texts[doc])
		}
	}
	check(0, true)
	check(second.First, false)
	check(1, true)
	check(second.First+1, false)
	check(second.End, true)
	check(second.First, false)
	check(second.End+1, true)
}
