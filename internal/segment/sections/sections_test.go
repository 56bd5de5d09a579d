package sections_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/dump"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/internal/segment/sections"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// TestRows: every row has all functions and says the same as format.Sections.
func TestRows(t *testing.T) {
	straight, seen := 0, map[format.SectionID]bool{}
	all := slices.Collect(sections.Tools())
	for row := range sections.All() {
		if len(all) == 0 {
			t.Fatalf("no tools for %v", row.IDs)
		}
		tools := all[0]
		all = all[1:]
		if len(row.IDs) == 0 || row.Check == nil || row.Work <= 0 || tools.Dump == nil || row.Build != nil && tools.Find == nil || !slices.Equal(tools.IDs, row.IDs) {
			t.Errorf("the row of %v is not complete", row.IDs)
		}
		if row.Straight {
			straight++
		}
		for _, id := range row.IDs {
			x, ok := id.Info()
			if !ok || x.Kind != format.KindSegment || x.Required || (x.Side == format.SideDocs) != (row.Build != nil) || seen[id] || sections.ToolsOf(id) != tools {
				t.Errorf("row of %v: %+v", id, x)
			}
			seen[id] = true
		}
	}
	if straight > 1 {
		t.Errorf("%d rows are written straight", straight)
	}
	for x := range format.Sections() {
		if x.Kind == format.KindSegment && x.Required == seen[x.ID] {
			t.Errorf("%s: required %t, optional %t", x.Name, x.Required, seen[x.ID])
		}
	}
}

// model returns a segment with all sections that one of that many documents has, each of more
// than a few bytes.
func model(t *testing.T, docs int) []byte {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}}
	for i := range docs {
		m.IDs = append(m.IDs, string([]byte{'a' + byte(i/10_000), 'a' + byte(i/1000%10), 'a' + byte(i/100%10), 'a' + byte(i/10%10), 'a' + byte(i%10)}))
		m.Texts = append(m.Texts, "often rare")
		m.Lens = append(m.Lens, 0)
	}
	var often []segtest.Posting
	for i := range uint32(docs) {
		often = append(often, segtest.P(i, 1+i%3))
	}
	m.AddList("often", often)
	m.AddList("rare", segtest.Pairs(7, 1, 9, 2))
	w := segtest.Default()
	w.Stored = true
	return m.Build(t, w)
}

// columnsModel returns a segment with columns of blocks in every form.
func columnsModel(t *testing.T) []byte {
	const docs = 9000
	m := &segtest.Fields{}
	numbers := [4][][]int64{}
	words := make([][]string, docs)
	for i := range docs {
		m.IDs = append(m.IDs, fmt.Sprint(i))
		n := int64(i)
		numbers[0] = append(numbers[0], []int64{n * n % 1021}) // slots
		numbers[1] = append(numbers[1], []int64{3 * n})        // ascending
		numbers[2] = append(numbers[2], []int64{7, 1000 - n/9, 1000 + n})
		numbers[3] = append(numbers[3], nil)
		if i%5 == 0 {
			numbers[3][i] = []int64{n << 40 % 10007}
			words[i] = []string{fmt.Sprint("word", i%77)}
		}
	}
	for i, name := range []string{"a", "b", "c", "d"} {
		m.Fields = append(m.Fields, segtest.FieldModel{Field: schema.Field{ID: uint32(i + 1), Name: name, Kind: schema.Integer, Column: true}, Values: numbers[i]})
	}
	m.Fields = append(m.Fields,
		segtest.FieldModel{Field: schema.Field{ID: 5, Name: "e", Kind: schema.Keyword, Column: true, Index: schema.IndexNone}, Words: words},
		segtest.FieldModel{Field: schema.Field{ID: 6, Name: "f", Kind: schema.Keyword, Index: schema.IndexNone, Stored: true}})
	return m.Build(t, segtest.Default())
}

// positionsModel returns a segment with positions of lists of every kind, in one of three fields.
func positionsModel(t *testing.T) []byte {
	const docs = 600
	m := &segtest.Fields{}
	for i := range docs {
		m.IDs = append(m.IDs, fmt.Sprint(i))
	}
	for i, name := range []string{"a", "b", "c"} {
		f := segtest.FieldModel{Field: schema.Field{ID: uint32(i + 1), Name: name, Kind: schema.Text}, Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, docs)}
		for j := range uint32(40) {
			var ps []segtest.Posting
			for d := range uint32(1 + 37*j*j%docs) {
				ps = append(ps, segtest.P(d, 1+(d*j+3)%7))
				f.Lens[d] += ps[d].TF
			}
			f.Lists[fmt.Sprintf("term%02d", j)] = ps
		}
		if name == "b" {
			f.Positions = true
			f.RandomPositions(rand.New(rand.NewPCG(3, 7)))
		}
		m.Fields = append(m.Fields, f)
	}
	return m.Build(t, segtest.Default())
}

