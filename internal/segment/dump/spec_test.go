package dump_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/dump"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

var update = flag.Bool("update", false, "rewrite the worked bytes in FORMAT.md")

// render formats fields the way FORMAT.md does, with offsets relative to base.
func render(fields []dump.Field, base int64) string {
	var out strings.Builder
	for _, f := range fields {
		if f.Length == 0 {
			fmt.Fprintf(&out, "\n%s\n", f.Name)
			continue
		}
		text := strings.TrimSpace(f.Name + "  " + f.Value)
		if f.Name == "  bits" {
			text += "; first bit first: " + bits(f.Bytes)
		}
		b := f.Bytes
		if len(b) > 64 {
			text, b = fmt.Sprintf("%s, %d bytes in all", text, len(b)), b[:16]
		}
		for i := 0; i < len(b); i += 16 {
			line := fmt.Sprintf("%04x  %-47s  %s", f.Offset-base+int64(i), fmt.Sprintf("% x", b[i:min(i+16, len(b))]), text)
			out.WriteString(strings.TrimRight(line, " ") + "\n")
			text = ""
		}
	}
	return strings.TrimLeft(out.String(), "\n")
}

func bits(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		for i := range 8 {
			s.WriteByte('0' + c>>i&1)
		}
	}
	return s.String()
}

func workedSegment(t *testing.T) string {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 3)}
	m.IDs = []string{"a1", "a2", "b"}
	m.Texts = []string{"apply", "apple apply apply", "apply bee bee bee"}
	m.AddList("apple", segtest.Pairs(1, 1))
	m.AddList("apply", segtest.Pairs(0, 1, 1, 2, 2, 1))
	m.AddList("bee", segtest.Pairs(2, 3))
	w := segtest.Default()
	w.Stored = true
	fields, err := dump.File("worked.pin", segment.Aligned(m.Build(t, w)), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return render(fields, 0)
}

func workedExtent(t *testing.T) string {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 1000)}
	var ps []segtest.Posting
	for i := range uint32(130) {
		ps = append(ps, segtest.P(2*i, 1))
	}
	ps[129].TF = 3
	m.AddList("even", ps)
	for i := range m.Lens {
		m.Lens[i] = 20
		m.IDs = append(m.IDs, fmt.Sprint(i))
	}
	return extentOf(t, m.Build(t, segtest.Default()), "even")
}

// workedImpacts returns the extent of a field of impacts.
func workedImpacts(t *testing.T) string {
	m := &segtest.Fields{Fields: []segtest.FieldModel{{Field: schema.Field{ID: 1, Name: "v", Kind: schema.Impacts}, Lists: map[string][]segtest.Posting{}}}}
	for i := range uint32(130) {
		m.Fields[0].Lists["even"] = append(m.Fields[0].Lists["even"], segtest.P(2*i, 1+i%128))
	}
	for i := range 300 {
		m.IDs = append(m.IDs, fmt.Sprint(i))
	}
	return extentOf(t, m.Build(t, segtest.Default()), "even")
}

// extentOf returns the extent of a term.
func extentOf(t *testing.T, b []byte, term string) string {
	fields, err := dump.Term("worked.pin", segment.Aligned(b), []byte(term), 0)
	if err != nil {
		t.Fatal(err)
	}
	for len(fields) > 0 && !strings.HasPrefix(fields[0].Name, "extent") {
		fields = fields[1:]
	}
	return render(fields[1:], fields[0].Offset)
}

// workedFields returns the sections that differ in a segment with two fields.
func workedFields(t *testing.T) string {
	m := &segtest.Fields{IDs: []string{"a1", "a2", "b"}, Fields: []segtest.FieldModel{
		{Field: schema.Field{ID: 2, Name: "body", Kind: schema.Text, Analyzer: "simple", Lengths: schema.LengthsByte},
			Lists: map[string][]segtest.Posting{"apple": segtest.Pairs(1, 41), "apply": segtest.Pairs(0, 1, 1, 2)}, Lens: []uint32{1, 43, 0}},
		{Field: schema.Field{ID: 1, Name: "tag", Kind: schema.Keyword},
			Lists: map[string][]segtest.Posting{"apple pie": segtest.Pairs(0, 1, 2, 1)}},
	}}
	fields, err := dump.File("worked.pin", segment.Aligned(m.Build(t, segtest.Default())), dump.Options{Sections: []format.SectionID{
		format.SectionTerms, format.SectionTermIndex, format.SectionDocLengths, format.SectionFields, format.SectionMeta}})
	if err != nil {
		t.Fatal(err)
	}
	return render(fields, 0)
}

