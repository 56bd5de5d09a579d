package check_test

import (
	"bytes"
	"context"
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

// What is written of random fields is read back, and nothing of it is found wrong.
func TestFields(t *testing.T) {
	longtest.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		m := segtest.RandomFields(r, rapid.SampledFrom([]int{0, 1, 40, 300, 2000}).Draw(t, "documents"), rapid.IntRange(1, 6).Draw(t, "fields"),
			rapid.SampledFrom([]int{0, 3, 40, 100}).Draw(t, "terms"))
		s := segtest.Open(t, m.Build(t, segtest.Default()))
		m.Check(t, s)
		for _, level := range []check.Level{check.Structure, check.Postings} {
			for threads := 1; threads < 4; threads += 2 {
				if err := check.Segment(context.Background(), s, check.Options{Level: level, Threads: threads}); err != nil {
					t.Fatal(err)
				}
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

// fields returns a segment with three fields of which each property matters.
func fields(t *testing.T) []byte {
	r := rand.New(rand.NewPCG(3, 9))
	m := segtest.RandomFields(r, 400, 1, 0)
	m.Fields = nil
	for i, f := range []schema.Field{
		{ID: 3, Name: "body", Kind: schema.Text, Lengths: schema.LengthsByte, Analyzer: "simple"},
		{ID: 1, Name: "tag", Kind: schema.Keyword},
		{ID: 2, Name: "title", Kind: schema.Text, Stored: true},
	} {
		x := segtest.FieldModel{Field: f, Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, len(m.IDs))}
		for j := range uint32(40) {
			for doc := j; doc < uint32(len(m.IDs)); doc += 1 + j%7 {
				p := segtest.P(doc, 1)
				if f.HasLengths() && doc%5 == 0 {
					p.TF = 1 + j%3
				}
				if i == 2 && doc == 17 { // a document without a title
					continue
				}
				term := string([]byte{'a' + byte(j%26), 'a' + byte(j/26)})
				x.Lists[term] = append(x.Lists[term], p)
				x.Lens[doc] += p.TF
			}
		}
		m.Fields = append(m.Fields, x)
	}
	b := m.Build(t, segtest.Default())
	m.Check(t, segtest.Open(t, b))
	return b
}

// Every number of FIELDS, and of what META has of fields, is compared with what is there.
func TestWrongFields(t *testing.T) {
	good := fields(t)
	s := segtest.Open(t, good)
	if err := check.Segment(t.Context(), s, check.Options{}); err != nil {
		t.Fatal(err)
	}
	type change struct {
		name string
		do   func(m *segment.Meta, f []segment.Field)
	}
	changes := []change{
		{"nothing", func(*segment.Meta, []segment.Field) {}},
		{"fields", func(m *segment.Meta, _ []segment.Field) { m.Fields++ }},
		{"term blocks", func(m *segment.Meta, _ []segment.Field) { m.TermBlocks++ }},
		{"bytes of lengths", func(m *segment.Meta, _ []segment.Field) { m.LengthBytes++ }},
		{"tokens of META", func(m *segment.Meta, _ []segment.Field) { m.Tokens++ }},
		{"a length of META", func(m *segment.Meta, _ []segment.Field) { m.MaxLen = 7 }},
		{"order", func(_ *segment.Meta, f []segment.Field) { f[0], f[1] = f[1], f[0] }},
		{"an id", func(_ *segment.Meta, f []segment.Field) { f[0].ID = f[2].ID }},
		{"no id", func(_ *segment.Meta, f []segment.Field) { f[0].ID = 0 }},
		{"no name", func(_ *segment.Meta, f []segment.Field) { f[0].Name = "" }},
		{"kind", func(_ *segment.Meta, f []segment.Field) { f[2].Kind = schema.Impacts }},
		{"index", func(_ *segment.Meta, f []segment.Field) { f[2].Positions = true }},
		{"index default", func(_ *segment.Meta, f []segment.Field) { f[1].Index = schema.IndexDefault }},
		{"index none", func(_ *segment.Meta, f []segment.Field) { f[1].Index = schema.IndexNone }},
		{"no lengths", func(_ *segment.Meta, f []segment.Field) { f[2].Index = schema.IndexDocs }},
		{"byte lengths", func(_ *segment.Meta, f []segment.Field) { f[2].Lengths = schema.LengthsByte }},
		{"exact lengths", func(_ *segment.Meta, f []segment.Field) { f[0].Lengths = schema.LengthsExact }},
		{"terms", func(_ *segment.Meta, f []segment.Field) { f[0].Terms-- }},
		{"terms of another", func(_ *segment.Meta, f []segment.Field) { f[0].Terms--; f[1].Terms++ }},
		{"documents", func(_ *segment.Meta, f []segment.Field) { f[2].Docs-- }},
		{"tokens", func(_ *segment.Meta, f []segment.Field) { f[0].Tokens-- }},
		{"tokens of another", func(m *segment.Meta, f []segment.Field) { f[0].Tokens++; m.Tokens++ }},
		{"exact tokens", func(_ *segment.Meta, f []segment.Field) { f[2].Tokens-- }},
		{"exact tokens and lengths", func(_ *segment.Meta, f []segment.Field) { f[2].Tokens--; f[2].LengthSum-- }},
		{"lengths", func(_ *segment.Meta, f []segment.Field) { f[0].LengthSum-- }},
		{"least length", func(_ *segment.Meta, f []segment.Field) { f[2].MinLen++ }},
		{"greatest length", func(_ *segment.Meta, f []segment.Field) { f[0].MaxLen++ }},
		{"width", func(_ *segment.Meta, f []segment.Field) { f[2].LenWidth = 2 }},
	}
	for _, c := range changes {
		f, err := damage.Parse(good)
		if err != nil {
			t.Fatal(err)
		}
		meta, all := *s.Meta(), append([]segment.Field(nil), s.Fields()...)
		c.do(&meta, all)
		for i := range f.Sections {
			switch x := &f.Sections[i]; x.ID {
			case format.SectionMeta:
				x.Content = segment.AppendMeta(nil, &meta)
			case format.SectionFields:
				x.Content = segment.AppendFields(nil, all)
			}
		}
		err = openAndVerify(segment.Aligned(f.Bytes()))
		if want := c.name != "nothing"; errors.Is(err, format.ErrCorrupt) != want || !want && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// contentOf returns the content of a section of f.
func contentOf(f *damage.File, id format.SectionID) []byte {
	for i := range f.Sections {
		if f.Sections[i].ID == id {
			return f.Sections[i].Content
		}
	}
	return nil
}

// A length, a frequency above a length that is rounded down, and padding are wrong.
func TestDamageOfFields(t *testing.T) {
	good := fields(t)
	s := segtest.Open(t, good)
	for _, f := range s.Fields() {
		if !f.HasLengths() {
			continue
		}
		for _, doc := range []int64{0, 17, 399} {
			for _, add := range []byte{1, 0x80, 0xff} {
				x, err := damage.Parse(good)
				if err != nil {
					t.Fatal(err)
				}
				contentOf(x, format.SectionDocLengths)[f.LengthsAt+doc*int64(f.LenWidth)] += add
				if err := openAndVerify(segment.Aligned(x.Bytes())); !errors.Is(err, format.ErrCorrupt) {
					t.Errorf("field %s, length of document %d: %v", f.Name, doc, err)
				}
			}
		}
	}
	x, err := damage.Parse(good)
	if err != nil {
		t.Fatal(err)
	}
	contentOf(x, format.SectionDocLengths)[401] = 1
	if err := openAndVerify(segment.Aligned(x.Bytes())); !errors.Is(err, format.ErrCorrupt) {
		t.Errorf("padding between lengths: %v", err)
	}
}

// Damage behind checksums that hold reaches the decoders of fields, which do not panic.
func TestDamagedFieldsBehindChecksums(t *testing.T) {
	good := fields(t)
	r := rand.New(rand.NewPCG(8, 9))
	h := segtest.Open(t, good).Header()
	b := segment.Aligned(bytes.Clone(good))
	for i := range 400 {
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
			for i := range s.Fields() {
				v := s.Field(i)
				v.Lengths()
				v.Lookup([]byte("ca"))
				v.Terms([]byte("c")).Next()
			}
			err = check.Segment(context.Background(), s, check.Options{})
		}
		if err != nil && !segtest.IsIndexError(err) && !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("round %d: %v", i, err)
		}
	}
}