// vectorsModel returns a segment with fields of one vector for each document, of several for some, and of none.
func vectorsModel(t *testing.T) []byte {
	const docs = 300
	m, r := &segtest.Fields{}, rand.New(rand.NewPCG(3, 7))
	for i := range docs {
		m.IDs = append(m.IDs, fmt.Sprint(i))
	}
	for i, name := range []string{"a", "b", "c"} {
		f := segtest.RandomVectors(r, uint32(i+1), name, docs)
		for doc := range f.Vectors {
			if v := slices.Repeat([]float32{1, float32(doc)}, f.Dims)[:f.Dims]; name == "a" {
				f.Vectors[doc] = [][]float32{v}
			} else if f.Vectors[doc] = nil; name == "b" && doc%3 > 0 {
				f.Vectors[doc] = [][]float32{v, v}
			}
		}
		m.Fields = append(m.Fields, f)
	}
	m.Fields = append(m.Fields, segtest.FieldModel{Field: schema.Field{ID: 9, Name: "d", Kind: schema.Integer, Column: true}, Values: make([][]int64, docs)})
	return m.Build(t, segtest.Default())
}

// TestFunctions: for every section of segments, required or not, there is what builds it,
// refuses bytes that mean nothing, shows all of it, and finds it without a section table.
func TestFunctions(t *testing.T) {
	columns := func(id format.SectionID) bool { return id == format.SectionColumns || id == format.SectionColumnBounds }
	positions := func(id format.SectionID) bool {
		return id == format.SectionPositions || id == format.SectionPositionIndex
	}
	vectors := func(id format.SectionID) bool {
		return id == format.SectionVectors || id == format.SectionVectorFloats
	}
	functions(t, model(t, 300), func(id format.SectionID) bool {
		return id != format.SectionFields && id != format.SectionFrequent && !columns(id) && !positions(id) && !vectors(id)
	})
	functions(t, positionsModel(t), positions)
	functions(t, vectorsModel(t), vectors)
	functions(t, columnsModel(t), func(id format.SectionID) bool { return id == format.SectionFields || columns(id) })
	functions(t, model(t, 65_537), func(id format.SectionID) bool { return id == format.SectionFrequent }) // which only long ones have
}

// functions is TestFunctions with a segment that is to have the sections of which is.
func functions(t *testing.T, good []byte, is func(format.SectionID) bool) {
	t.Helper()
	s, err := segment.Open("good", segment.Aligned(good))
	if err != nil {
		t.Fatal(err)
	}
	lost := bytes.Clone(good)
	clear(lost[:s.Header().FrontSize()])
	clear(lost[len(lost)-format.FooterSize:])
	mended, err := salvage.Mend("lost", segment.Aligned(lost), salvage.Known{ID: s.Header().ID})
	if err != nil {
		t.Fatal(err)
	}
	found, err := segment.Open("mended", mended.Data)
	if err != nil {
		t.Fatal(err)
	}
	for row := range format.Sections() {
		sec, has := s.Header().Section(row.ID)
		if row.Kind != format.KindSegment || !is(row.ID) {
			continue
		}
		if !has {
			t.Errorf("%s: not built", row.Name)
			continue
		}
		bad := segment.Aligned(bytes.Clone(good))
		for i := range bad[sec.Offset:][:sec.Length] {
			bad[sec.Offset:][i] = 0xff
		}
		if row.ID != format.SectionPageSums { // which are checksums
			segtest.Repair(bad)
		}
		x, err := segment.Open("bad", bad)
		if err == nil {
			err = check.Segment(t.Context(), x, check.Options{})
		}
		if !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: %v", row.Name, err)
		}
		fields, err := dump.File("good", segment.Aligned(good), dump.Options{Sections: []format.SectionID{row.ID}})
		n := int64(0)
		for _, f := range fields {
			n += f.Length
		}
		if err != nil || n != sec.PaddedLength() || slices.ContainsFunc(fields, func(f dump.Field) bool { return f.Name == dump.More }) {
			t.Errorf("%s: %d of %d bytes are shown: %v", row.Name, n, sec.PaddedLength(), err)
		}
		if again, _ := found.Header().Section(row.ID); again != sec {
			t.Errorf("%s: found as %+v, not %+v", row.Name, again, sec)
		}
	}
}

// TestUnknown: a segment with an optional section of a later version opens, passes checks
// and is shown, and salvage says that it does not copy the section.
func TestUnknown(t *testing.T) {
	const unknown format.SectionID = 1000
	f, err := damage.Parse(model(t, 300))
	if err != nil {
		t.Fatal(err)
	}
	f.Sections = slices.Insert(f.Sections, 1, damage.Section{ID: unknown, Content: []byte("later")})
	file := segment.Aligned(f.Bytes())
	s, err := segment.Open("later", file)
	if err == nil {
		err = check.Segment(t.Context(), s, check.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	fields, err := dump.File("later", file, dump.Options{Sections: []format.SectionID{unknown}})
	if err != nil || len(fields) != 3 || string(fields[1].Bytes) != "later" {
		t.Error(fields, err)
	}
	x := salvage.New(s, s, func(uint32) bool { return false })
	for d := range x.Docs() {
		if string(d.Text) != "often rare" {
			t.Fatal(string(d.Text))
		}
	}
	if !slices.ContainsFunc(x.Losses(), func(l salvage.Loss) bool { return l.What == "sections" && l.Where == "section 1000" }) {
		t.Error(x.Losses())
	}
}
