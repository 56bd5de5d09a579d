package salvage_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// fieldSamples are segments with fields of all kinds, columns, positions and impacts, and what a manifest knows of them: their
// schema, or one with fields that were added since, beside that of another index.
func fieldSamples(t testing.TB) (all []sample, models []*segtest.Fields) {
	for i := range 6 {
		r := rand.New(rand.NewPCG(uint64(i), 17))
		m := segtest.RandomFields(r, 300+100*i, 3+i, 60)
		m.Fields = slices.DeleteFunc(m.Fields, func(f segtest.FieldModel) bool { return f.Kind == schema.Vector }) // nothing else says what FIELDS does of them
		if i%2 == 0 {
			m.Fields = append(m.Fields, placed(r, "z", 50, uint32(300+100*i)))
		}
		if i == 3 {
			m.Fields = append(m.Fields, segtest.FieldModel{Field: schema.Field{ID: 70, Name: "zz", Kind: schema.Impacts},
				Lists: map[string][]segtest.Posting{"x": segtest.Pairs(3, 1, 9, 255), "y": segtest.Pairs(9, 40)}, Lens: make([]uint32, 600)})
		}
		b := segment.Aligned(m.Build(t, segtest.Default()))
		s := segtest.Open(t, b)
		var fields []schema.Field
		for j := range m.Fields {
			fields = append(fields, m.Fields[j].Field)
		}
		other := []schema.Field{{ID: 1, Name: "other", Kind: schema.Text}}
		known := salvage.Known{ID: s.Header().ID, Postings: s.Meta().Postings, Tokens: s.Meta().Tokens,
			Schemas: [][]schema.Field{other, append(slices.Clone(fields), schema.Field{ID: 1000, Name: "a later one", Kind: schema.Text})}}
		all = append(all, sample{fmt.Sprint("fields ", i), b, s.Header(), known})
		models = append(models, m)
	}
	return all, models
}

// What META and FIELDS of a segment with fields said follows from the dictionary, the lists and a schema, also where other sections
// are lost that follow from these.
func TestLostDescription(t *testing.T) {
	samples, _ := fieldSamples(t)
	lost := [][]format.SectionID{{format.SectionFields}, {format.SectionMeta}, {format.SectionFields, format.SectionMeta},
		{format.SectionFields, format.SectionMeta, format.SectionPageSums}, {format.SectionMeta, format.SectionPageSums},
		{format.SectionFields, format.SectionMeta, format.SectionTermIndex, format.SectionDocLengths, format.SectionIDIndex, format.SectionIDHash, format.SectionLists, format.SectionPositionIndex},
	}
	for _, s := range samples {
		for _, ids := range lost {
			for _, fill := range []byte{0, 0x5a} {
				b := bytes.Clone(s.good)
				for _, id := range ids {
					if sec, ok := s.h.Section(id); ok {
						for i := range b[sec.Offset:sec.End()] {
							b[sec.Offset+int64(i)] = fill
						}
					}
				}
				s.mend(t, b, fmt.Sprint(ids))
			}
		}
		x := s
		x.known.Schemas = nil
		meta, n := s.section(t, format.SectionMeta)
		b := bytes.Clone(s.good)
		clear(b[meta : meta+n])
		x.mend(t, b, "META, which FIELDS and the dictionary tell")
	}
}

// Where pages of lists are damaged besides META and FIELDS, nothing confirms these, but the rest can be read.
func TestLostDescriptionAndPages(t *testing.T) {
	samples, models := fieldSamples(t)
	read := 0
	for i, s := range samples {
		b := segment.Aligned(bytes.Clone(s.good))
		for _, id := range []format.SectionID{format.SectionFields, format.SectionMeta} {
			off, n := s.section(t, id)
			clear(b[off : off+n])
		}
		off, n := s.section(t, format.SectionPostings)
		if n < 100 {
			continue
		}
		for j := range b[off : off+min(n, 100)] {
			b[off+int64(j)] ^= byte(3 + 5*j)
		}
		s.known.Schemas = s.known.Schemas[1:]
		var fields []schema.Field
		for j := range models[i].Fields {
			fields = append(fields, models[i].Fields[j].Field)
		}
		s.known.Schemas[0] = fields
		m, err := salvage.Mend(s.name, b, s.known)
		if err != nil || m.Whole {
			t.Fatalf("%s: whole %v, %v", s.name, m.Whole, err)
		}
		seg, err := m.Open()
		if err != nil {
			continue // it could have been another one
		}
		read++
		plain, err := m.Open()
		if err != nil {
			t.Fatal(err)
		}
		plain.Raw().SkipPageChecks()
		x := salvage.New(seg, plain, func(uint32) bool { return false })
		docs := 0
		for d := range x.Docs() {
			if string(d.ID) != models[i].IDs[docs] {
				t.Fatalf("%s: document %d has id %q", s.name, docs, d.ID)
			}
			docs++
		}
		if docs != len(models[i].IDs) {
			t.Errorf("%s: %d documents", s.name, docs)
		}
		for l := range x.Lists() {
			want := models[i].Fields[l.Field].Lists[string(l.Term)]
			for j, doc := range l.Docs {
				if !slices.ContainsFunc(want, func(p segtest.Posting) bool { return p.Doc == doc && p.TF == l.Freqs[j] }) {
					t.Fatalf("%s: field %d, term %q: document %d with frequency %d", s.name, l.Field, l.Term, doc, l.Freqs[j])
				}
			}
		}
	}
	if read < 2 {
		t.Errorf("%d segments could be read", read)
	}
}

// TestFlippedFieldBits is TestFlippedBits for segments with fields.
func TestFlippedFieldBits(t *testing.T) {
	samples, _ := fieldSamples(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range samples {
		b := segment.Aligned(bytes.Clone(s.good))
		for _, sec := range s.h.Sections {
			for range min(3, sec.Length) {
				at := 8*sec.Offset + r.Int64N(8*max(sec.Length, 1))
				b[at/8] ^= 1 << (at % 8)
				m := s.mend(t, b, fmt.Sprintf("%s: bit %d of byte %d", sec.ID, at%8, at/8))
				if len(m.Mends) != 1 || m.Mends[0].Offset != at/8 || m.Mends[0].Bit != int(at%8) || !m.Mends[0].Sure {
					t.Fatalf("%s: bit %d of byte %d: %v", s.name, at%8, at/8, m.Mends)
				}
				b[at/8] ^= 1 << (at % 8)
			}
		}
	}
}
