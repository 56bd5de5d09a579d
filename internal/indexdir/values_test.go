package indexdir

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// valuesManifest has values that were changed in place, beside deletes and without.
func valuesManifest() *Manifest {
	m := schemaManifest()
	m.Segments[0].ValuesFile, m.Segments[0].ValuesID = 298, format.ID{4: 8}
	m.Segments[1].ValuesFile, m.Segments[1].ValuesID = 17, format.ID{5: 9}
	return m
}

// What is said of values that were changed in place is read as it was written, and versions before 0.8 do not say it.
func TestManifestValues(t *testing.T) {
	m := valuesManifest()
	m.Version = format.Current()
	f := manifestFile(t, AppendManifest(nil, m))
	golden(t, "manifest-values.hex", f.b)
	if got, err := ReadManifest("m", f); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v, %v", got, err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		m := drawManifest(rt)
		m.Version = format.Current()
		for i := range m.Segments {
			if s := &m.Segments[i]; rapid.Bool().Draw(rt, "values") {
				s.ValuesFile = m.NextFile
				copy(s.ValuesID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(rt, "id of values"))
				m.NextFile += rapid.Uint64Range(1, 1000).Draw(rt, "gap")
			}
		}
		got, err := decodeManifest(appendManifest(nil, m, m.Version), 0, m.Version)
		if err != nil || !reflect.DeepEqual(got, m) || !reflect.DeepEqual(m.Clone(), m) {
			rt.Fatalf("%+v\n%+v\n%v", m, got, err)
		}
	})
}

func TestManifestRefusesValues(t *testing.T) {
	for what, change := range map[string]func(s *SegmentInfo){
		"number of a segment": func(s *SegmentInfo) { s.ValuesFile = 14 },
		"number of deletes":   func(s *SegmentInfo) { s.ValuesFile = s.DeletesFile },
		"number of others":    func(s *SegmentInfo) { s.ValuesFile = 17 },
		"number too high":     func(s *SegmentInfo) { s.ValuesFile = 300 },
		"id of none":          func(s *SegmentInfo) { s.ValuesFile = 0 },
	} {
		m := valuesManifest()
		change(&m.Segments[0])
		if m.check() == nil {
			t.Errorf("%s: not refused when written", what)
		}
		if what == "id of none" { // which cannot be written
			continue
		}
		if _, err := ReadManifest("m", manifestFile(t, AppendManifest(nil, m))); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Segments are equal only if all that is said of them is.
func TestSegmentInfoEqual(t *testing.T) {
	a := valuesManifest().Segments[0]
	for i := range reflect.TypeOf(a).NumField() {
		b := valuesManifest().Segments[0]
		if !a.Equal(b) {
			t.Fatal("it differs from itself")
		}
		name := reflect.TypeOf(a).Field(i).Name
		switch f := reflect.ValueOf(&b).Elem().Field(i); {
		case f.CanUint():
			f.SetUint(f.Uint() + 1)
		case f.CanInt():
			f.SetInt(f.Int() + 1)
		case f.Kind() == reflect.Array:
			f.Index(7).SetUint(f.Index(7).Uint() + 1)
		case f.Kind() == reflect.Slice:
			f.Set(f.Slice(0, f.Len()-1))
		default:
			t.Fatalf("%s is a %s", name, f.Type())
		}
		if a.Equal(b) || b.Equal(a) {
			t.Errorf("%s differs, and goes unnoticed", name)
		}
	}
}

// withColumn returns a segment of 9,000 documents with a column of numbers.
func withColumn(t *testing.T) *segment.Segment {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 54))
	m := &segtest.Fields{IDs: make([]string, 9000)}
	f := segtest.FieldModel{Field: schema.Field{ID: 3, Name: "n", Kind: schema.Integer}, Lens: make([]uint32, 9000)}
	for i := range m.IDs {
		m.IDs[i] = string(rune('a'+i%26)) + string(rune('0'+i%9)) + string(rune(0x100+i))
	}
	f.RandomColumn(r, 9000)
	m.Fields = append(m.Fields, f)
	return segtest.Open(t, m.Build(t, segtest.Default()))
}

// A values file is read for the segment and the manifest that name it, and for no others; any flipped bit of it is found.
func TestValuesFile(t *testing.T) {
	seg := withColumn(t)
	s := SegmentInfo{ID: seg.Header().ID, Docs: 9000, ValuesFile: 1, ValuesID: format.ID{3: 7}}
	content, err := build.AppendChanges(s.ValuesID[:], seg, []build.Change{{Doc: 5, Values: []int64{-1, 1 << 40}}, {Doc: 8999}})
	if err != nil {
		t.Fatal(err)
	}
	var f memory
	if err := writeSection(&f, format.KindValues, s.ID, format.SectionValues, content); err != nil {
		t.Fatal(err)
	}
	c, err := ReadValues("v", &f, &s, seg)
	if err != nil || c.Column(0).Len() != 2 {
		t.Fatal(c, err)
	}
	for what, x := range map[string]SegmentInfo{
		"another segment": {ID: format.ID{9}, ValuesFile: 1, ValuesID: s.ValuesID},
		"another file":    {ID: s.ID, ValuesFile: 1, ValuesID: format.ID{8}},
	} {
		var e *format.Error
		if _, err := ReadValues("v", &f, &x, seg); !errors.As(err, &e) || e.Kind != format.ErrCorrupt || e.File != "v" || e.Section != "values" {
			t.Errorf("%s: %v", what, err)
		}
	}
	for bit := range 8 * len(f.b) {
		if bit%64 > 8 && bit > 8*4096 && bit < 8*(len(f.b)-256) { // a part of the blocks
			continue
		}
		f.b[bit/8] ^= 1 << (bit % 8)
		if _, err := ReadValues("v", &f, &s, seg); err == nil {
			t.Fatalf("flipped bit %d of byte %d goes unnoticed", bit%8, bit/8)
		}
		f.b[bit/8] ^= 1 << (bit % 8)
	}
}
