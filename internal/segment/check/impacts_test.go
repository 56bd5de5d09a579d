package check_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// What is written of random fields of impacts is read back, in any codec, and nothing of it is found wrong.
func TestImpacts(t *testing.T) {
	longtest.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		m := segtest.RandomImpacts(r, rapid.SampledFrom([]int{0, 1, 40, 300, 2500}).Draw(t, "documents"), rapid.IntRange(1, 4).Draw(t, "fields"),
			rapid.SampledFrom([]int{0, 3, 40}).Draw(t, "terms"))
		w := segtest.Default()
		switch rapid.IntRange(0, 3).Draw(t, "codecs") {
		case 1:
			w.Docs, w.Freqs = segtest.Codec("vbyte1024"), segtest.Codec("vbyte1024")
		case 2:
			w.Docs, w.Freqs = segtest.Codec("bp256"), segtest.Codec("bp256")
		case 3:
			w.Freqs = segtest.Codec("pfordelta")
		}
		s := segtest.Open(t, m.Build(t, w))
		m.Check(t, s)
		for _, level := range []check.Level{check.Structure, check.Postings} {
			if err := check.Segment(context.Background(), s, check.Options{Level: level, Threads: 2}); err != nil {
				t.Fatal(err)
			}
		}
		var c check.ListChecker
		for it := s.Lists().Terms(); it.Next(); {
			if _, err := c.List(s, it.Entry()); err != nil {
				t.Fatalf("term %q: %v", it.Term(), err)
			}
		}
	})
}

// weights returns a segment of a field of impacts, "v", and one of keywords, "w": each has the same lists of
// 1, 5 and 300 postings, in 301 documents.
func weights(t *testing.T) []byte {
	r := rand.New(rand.NewPCG(3, 9))
	m := segtest.RandomFields(r, 301, 1, 0)
	m.Fields = nil
	for i, kind := range []schema.Kind{schema.Impacts, schema.Keyword} {
		x := segtest.FieldModel{Field: schema.Field{ID: uint32(1 + i), Name: []string{"v", "w"}[i], Kind: kind},
			Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, len(m.IDs))}
		for term, n := range map[string]int{"a": 1, "b": 5, "c": 300} {
			for doc := range n {
				p := segtest.P(uint32(doc), 1)
				if kind == schema.Impacts {
					p.TF = uint32(1 + (doc*37+n)%200)
				}
				x.Lists[term] = append(x.Lists[term], p)
			}
		}
		m.Fields = append(m.Fields, x)
	}
	b := m.Build(t, segtest.Default())
	m.Check(t, segtest.Open(t, b))
	return b
}

// Every flag, every maximum and every weight that is not as the postings imply is found, behind checksums
// that hold.
func TestForgedImpacts(t *testing.T) {
	good := weights(t)
	s := segtest.Open(t, good)
	postings, _ := s.Header().Section(format.SectionPostings)
	entry := func(field int, term string) segment.Entry {
		e, ok, err := s.Field(field).Lookup([]byte(term))
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		return e
	}
	part := func(field int, name string) int64 {
		e := entry(field, "c")
		l, err := s.Lists().List(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range l.Layout() {
			if p.Name == name {
				return postings.Offset + e.Offset + p.Offset
			}
		}
		t.Fatalf("no part %s", name)
		return 0
	}
	const flags, quad = 19, 24 // in an extent's header
	type forgery struct {
		name string
		do   func(b []byte)
	}
	forged := []forgery{
		{"no flag of weights", func(b []byte) { b[part(0, "header")+flags] &^= 8 }},
		{"a flag of weights", func(b []byte) { b[part(1, "header")+flags] |= 8 }},
		{"a flag of k-th impacts", func(b []byte) { b[part(0, "header")+flags] |= 4 }},
		{"the list's greatest weight below", func(b []byte) { b[part(0, "header")+quad]-- }},
		{"the list's greatest weight above", func(b []byte) { b[part(0, "header")+quad]++ }},
		{"no greatest weight", func(b []byte) { b[part(0, "header")+quad] = 0 }},
		{"a second byte of the greatest weight", func(b []byte) { b[part(0, "header")+quad+1] = 1 }},
	}
	for i := range 24 { // three blocks, of which the last has 44 postings: 3 eighths, the last shorter
		at := part(0, "quads") + int64(i)
		forged = append(forged, forgery{"a maximum above", func(b []byte) { b[at]++ }})
		if good[at] > 0 {
			forged = append(forged, forgery{"a maximum below", func(b []byte) { b[at]-- }})
		} else if i < 16+3 {
			t.Errorf("eighth %d of block %d has no weight", i%8, i/8)
		}
	}
	freqs := part(0, "freqs")
	for i := range int64(128) { // bp128 of blocks of weights below 256: 16 bytes a bit
		forged = append(forged, forgery{"a weight", func(b []byte) { b[freqs+i] ^= 1 << (i % 8) }})
	}
	for _, f := range forged {
		b := segment.Aligned(bytes.Clone(good))
		f.do(b)
		segtest.Repair(b)
		if err := openAndVerify(b); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: %v", f.name, err)
		}
	}
}