// workedFrequent returns section FREQUENT of a segment that is long enough to have it.
func workedFrequent(t *testing.T) string {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 65_600)}
	for i := range m.Lens {
		m.IDs = append(m.IDs, fmt.Sprint(i))
	}
	for term, n := range map[string]uint32{"a": 1025, "b": 9000, "c": 40_000, "d": 9000} {
		var ps []segtest.Posting
		for i := range n {
			ps = append(ps, segtest.P(i, 1))
		}
		m.AddList(term, ps)
	}
	fields, err := dump.File("worked.pin", segment.Aligned(m.Build(t, segtest.Default())), dump.Options{Sections: []format.SectionID{format.SectionFrequent}})
	if err != nil {
		t.Fatal(err)
	}
	return render(fields, 0)
}

// workedColumns returns the sections of columns of a segment with fields of each form.
func workedColumns(t *testing.T) string {
	m := &segtest.Fields{Fields: []segtest.FieldModel{
		{Field: schema.Field{ID: 1, Name: "at", Kind: schema.Time, Column: true, Unit: schema.UnitSecond}},
		{Field: schema.Field{ID: 2, Name: "level", Kind: schema.Keyword, Index: schema.IndexNone, Column: true}},
		{Field: schema.Field{ID: 3, Name: "price", Kind: schema.Integer, Column: true}},
	}}
	for i := range int64(130) {
		m.IDs = append(m.IDs, fmt.Sprint(i))
		m.Fields[0].Values = append(m.Fields[0].Values, []int64{1_795_683_600 + 10*i + i/129*5})
		m.Fields[1].Words = append(m.Fields[1].Words, nil)
		m.Fields[2].Values = append(m.Fields[2].Values, nil)
		if i < 3 {
			m.Fields[1].Words[i] = []string{"error", "info"}[:2-i/2]
			m.Fields[2].Values[i] = []int64{100 + 25*i*i}
		}
	}
	fields, err := dump.File("worked.pin", segment.Aligned(m.Build(t, segtest.Default())), dump.Options{Sections: []format.SectionID{
		format.SectionColumns, format.SectionColumnBounds}})
	if err != nil {
		t.Fatal(err)
	}
	return render(fields, 0)
}

// workedPositions returns the sections of positions of a segment.
func workedPositions(t *testing.T) string {
	m := &segtest.Fields{IDs: []string{"0", "1", "2"}, Fields: []segtest.FieldModel{{
		Field: schema.Field{ID: 1, Name: "body", Kind: schema.Text, Analyzer: "simple", Positions: true},
		Lens:  []uint32{6, 1, 130},
		Lists: map[string][]segtest.Posting{"to": segtest.Pairs(0, 2), "be": segtest.Pairs(0, 2, 1, 1), "or": segtest.Pairs(0, 1),
			"not": segtest.Pairs(0, 1), "la": segtest.Pairs(2, 130)},
		Gaps: map[string][]uint32{"to": {0, 3}, "be": {1, 3, 0}, "or": {2}, "not": {3}, "la": make([]uint32, 130)},
	}}}
	m.Fields[0].Gaps["la"][127] = 300
	fields, err := dump.File("worked.pin", segment.Aligned(m.Build(t, segtest.Default())), dump.Options{Sections: []format.SectionID{
		format.SectionPositions, format.SectionPositionIndex}})
	if err != nil {
		t.Fatal(err)
	}
	return render(fields, 0)
}

// The worked examples in FORMAT.md are what the builder writes and package dump decodes.
func TestWorkedBytes(t *testing.T) {
	const file = "../../../format/FORMAT.md"
	spec, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(spec)
	for name, text := range map[string]string{"segment": workedSegment(t), "extent": workedExtent(t), "fields": workedFields(t), "frequent": workedFrequent(t), "columns": workedColumns(t), "positions": workedPositions(t), "impacts": workedImpacts(t)} {
		begin, end := "<!-- begin worked "+name+" -->\n", "<!-- end worked "+name+" -->"
		i, j := strings.Index(doc, begin), strings.Index(doc, end)
		if i < 0 || j < 0 {
			t.Fatalf("no place for the worked %s in FORMAT.md", name)
		}
		want := begin + "\n```\n" + text + "```\n\n"
		if doc[i:j] != want && !*update {
			t.Errorf("the worked %s in FORMAT.md is not what is written today; run go test ./internal/segment/dump -update", name)
		}
		doc = doc[:i] + want + doc[j:]
	}
	if *update {
		if err := os.WriteFile(file, []byte(doc), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
