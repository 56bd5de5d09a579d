package dump_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/dump"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// The fields of a values file explain each of its bytes, block by block.
func TestValues(t *testing.T) {
	const docs = 9000
	m := &segtest.Fields{}
	for i := range docs {
		m.IDs = append(m.IDs, string(rune(0x4000+i)))
	}
	f := segtest.FieldModel{Field: schema.Field{ID: 3, Name: "n", Kind: schema.Integer}, Lens: make([]uint32, docs)}
	f.RandomColumn(rand.New(rand.NewPCG(1, 7)), docs)
	m.Fields = append(m.Fields, f)
	s := segtest.Open(t, m.Build(t, segtest.Default()))
	content, err := build.AppendChanges(make([]byte, 16), s, []build.Change{{Doc: 5, Values: []int64{7}}, {Doc: 8999}})
	if err != nil {
		t.Fatal(err)
	}
	var b damage.Memory
	w := format.NewFileWriter(&b, format.KindValues, s.Header().ID)
	w.Begin(format.SectionValues, format.SectionRequired)
	w.Write(content)
	w.End()
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	fields, err := dump.File("values.pin", segment.Aligned(b), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, blocks := int64(0), 0
	for _, f := range fields {
		if f.Length > 0 && f.Offset != at {
			t.Fatalf("field %s at %d, the one before ends at %d", f.Name, f.Offset, at)
		}
		at += f.Length
		if strings.HasPrefix(f.Name, "block ") && strings.HasSuffix(f.Name, "of field 3") {
			blocks++
		}
	}
	if at != int64(len(b)) || blocks != 2 {
		t.Errorf("%d of %d bytes explained, %d blocks", at, len(b), blocks)
	}
}
