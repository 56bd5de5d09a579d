package segment

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Texts gives what Stored gives, whichever documents are left out, and also when
// docIDs go back.
func TestTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	m := randomModel(r, 3000, 5)
	for i := range m.texts {
		m.texts[i] = strings.Repeat("text ", r.IntN(60))
	}
	m.texts[100] = strings.Repeat("long ", 200_000)
	w := defaultBuild()
	w.stored = true
	s := mustOpen(t, m.build(t, w))
	for _, step := range []int{1, 2, 7, 997} {
		texts, err := s.Texts()
		if err != nil {
			t.Fatal(err)
		}
		check := func(doc int) {
			t.Helper()
			if got, err := texts.At(uint32(doc)); err != nil || string(got) != m.texts[doc] {
				t.Fatalf("step %d, docID %d: %.40q, %v; want %.40q", step, doc, got, err, m.texts[doc])
			}
		}
		for doc := 0; doc < len(m.texts); doc += step {
			check(doc)
		}
		for range 50 {
			check(r.IntN(len(m.texts)))
		}
		if _, err := texts.At(uint32(len(m.texts))); err == nil {
			t.Fatal("a document that is not there")
		}
	}
	w.stored = false
	texts, err := mustOpen(t, m.build(t, w)).Texts()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := texts.At(5); err != nil || len(got) != 0 {
		t.Fatalf("%q, %v without stored text", got, err)
	}
}
