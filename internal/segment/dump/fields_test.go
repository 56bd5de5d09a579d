package dump_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/dump"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Every byte of a segment with fields is shown once, and each field by its name.
func TestFields(t *testing.T) {
	m := segtest.RandomFields(rand.New(rand.NewPCG(4, 2)), 70, 6, 60)
	b := m.Build(t, segtest.Default())
	fields, err := dump.File("test.pin", segment.Aligned(b), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, names := int64(0), map[string]bool{}
	for _, f := range fields {
		if f.Length > 0 && f.Offset != at {
			t.Fatalf("%s at %d, the one before ends at %d", f.Name, f.Offset, at)
		}
		at += f.Length
		if f.Name == "MALFORMED" || f.Name == dump.More {
			t.Fatalf("%s at %d", f.Name, f.Offset)
		}
		names[f.Name] = true
	}
	if at != int64(len(b)) {
		t.Errorf("%d of %d bytes", at, len(b))
	}
	s := segtest.Open(t, b)
	for i := range s.Fields() {
		f := &s.Fields()[i]
		if f.HasLengths() && !names["tokens of document 69 in field "+f.Name] {
			t.Errorf("no lengths of field %s", f.Name)
		}
		it := s.Field(i).Terms(nil)
		for it.Next() {
			shown, err := dump.Term("test.pin", segment.Aligned(b), it.Term(), 0)
			found := false
			for _, x := range shown {
				found = found || strings.HasSuffix(x.Name, " in field "+f.Name)
			}
			if err != nil || !found {
				t.Fatalf("term %q is not shown in field %s, %v", it.Term(), f.Name, err)
			}
		}
	}
}

// Every byte of positions is shown once, and those of a term with it.
func TestPositions(t *testing.T) {
	f := segtest.FieldModel{Field: schema.Field{ID: 1, Name: "f", Kind: schema.Text, Positions: true},
		Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 500)}
	m := &segtest.Fields{}
	for i := range uint32(500) {
		m.IDs = append(m.IDs, fmt.Sprint(i))
		for _, every := range []uint32{1, 2, 9, 40, 499} {
			if i%every == 0 {
				term, tf := fmt.Sprint("every", every), 1+i%5
				f.Lists[term] = append(f.Lists[term], segtest.P(i, tf))
				f.Lens[i] += tf
			}
		}
	}
	f.RandomPositions(rand.New(rand.NewPCG(3, 2)))
	m.Fields = append(m.Fields, f)
	b := segment.Aligned(m.Build(t, segtest.Default()))
	s := segtest.Open(t, b)
	sec, _ := s.Header().Section(format.SectionPositions)
	fields, err := dump.File("test.pin", b, dump.Options{Sections: []format.SectionID{format.SectionPositions}})
	if err != nil {
		t.Fatal(err)
	}
	at := sec.Offset
	for _, x := range fields {
		if x.Length > 0 && (x.Offset != at || x.Value == "MALFORMED") {
			t.Fatalf("%s at %d, the one before ends at %d: %s", x.Name, x.Offset, at, x.Value)
		}
		at += x.Length
	}
	if at != sec.End() {
		t.Errorf("%d of %d bytes", at-sec.Offset, sec.End()-sec.Offset)
	}
	for it := s.Field(0).Terms(nil); it.Next(); {
		shown, err := dump.Term("test.pin", b, it.Term(), 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Field(0).Positions(it.Entry())
		if err != nil {
			t.Fatal(err)
		}
		n, headed := int64(0), false
		for _, x := range shown {
			if headed = headed || strings.HasPrefix(x.Name, "positions of "+string(it.Term())); headed {
				n += x.Length
			}
		}
		if !headed || n != int64(p.Bytes()) {
			t.Errorf("%s: %d bytes of positions are shown, want %d", it.Term(), n, p.Bytes())
		}
	}
}
