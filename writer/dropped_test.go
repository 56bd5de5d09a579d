package writer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// newIndex returns the path of an index with a schema and the documents, committed.
func newIndex(t *testing.T, s *schema.Schema, docs ...writer.Doc) string {
	t.Helper()
	path := t.TempDir()
	w, err := writer.Open(t.Context(), path, writer.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if err := w.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// contents returns the fields of the only segment of an index, each with its terms, and the
// fields of the stored values of all documents.
func contents(t *testing.T, path string) (fields, stored []string) {
	t.Helper()
	r, err := reader.Open(t.Context(), reader.Dir(path), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(t.Context()); err != nil || len(s.Segments()) != 1 {
		t.Fatalf("%d segments, %v", len(s.Segments()), err)
	}
	seg := s.Segments()[0]
	for _, f := range s.Schema().Fields {
		text := fmt.Sprint(f.ID, " ", f.Name)
		in, ok := seg.Field(f.Name)
		if !ok {
			t.Fatalf("field %s is missing", f.Name)
		}
		for terms := in.Terms(nil); terms.Next(); {
			text += " " + string(terms.Term())
		}
		fields = append(fields, text)
	}
	for doc := range seg.Docs() {
		rest, err := seg.AppendStored(nil, doc)
		for err == nil && len(rest) > 0 {
			var v record.Stored
			if v, rest, err = record.Next(rest); err == nil {
				stored = append(stored, fmt.Sprint(v.ID))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return fields, stored
}

var abSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "a", Kind: schema.Text, Stored: true}, {Name: "b", Kind: schema.Text, Stored: true},
}}

func abDoc(id, a, b string) writer.Doc {
	return writer.Doc{ID: []byte(id), Values: []schema.Value{schema.TextValue(0, []byte(a)), schema.TextValue(1, []byte(b))}}
}

// Merges and reorders leave out what fields had that have been dropped, also of an index that
// has used the same id for another field, and know fields that have other names by their ids.
func TestDroppedFields(t *testing.T) {
	path := newIndex(t, abSchema, abDoc("1", "one x", "two y"))
	change := func(f func(s *schema.Schema) (*schema.Schema, error), then func(w *writer.Writer) error) {
		t.Helper()
		w, err := writer.Open(t.Context(), path, writer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := f(w.Schema())
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		if w, err = writer.Open(t.Context(), path, writer.Options{Schema: s}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(then(w), w.Commit(t.Context()), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	drop := func(s *schema.Schema) (*schema.Schema, error) {
		s, err := s.Drop("b")
		if err != nil {
			return nil, err
		}
		return s.Rename("a", "z")
	}
	change(drop, func(w *writer.Writer) error {
		_, err := w.Merge(t.Context(), writer.MergeOptions{Order: writer.OrderRandom})
		return errors.Join(err, w.Add(t.Context(), writer.Doc{ID: []byte("2"), Values: []schema.Value{schema.TextValue(0, []byte("three"))}}))
	})
	add := func(s *schema.Schema) (*schema.Schema, error) {
		return s.Add(schema.Field{Name: "c", Kind: schema.Keyword, Stored: true})
	}
	change(add, func(w *writer.Writer) error {
		err := w.Add(t.Context(), writer.Doc{ID: []byte("3"), Values: []schema.Value{schema.KeywordValue(1, []byte("key word"))}})
		_, merr := w.Merge(t.Context(), writer.MergeOptions{MaxSegments: 1})
		return errors.Join(err, merr)
	})
	fields, stored := contents(t, path)
	if fmt.Sprint(fields) != "[1 z one three x 3 c key word]" || fmt.Sprint(stored) != "[1 1 3]" {
		t.Errorf("fields %q, stored values of fields %q", fields, stored)
	}
}

// MergeInto gives a new index the schema of its sources, and refuses fields that differ.
func TestMergeIntoFields(t *testing.T) {
	one, two := newIndex(t, abSchema, abDoc("1", "one", "two")), newIndex(t, abSchema, abDoc("2", "three", "four"), abDoc("1", "five", ""))
	out := t.TempDir()
	if _, err := writer.MergeInto(t.Context(), out, []store.ReadFS{store.Dir(one), store.Dir(two)}, writer.Options{}, writer.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	fields, stored := contents(t, out)
	if fmt.Sprint(fields) != "[1 a five three 2 b four]" || fmt.Sprint(stored) != "[1 2 1 2]" {
		t.Errorf("fields %q, stored values of fields %q", fields, stored)
	}
	plain := t.TempDir()
	w, err := writer.Open(t.Context(), plain, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Add(t.Context(), writer.Text([]byte("4"), nil)), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	stranger := &schema.Schema{Fields: []schema.Field{{Name: "x", Kind: schema.Text}, {Name: "a", Kind: schema.Text, Stored: true}}}
	for name, tt := range map[string]struct {
		path, want string
	}{
		"another id":   {newIndex(t, stranger, abDoc("3", "x", "y")), `"`},
		"a field more": {newIndex(t, &schema.Schema{Fields: append(slices.Clone(abSchema.Fields), stranger.Fields[0])}, abDoc("3", "x", "y")), `"x"`},
		"no schema":    {plain, "schema"},
	} {
		_, err := writer.MergeInto(t.Context(), out, []store.ReadFS{store.Dir(tt.path)}, writer.Options{}, writer.MergeOptions{})
		if !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := writer.MergeInto(t.Context(), plain, []store.ReadFS{store.Dir(one)}, writer.Options{}, writer.MergeOptions{}); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("into an index without a schema: %v", err)
	}
	if again, _ := contents(t, out); fmt.Sprint(again) != fmt.Sprint(fields) {
		t.Errorf("a failed merge has changed the index: %q", again)
	}
}

// Policies see the tokens of deleted documents in all fields.
func TestPolicyTokens(t *testing.T) {
	var last []writer.SegmentStats
	policy := func(s []writer.SegmentStats) []writer.Run {
		last = slices.Clone(s)
		return nil
	}
	w, err := writer.Open(t.Context(), t.TempDir(), writer.Options{Schema: abSchema, MergePolicy: policy})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := errors.Join(w.Add(t.Context(), abDoc("1", "one two", "three")), w.Add(t.Context(), abDoc("2", "four", "five")), w.Commit(t.Context()),
		w.Delete(t.Context(), []byte("1")), w.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if want := []writer.SegmentStats{{Docs: 2, Deleted: 1, Tokens: 5, DeletedTokens: 3}}; !slices.Equal(last, want) {
		t.Errorf("statistics %+v, want %+v", last, want)
	}
}
