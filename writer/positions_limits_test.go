package writer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// placedWorld is a fieldWorld of one field with positions, and one without.
func placedWorld(t *testing.T) *fieldWorld {
	t.Helper()
	x := &fieldWorld{fs: memfs.New(), docs: map[string][]worldValue{}}
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "placed", Kind: schema.KindText, Analyzer: stackName, Index: schema.IndexPositions},
		{Name: "stacked", Kind: schema.KindText, Analyzer: stackName},
	}}
	var err error
	if x.w, err = writer.OpenFS(t.Context(), x.fs, writer.Options{Schema: s, Threads: 1}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.w.Close() })
	x.schema = x.w.Schema()
	return x
}

func (x *fieldWorld) addTexts(t *testing.T, id string, field int, texts ...string) {
	t.Helper()
	d := writer.Doc{ID: []byte(id)}
	x.docs[id] = nil
	for _, text := range texts {
		v := schema.TextValue(field, []byte(text))
		d.Values = append(d.Values, v)
		x.docs[id] = append(x.docs[id], worldValue{x.schema.Fields[field].ID, v})
	}
	if err := x.w.AddDoc(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

// Terms that stand more often in a batch than a run keeps with it have their positions, also beside
// documents that are replaced; so has the greatest position.
func TestManyPositions(t *testing.T) {
	x := placedWorld(t)
	x.addTexts(t, "a", 0, strings.Repeat("b ", 20_000)+strings.Repeat("c +70000 b|c|b ", 9000))
	x.addTexts(t, "gone", 0, strings.Repeat("b d ", 20_000))
	x.addTexts(t, "z", 0, "+2147483647 z", "")
	for i := range 300 {
		x.addTexts(t, fmt.Sprint(i), 0, strings.Repeat("c b", i), "b", "", "c b")
	}
	if err := x.w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	x.addTexts(t, "a2", 0, strings.Repeat("e b ", 30_000))
	x.addTexts(t, "gone", 1, "b")
	if _, err := x.w.Merge(t.Context(), writer.MergeOptions{MaxSegments: 1}); err != nil {
		t.Fatal(err)
	}
	if err := x.w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := reader.OpenFS(x.fs)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	x.checkPositions(t, s, &x.schema.Fields[0])
}

// A position that is too great ends the Writer with an error that names document and field. Where
// none are kept there is no such limit.
func TestPositionLimit(t *testing.T) {
	x := placedWorld(t)
	x.addTexts(t, "fine", 1, "+4294967295 +4294967295 a")
	if err := x.w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	x.addTexts(t, "far", 0, "+2147483640 a", "b")
	err := x.w.Commit(t.Context())
	if err == nil || !strings.Contains(err.Error(), `document "far": field "placed": position 2147483740`) {
		t.Errorf("committed: %v", err)
	}
}

// Lists bring positions of fields that have them, as many as their frequencies say.
func TestInvertedPositions(t *testing.T) {
	x := placedWorld(t)
	in := func(gaps ...uint32) writer.Inverted {
		return writer.Inverted{Fields: []string{"placed", "stacked"},
			Docs: pairsOf([]writer.InvertedDoc{{ID: []byte("a"), Lens: []uint32{3, 1}}, {ID: []byte("b"), Lens: []uint32{1, 0}}}),
			Lists: pairsOf([]writer.InvertedList{
				{Term: []byte("x"), Postings: format.Postings{Docs: []uint32{0, 1}, Freqs: []uint32{3, 1}}, Gaps: gaps},
				{Term: []byte("x"), Field: 1, Postings: format.Postings{Docs: []uint32{0}, Freqs: []uint32{1}}},
			})}
	}
	one := in(0)
	one.Field, one.Fields = "placed", nil
	if err := x.w.AddInverted(t.Context(), one); !errors.Is(err, writer.ErrInvalid) || !strings.Contains(err.Error(), `"placed"`) {
		t.Errorf("lists without positions: %v", err)
	}
	for _, gaps := range [][]uint32{nil, {0, 1, 2}, {0, 1, 1 << 31, 4}, {0, 1, 2, 3, 4}} {
		var bad *writer.ListError
		if err := x.w.AddInverted(t.Context(), in(gaps...)); !errors.As(err, &bad) || bad.Term != "x" {
			t.Errorf("gaps %d: %v", gaps, err)
		}
	}
	if err := x.w.AddInverted(t.Context(), in(5, 0, 2, 7)); err != nil {
		t.Fatal(err)
	}
	x.docs["a"] = []worldValue{{x.schema.Fields[0].ID, schema.TextValue(0, []byte("+5 x x +2 x"))}}
	x.docs["b"] = []worldValue{{x.schema.Fields[0].ID, schema.TextValue(0, []byte("+7 x"))}}
	if err := x.w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := reader.OpenFS(x.fs)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x.checkPositions(t, s, &x.schema.Fields[0])
}
