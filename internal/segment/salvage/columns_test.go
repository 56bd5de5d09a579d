package salvage_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// The values of columns are read; of damaged columns all are read or recorded as lost, and what is
// read is right. Nothing else is lost.
func TestDamagedColumns(t *testing.T) {
	const docs = 9500
	r := rand.New(rand.NewPCG(36, 2))
	m := segtest.RandomFields(r, docs, 1, 40)
	for i, kind := range []schema.Kind{schema.Integer, schema.Keyword, schema.Time} {
		f := segtest.FieldModel{Field: schema.Field{ID: uint32(50 + i), Name: "z" + string(rune('0'+i)), Kind: kind, Index: schema.IndexNone}}
		if kind == schema.Time {
			f.Unit = schema.UnitSecond
		}
		f.Lens = make([]uint32, docs)
		for have := false; !have; { // else it may have few values, or none
			f.RandomColumn(r, docs)
			have = len(slices.DeleteFunc(slices.Clone(f.Values), func(v []int64) bool { return len(v) == 0 })) > docs/3 ||
				len(slices.DeleteFunc(slices.Clone(f.Words), func(v []string) bool { return len(v) == 0 })) > docs/3
		}
		m.Fields = append(m.Fields, f)
	}
	good := m.Build(t, segtest.Default())
	if lost := compareColumns(t, segment.Aligned(good), m); len(lost) > 0 {
		t.Errorf("of a sound segment %v is lost", lost)
	}
	sec, _ := segtest.Open(t, good).Header().Section(format.SectionColumns)
	all := map[string]bool{}
	for range 30 {
		b := segment.Aligned(bytes.Clone(good))
		page := sec.Offset + r.Int64N(sec.PaddedLength())&^(format.PageSize-1)
		for range 8 {
			b[page+r.Int64N(min(format.PageSize, sec.End()-page))] ^= byte(1 + r.IntN(255))
		}
		maps.Copy(all, compareColumns(t, b, m))
	}
	if len(all) != 3 {
		t.Errorf("values were lost of %v only", all)
	}
}

// compareColumns compares what is read of columns, and returns the fields that have lost some.
func compareColumns(t *testing.T, b segment.Bytes, m *segtest.Fields) map[string]bool {
	t.Helper()
	plain := open(t, b)
	plain.Raw().SkipPageChecks()
	x := salvage.New(open(t, b), plain, func(uint32) bool { return false })
	missing := map[string]uint64{} // documents without their values
	doc := 0
	for d := range x.Docs() {
		for i := range m.Fields {
			f := &m.Fields[i]
			if !f.Column {
				continue
			}
			var want, got []string
			for _, v := range d.Values {
				if v.Field == i {
					got = append(got, v.String())
				}
			}
			if f.Kind == schema.Keyword {
				want = slices.Clone(f.Words[doc])
				slices.Sort(want)
			} else {
				values := slices.Sorted(slices.Values(f.Values[doc]))
				for _, key := range values {
					want = append(want, schema.KeyValue(i, f.Kind, f.Unit, key).String())
				}
			}
			want = slices.Compact(want)
			switch {
			case slices.Equal(got, want):
			case len(got) > 0:
				t.Fatalf("document %d has %q in field %s, want %q", doc, got, f.Name, want)
			default:
				missing[f.Name]++
			}
		}
		doc++
	}
	if doc != len(m.IDs) {
		t.Fatalf("%d documents, want %d", doc, len(m.IDs))
	}
	lost := map[string]bool{}
	for _, l := range x.Losses() {
		if l.What != "columns" {
			t.Fatalf("lost are %+v", l)
		}
		missing[l.Field] -= l.Count
		lost[l.Field] = true
	}
	for name, n := range missing {
		if n != 0 {
			t.Fatalf("field %s: %d documents more or less without values than %v says", name, int64(n), x.Losses())
		}
	}
	return lost
}
