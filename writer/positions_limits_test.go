package writer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// placedWorld is a fieldWorld of one field with positions, and one without.
func placedWorld(t *testing.T) *fieldWorld { return placedWorldOf(t, writer.Options{Threads: 1}) }

func placedWorldOf(t *testing.T, o writer.Options) *fieldWorld {
	t.Helper()
	x := &fieldWorld{fs: memfs.New(), docs: map[string][]worldValue{}}
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "placed", Kind: schema.Text, Analyzer: stackName, Positions: true},
		{Name: "stacked", Kind: schema.Text, Analyzer: stackName},
	}}
	o.Schema = s
	var err error
	if x.w, err = writer.OpenFS(t.Context(), x.fs, o); err != nil {
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
	if err := x.w.Add(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

// Terms that stand more often in a batch than a run keeps with it have their positions, also beside
// documents that are replaced; so has the greatest position.
func TestManyPositions(t *testing.T) {
	longtest.Once(t)
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
	r, err := reader.Open(t.Context(), reader.FromStore(x.fs), reader.Options{})
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

// A document with a position that is too great is not added, and all others are, also those of its batch and of its id. The
// Writer tells of it. Where no positions are kept there is no such limit.
func TestPositionLimit(t *testing.T) {
	for _, large := range []bool{false, true} {
		for _, told := range []bool{false, true} {
			t.Run(fmt.Sprintf("large=%v,told=%v", large, told), func(t *testing.T) { testPositionLimit(t, large, told) })
		}
	}
}

func testPositionLimit(t *testing.T, large, told bool) {
	var refused []error
	o := writer.Options{Threads: 1}
	if told {
		o.Refused = func(id []byte, err error) {
			if string(id) != "far" {
				t.Errorf("document %q is refused", id)
			}
			refused = append(refused, err)
		}
	}
	if large {
		o.SetLarge(1, 1)
	}
	x := placedWorldOf(t, o)
	x.addTexts(t, "fine", 1, "+4294967295 +4294967295 a")
	x.addTexts(t, "far", 0, "b a b")
	kept := x.docs["far"]
	x.addTexts(t, "a", 0, "a b", "", "c")
	d := writer.Doc{ID: []byte("far"), Values: []schema.Value{
		schema.TextValue(1, []byte("a new")), schema.TextValue(0, []byte("c +2147483640 a other")), schema.TextValue(0, []byte("b c")), schema.TextValue(1, []byte("a"))}}
	err := x.w.Add(t.Context(), d)
	if !large {
		if err != nil {
			t.Fatal(err)
		}
		if err = x.w.Flush(t.Context()); told {
			if err != nil || len(refused) != 1 {
				t.Fatalf("flushed: %v, told %v", err, refused)
			}
			err = refused[0]
		}
	}
	if !errors.Is(err, writer.ErrDocument) || !strings.Contains(err.Error(), `"far": field "placed": position 2147483`) {
		t.Errorf("refused: %v", err)
	}
	x.docs["far"] = kept
	x.addTexts(t, "z", 0, "b a", "c d")
	x.addTexts(t, "y", 1, "new other")
	if err := x.w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := reader.Open(t.Context(), reader.FromStore(x.fs), reader.Options{})
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
	if s.Stats().Live != uint64(len(x.docs)) {
		t.Errorf("%d documents, want %d", s.Stats().Live, len(x.docs))
	}
	x.checkPositions(t, s, &x.schema.Fields[0])
}

// Documents keep their stored values beside ones that are refused, also where a whole batch is.
func TestStoredBesideRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs, refused := memfs.New(), 0
		o := writer.Options{Threads: rapid.IntRange(1, 2).Draw(t, "threads"), Refused: func([]byte, error) { refused++ }, Schema: &schema.Schema{
			Fields: []schema.Field{{Name: "placed", Kind: schema.Text, Analyzer: stackName, Positions: true, Stored: true}}}}
		o.SetBatch(rapid.IntRange(1, 500).Draw(t, "batch"))
		w, err := writer.OpenFS(t.Context(), fs, o)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		bad := rapid.SliceOfN(rapid.Bool(), 1, 60).Draw(t, "bad")
		texts := map[string]string{}
		for i := range bad {
			id, text := fmt.Sprint(i), strings.Repeat(fmt.Sprint("word", i, " "), i%7)
			if bad[i] {
				text += "+2147483647 z z"
			} else {
				texts[id] = text
			}
			if err := w.Add(t.Context(), writer.Doc{ID: []byte(id), Values: []schema.Value{schema.TextValue(0, text)}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil || refused != len(bad)-len(texts) {
			t.Fatalf("%d refused of %d, %v", refused, len(bad)-len(texts), err)
		}
		r, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		s, err := r.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Verify(t.Context()); err != nil || s.Stats().Live != uint64(len(texts)) {
			t.Fatalf("%d documents, want %d, %v", s.Stats().Live, len(texts), err)
		}
		for id, want := range texts {
			doc, ok, err := s.FindID([]byte(id))
			if err != nil || !ok {
				t.Fatalf("document %s: %t, %v", id, ok, err)
			}
			rec, err := s.AppendStored(nil, doc)
			for v, bad := range record.Values(s.Schema(), rec) {
				value, wrong := v.Value(0, schema.Text)
				if err = errors.Join(err, bad, wrong); value.String() != want {
					t.Errorf("document %s has %q, want %q", id, value, want)
				}
			}
			if err != nil || len(rec) == 0 {
				t.Fatalf("document %s: %d bytes, %v", id, len(rec), err)
			}
		}
	})
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
	r, err := reader.Open(t.Context(), reader.FromStore(x.fs), reader.Options{})
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
