package dump_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/dump"
	"github.com/pinion-index/pinion/segment/internal/segtest"
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