// A field that is said to be of impacts, and one that is said not to be, do not have the extents of such.
func TestForgedKindOfImpacts(t *testing.T) {
	good := weights(t)
	s := segtest.Open(t, good)
	for name, change := range map[string]func(f []segment.Field){
		"keywords": func(f []segment.Field) { f[0].Kind, f[0].Index = schema.Keyword, schema.IndexDocs },
		"impacts":  func(f []segment.Field) { f[1].Kind, f[1].Index = schema.Impacts, schema.IndexFreqs },
		"stored":   func(f []segment.Field) { f[0].Stored = true },
		"a column": func(f []segment.Field) { f[0].Column = true },
	} {
		f, err := damage.Parse(good)
		if err != nil {
			t.Fatal(err)
		}
		all := append([]segment.Field(nil), s.Fields()...)
		change(all)
		for i := range f.Sections {
			if x := &f.Sections[i]; x.ID == format.SectionFields {
				x.Content = segment.AppendFields(nil, all)
			}
		}
		if err := openAndVerify(segment.Aligned(f.Bytes())); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A weight above 255 of a list in the dictionary is found by who reads the list, not only by verification.
func TestHeavyWeights(t *testing.T) {
	good := weights(t)
	s := segtest.Open(t, good)
	terms, _ := s.Header().Section(format.SectionTerms)
	content := good[terms.Offset:][:terms.Length]
	// "a" has the weight 1 + (0*37+1)%200 = 2: a varint 0 behind the entry 1.
	at := bytes.Index(content, []byte{1, 0})
	for _, tf := range []uint32{256, 300, 1 << 31} {
		changed := append(append([]byte(nil), content[:at+1]...), binary.AppendUvarint(nil, uint64(tf-2))...)
		changed = append(changed, content[at+2:]...)
		f, err := damage.Parse(good)
		if err != nil {
			t.Fatal(err)
		}
		grown := len(changed) - len(content)
		for i := range f.Sections {
			switch x := &f.Sections[i]; x.ID {
			case format.SectionTerms:
				x.Content = changed
			case format.SectionTermIndex: // two blocks: the second begins later
				for j := 24; j < 40; j += 8 {
					binary.LittleEndian.PutUint64(x.Content[j:], binary.LittleEndian.Uint64(x.Content[j:])+uint64(grown))
				}
			}
		}
		s := segtest.Open(t, f.Bytes())
		e, ok, err := s.Field(0).Lookup([]byte("a"))
		if err != nil || !ok || e.TF != tf {
			t.Fatalf("%+v %v %v", e, ok, err)
		}
		if _, err := s.Lists().List(e); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("a weight of %d is read: %v", tf, err)
		}
		var p format.Postings
		if err := s.Lists().AppendSmall(&p, &e, 0); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("a weight of %d is merged: %v", tf, err)
		}
	}
}

// With repaired checksums, damage to weights reaches the decoders.
func TestDamagedImpacts(t *testing.T) {
	good := weights(t)
	r := rand.New(rand.NewPCG(8, 9))
	h := segtest.Open(t, good).Header()
	b := segment.Aligned(bytes.Clone(good))
	for i := range 300 {
		copy(b, good)
		sec := h.Sections[i%len(h.Sections)]
		for range 1 + r.IntN(3) {
			if sec.Length > 0 {
				b[sec.Offset+r.Int64N(sec.Length)] ^= byte(1 << r.IntN(8))
			}
		}
		segtest.Repair(b)
		s, err := segment.Open("test.pin", b)
		if err == nil {
			walk(s)
			err = check.Segment(context.Background(), s, check.Options{})
		}
		if err != nil && !segtest.IsIndexError(err) {
			t.Fatalf("round %d: %v", i, err)
		}
	}
}
