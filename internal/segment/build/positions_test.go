package build_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// positions draws a segment with lists of every kind in a field with positions, between two without.
func positions(r *rand.Rand, docs int, prefix string) *segtest.Fields {
	m := &segtest.Fields{}
	for i := range docs {
		m.IDs = append(m.IDs, fmt.Sprint(prefix, i))
	}
	for i, index := range []schema.Index{schema.IndexFreqs, schema.IndexFreqs, schema.IndexDocs} {
		f := segtest.FieldModel{Field: schema.Field{ID: uint32(i + 1), Name: string(rune('a' + i)), Kind: schema.Text, Index: index, Positions: i == 1},
			Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, docs)}
		for j, share := range []float64{1, 0.7, 0.2, 0.05, 0.01, 0.004, 0.001} {
			for k := range 7 {
				var ps []segtest.Posting
				for d := range uint32(docs) {
					if r.Float64() >= share {
						continue
					}
					p := segtest.P(d, 1)
					if f.HasLengths() && r.IntN(3) == 0 {
						p.TF += uint32(r.ExpFloat64() * 3)
					}
					ps = append(ps, p)
					f.Lens[d] += p.TF
				}
				if len(ps) > 0 {
					f.Lists[fmt.Sprintf("%c%d", 'a'+k, j)] = ps
				}
			}
		}
		if f.Positions {
			f.RandomPositions(r)
		}
		m.Fields = append(m.Fields, f)
	}
	return m
}

// joinFields is the model of two segments' documents, those of a first.
func joinFields(a, b *segtest.Fields) *segtest.Fields {
	m := &segtest.Fields{IDs: slices.Concat(a.IDs, b.IDs)}
	for i := range a.Fields {
		x, y := &a.Fields[i], &b.Fields[i]
		f := segtest.FieldModel{Field: x.Field, Lists: map[string][]segtest.Posting{}, Gaps: map[string][]uint32{}, Lens: slices.Concat(x.Lens, y.Lens)}
		maps.Copy(f.Lists, x.Lists)
		for t, ps := range y.Lists {
			all := slices.Clone(f.Lists[t])
			for _, p := range ps {
				all = append(all, segtest.P(p.Doc+uint32(len(a.IDs)), p.TF))
			}
			f.Lists[t] = all
		}
		for t := range f.Lists {
			f.Gaps[t] = slices.Concat(x.Gaps[t], y.Gaps[t])
		}
		m.Fields = append(m.Fields, f)
	}
	return m
}

