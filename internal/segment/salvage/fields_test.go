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

// What the other sections of a segment with fields imply is mended, lengths of all forms too.
func TestMendFields(t *testing.T) {
	m := segtest.RandomFields(rand.New(rand.NewPCG(4, 2)), 300, 6, 60)
	for i := range 3 { // with lengths in one, two and four bytes, and coded
		f := segtest.RandomFields(rand.New(rand.NewPCG(uint64(i), 2)), 300, 1, 0).Fields[0]
		f.Field = schema.Field{ID: uint32(50 + i), Name: "z" + string(rune('0'+i)), Kind: schema.Text, Lengths: schema.Lengths(i / 2)}
		clear(f.Lens)
		f.Lists = map[string][]segtest.Posting{"x": segtest.Pairs(3, 1, 9, 1+uint32(i)*70_000), "y": segtest.Pairs(9, 40)}
		f.Lens[3], f.Lens[9] = 1, 41+uint32(i)*70_000
		if i == 0 {
			f.Positions = true
			f.RandomPositions(rand.New(rand.NewPCG(1, 2)))
		}
		m.Fields = append(m.Fields, f)
	}
	good := m.Build(t, segtest.Default())
	s := segtest.Open(t, good)
	m.Check(t, s)
	for _, id := range []format.SectionID{format.SectionTermIndex, format.SectionDocLengths, format.SectionIDIndex, format.SectionIDHash, format.SectionPositionIndex} {
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
	for _, id := range []format.SectionID{format.SectionFields, format.SectionMeta, format.SectionColumns, format.SectionColumnBounds, format.SectionPositions} { // without a schema that is known
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
		for i := range m.Fields {
			want := uint32(0)
			if f := &m.Fields[i]; f.HasLengths() {
				want = f.Lens[docs]
			}
			if d.Lens[i] != want {
				t.Fatalf("document %d has %d tokens in field %d, want %d", docs, d.Lens[i], i, want)
			}
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

// placed returns a field with positions.
func placed(r *rand.Rand, name string, id, docs uint32) segtest.FieldModel {
	f := segtest.FieldModel{Field: schema.Field{ID: id, Name: name, Kind: schema.Text, Positions: true},
		Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, docs)}
	for i := range uint32(200) {
		var ps []segtest.Posting
		for doc := i % 9; doc < docs; doc += 1 + i*i%131 {
			ps = append(ps, segtest.P(doc, 1+doc*i%3))
			f.Lens[doc] += 1 + doc*i%3
		}
		f.Lists[fmt.Sprint("term", i)] = ps
	}
	f.RandomPositions(r)
	return f
}

// One or two damaged pages of a segment with fields lose what is recorded as lost, by field, and
// nothing else: what is read is right, lengths are the sums of what is left, and fields can be read
// in any order.
func TestDamagedFields(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	m := segtest.RandomFields(rand.New(rand.NewPCG(7, 2)), 2000, 6, 400)
	m.Fields = append(m.Fields, placed(r, "z", 50, 2000))
	good := m.Build(t, segtest.Default())
	b := segment.Aligned(bytes.Clone(good))
	sections := segtest.Open(t, good).Header().Sections
	damaged := map[string]bool{}
	for round := range 6 * len(sections) {
		copy(b, good)
		for i := range 1 + round/(3*len(sections)) {
			sec := sections[(round+5*i)%len(sections)]
			if sec.ID == format.SectionMeta || sec.ID == format.SectionFields { // the file does not open without
				continue
			}
			page := sec.Offset + r.Int64N(sec.PaddedLength())&^(format.PageSize-1)
			for range 8 {
				b[page+r.Int64N(min(format.PageSize, sec.End()-page))] ^= byte(1 + r.IntN(255))
			}
		}
		compareFields(t, b, m, r.Perm(len(m.Fields)), damaged)
	}
	if !damaged["documents"] || !damaged["terms"] || !damaged["postings"] || !damaged["positions"] {
		t.Errorf("only %v were lost", damaged)
	}
}

// compareFields reads a segment with the fields of m in an order, and adds what is lost to damaged.
func compareFields(t *testing.T, b segment.Bytes, m *segtest.Fields, order []int, damaged map[string]bool) {
	t.Helper()
	plain := open(t, b)
	plain.Raw().SkipPageChecks()
	x := salvage.New(open(t, b), plain, func(doc uint32) bool { return doc%97 == 5 })
	number := map[string]uint32{}
	for doc, id := range m.IDs {
		number[id] = uint32(doc)
	}
	var docs []uint32 // those read, in m
	lens := make([][]uint32, len(m.Fields))
	for d := range x.Docs() {
		doc, ok := number[string(d.ID)]
		if !ok || doc%97 == 5 {
			t.Fatalf("a document %q", d.ID)
		}
		docs = append(docs, doc)
		for i, n := range d.Lens {
			lens[i] = append(lens[i], n)
		}
	}
	missing := map[string]uint64{} // postings of documents that were read, by field
	for _, i := range order {
		f := &m.Fields[i]
		for _, ps := range f.Lists {
			for _, p := range ps {
				if _, ok := slices.BinarySearch(docs, p.Doc); ok {
					missing[f.Name]++
				}
			}
		}
		last := ""
		for l := range x.FieldLists(i) {
			term := string(l.Term)
			if l.Field != i || term <= last {
				t.Fatalf("list %q of field %d after %q of field %d", term, l.Field, last, i)
			}
			last = term
			freqs, gaps, at := map[uint32]uint32{}, map[uint32][]uint32{}, uint32(0)
			for _, p := range f.Lists[term] {
				freqs[p.Doc] = p.TF
				if f.Positions {
					gaps[p.Doc] = f.Gaps[term][at : at+p.TF]
					at += p.TF
				}
			}
			at = 0
			missing[f.Name] -= uint64(l.Len())
			for k, doc := range l.Docs {
				if freqs[docs[doc]] != l.Freqs[k] {
					t.Fatalf("field %d, term %q: document %d with frequency %d, want %d", i, term, docs[doc], l.Freqs[k], freqs[docs[doc]])
				}
				if f.HasLengths() {
					lens[i][doc] -= l.Freqs[k]
				}
				want := gaps[docs[doc]]
				if end := at + uint32(len(want)); end > uint32(len(l.Gaps)) || !slices.Equal(l.Gaps[at:end], want) {
					t.Fatalf("field %d, term %q: document %d with other positions", i, term, docs[doc])
				}
				at += uint32(len(want))
			}
			if int(at) != len(l.Gaps) {
				t.Fatalf("field %d, term %q: %d positions too many", i, term, len(l.Gaps)-int(at))
			}
		}
		if k := slices.IndexFunc(lens[i], func(n uint32) bool { return n != 0 }); k >= 0 {
			t.Fatalf("document %d has %d tokens of field %d in no list", docs[k], lens[i][k], i)
		}
	}
	lost := map[string]uint64{}
	for _, l := range x.Losses() {
		damaged[l.What] = true
		lost[l.Field] += l.Count
	}
	for name, n := range missing {
		if n > 0 && lost[name] == 0 {
			t.Fatalf("%d postings of field %q are missing, and lost are %v", n, name, x.Losses())
		}
	}
	if live := len(m.IDs) - (len(m.IDs)+91)/97; len(docs) < live && uint64(live-len(docs)) > lost[""] {
		t.Fatalf("%d of %d documents, and lost are %v", len(docs), live, x.Losses())
	}
}