// mergeFields merges segments list by list, and returns how many blocks were copied.
func mergeFields(t *testing.T, m *segtest.Fields, w segtest.With, segs ...*segment.Segment) ([]byte, uint64) {
	t.Helper()
	f := new(segtest.MemFile)
	b, err := build.New(format.NewFileWriter(f, format.KindSegment, format.ID{1, 2, 3}), m.Options(w))
	if err != nil {
		t.Fatal(err)
	}
	e := b.NewListEncoder()
	for i := range m.Fields {
		if err := b.BeginField(i); err != nil {
			t.Fatal(err)
		}
		e.SetField(i)
		for _, term := range slices.Sorted(maps.Keys(m.Fields[i].Lists)) {
			e.Reset()
			base := uint32(0)
			for _, s := range segs {
				entry, ok, err := s.Field(i).Lookup([]byte(term))
				if err != nil {
					t.Fatal(err)
				}
				if ok {
					l, err := s.Lists().List(entry)
					if err != nil {
						t.Fatal(err)
					}
					if err := e.AppendList(l, base); err != nil {
						t.Fatalf("field %d, %q: %v", i, term, err)
					}
				}
				base += s.Meta().Docs
			}
			l, _, err := e.Finish(nil)
			if err == nil {
				err = b.Append([]byte(term), l)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, id := range m.IDs {
		if err := b.AddDoc([]byte(id), nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	return f.B, e.CopiedBlocks()
}

// The positions of a merge are those of a segment that is built at once, whether blocks are copied or
// not, in memory and in files, for codecs that encode block by block and those that need whole lists.
// The lists are the same bytes as without positions.
func TestPositions(t *testing.T) {
	for i, name := range []string{"bp128", "lrc", "bp256", "vbyte1024", "ef"}[:longtest.Count(2, 5)] {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		a, b := positions(r, 400*(i+1), "a"), positions(r, 1300, "b")
		m := joinFields(a, b)
		w := segtest.With{Docs: segtest.Codec(name), Freqs: segtest.Codec(name)}
		want := m.Build(t, w)
		s := segtest.Open(t, want)
		m.Check(t, s)
		if err := check.Segment(context.Background(), s, check.Options{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sources := []*segment.Segment{segtest.Open(t, a.Build(t, w)), segtest.Open(t, b.Build(t, w))}
		for _, w.Tail = range []int64{0, 1, 3000} {
			w.Spool = inMemory()
			if got := m.Build(t, w); !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes in memory: segments differ", name, w.Tail)
			}
			got, copied := mergeFields(t, m, w, sources...)
			merged := segtest.Open(t, got)
			m.Check(t, merged)
			if err := check.Segment(context.Background(), merged, check.Options{}); err != nil {
				t.Errorf("%s, %d bytes in memory: %v", name, w.Tail, err)
			}
			if (copied > 0) != (name != "lrc") {
				t.Errorf("%s: %d blocks copied", name, copied)
			}
			for _, id := range []format.SectionID{format.SectionPositions, format.SectionPositionIndex} {
				if !bytes.Equal(sectionOf(t, merged, id), sectionOf(t, s, id)) {
					t.Errorf("%s, %d bytes in memory: %s of the merge differs", name, w.Tail, id)
				}
			}
		}
		plain := joinFields(a, b)
		plain.Fields[1].Positions, plain.Fields[1].Gaps = false, nil
		without := segtest.Open(t, plain.Build(t, w))
		for _, id := range []format.SectionID{format.SectionTerms, format.SectionPostings, format.SectionTermIndex, format.SectionDocLengths} {
			if !bytes.Equal(sectionOf(t, without, id), sectionOf(t, s, id)) {
				t.Errorf("%s: %s depends on positions", name, id)
			}
		}
	}
}

func sectionOf(t *testing.T, s *segment.Segment, id format.SectionID) []byte {
	t.Helper()
	sec, _ := s.Header().Section(id)
	b, err := s.Raw().SectionBytes(id, 0, sec.Length)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What cannot be the positions of postings is refused, and nothing of it is kept.
func TestPositionErrors(t *testing.T) {
	m := positions(rand.New(rand.NewPCG(1, 9)), 300, "a")
	b, err := build.New(format.NewFileWriter(new(segtest.MemFile), format.KindSegment, format.ID{1}), m.Options(segtest.Default()))
	if err != nil {
		t.Fatal(err)
	}
	e := b.NewListEncoder()
	p := segtest.Split(segtest.Pairs(3, 2, 7, 1))
	for _, c := range []struct {
		field int
		gaps  []uint32
		says  string
	}{
		{1, nil, "0 positions of frequencies that add up to 3"},
		{1, []uint32{1, 2}, "2 positions"},
		{1, []uint32{1, 2, 3, 4}, "4 positions"},
		{1, []uint32{1<<31 - 2, 1, 0}, "position 2147483648 of document 3"},
		{1, []uint32{0, 0, 1 << 31}, "position 2147483648 of document 7"},
		{0, []uint32{1, 2, 3}, "without"},
		{2, []uint32{1, 2, 3}, "without"},
	} {
		e.SetField(c.field)
		if _, _, err := e.EncodePositions(nil, p, c.gaps); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("field %d, gaps %d: %v; it should say %s", c.field, c.gaps, err, c.says)
		}
		e.Reset()
		if err := e.AppendPositions(p, c.gaps); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("field %d, gaps %d appended: %v; it should say %s", c.field, c.gaps, err, c.says)
		}
	}
	e.SetField(1)
	for _, gaps := range [][]uint32{{0, 0, 0}, {1<<31 - 2, 0, 1<<31 - 1}} {
		if l, _, err := e.EncodePositions(nil, p, gaps); err != nil || len(l.Positions) == 0 {
			t.Errorf("gaps %d: %v", gaps, err)
		}
	}
	if _, _, err := e.Encode(nil, p); err == nil {
		t.Error("a list without positions in a field with")
	}
}
