package reader_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// write lets f change the index in fs, whose schema becomes s.
func write(t *testing.T, fs store.FS, s *schema.Schema, f func(ctx context.Context, w *writer.Writer) error) (now *schema.Schema) {
	t.Helper()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	now = w.Schema()
	if err := errors.Join(f(t.Context(), w), w.Close()); err != nil {
		t.Fatal(err)
	}
	return now
}

// addTo returns a function that adds a document and commits.
func addTo(id string, values ...schema.Value) func(ctx context.Context, w *writer.Writer) error {
	return func(ctx context.Context, w *writer.Writer) error {
		if len(values) == 0 && w.Schema().IsImplicit() {
			values = []schema.Value{schema.TextValue(0, id)}
		}
		return errors.Join(w.Add(ctx, writer.Doc{ID: []byte(id), Values: values}), w.Commit(ctx))
	}
}

// replacement is a directory that another one can take the place of.
type replacement struct{ store.ReadFS }

// A refresh follows a schema that its index may have become, and nothing else that has taken its place: the
// error matches ErrReplaced, and the commit before stays.
func TestReplacedSchema(t *testing.T) {
	text := func(name, analyzer string) schema.Field {
		return schema.Field{Name: name, Kind: schema.Text, Analyzer: analyzer}
	}
	of := func(fields ...schema.Field) *schema.Schema { return &schema.Schema{Fields: fields} }
	ab := of(text("a", "simple"), text("b", "simple"))
	for name, c := range map[string]struct {
		old, new *schema.Schema
		is       error
	}{
		"the same":          {ab, ab, nil},
		"one more":          {ab, of(text("a", "simple"), text("b", "simple"), text("c", "english")), nil},
		"other names":       {ab, of(text("x", "simple"), text("y", "simple")), nil},
		"another analyzer":  {ab, of(text("a", "simple"), text("b", "english")), reader.ErrReplaced},
		"another kind":      {ab, of(schema.Field{Name: "a", Kind: schema.Keyword}, text("b", "simple")), reader.ErrReplaced},
		"one less":          {ab, of(text("a", "simple")), reader.ErrReplaced},
		"none":              {ab, nil, reader.ErrReplaced},
		"instead of none":   {nil, ab, reader.ErrReplaced},
		"none after none":   {nil, nil, nil},
		"another weight":    {ab, of(schema.Field{Name: "a", Kind: schema.Text, Analyzer: "simple", Boost: 2, K1: 2}, text("b", "simple")), nil},
		"stored in another": {ab, of(schema.Field{Name: "a", Kind: schema.Text, Analyzer: "simple", Stored: true}, text("b", "simple")), reader.ErrReplaced},
	} {
		first, second := memfs.New(), memfs.New()
		write(t, first, c.old, addTo("1"))
		write(t, second, c.new, addTo("2"))
		place := &replacement{first}
		x, err := reader.Open(t.Context(), reader.FromStore(place), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		place.ReadFS = second
		for range 2 {
			changed, err := x.Refresh(t.Context())
			if !errors.Is(err, c.is) || changed != (c.is == nil) {
				t.Errorf("%s: %v, %v, want %v", name, changed, err, c.is)
			}
			s, err := x.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			id, err := s.AppendID(nil, 0)
			if want := map[bool]string{true: "2", false: "1"}[c.is == nil]; err != nil || string(id) != want {
				t.Errorf("%s: document %s, %v, want %s", name, id, err, want)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if c.is == nil {
				break
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A schema that was published and never committed need not stay: a later Writer may give the same id to another field.
func TestPublishedSchema(t *testing.T) {
	fs := memfs.New()
	old := write(t, fs, &schema.Schema{Fields: []schema.Field{{Name: "a", Kind: schema.Keyword}}}, addTo("1", schema.KeywordValue(0, []byte("k"))))
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	seen := func(want ...string) {
		t.Helper()
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var names []string
		for _, f := range s.Schema().Fields {
			names = append(names, f.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("fields %q, want %q", names, want)
		}
	}
	seen("a")
	fields := map[string]schema.Kind{"b": schema.Text, "c": schema.Keyword}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		s, err := old.Add(schema.Field{Name: name, Kind: fields[name]})
		if err != nil {
			t.Fatal(err)
		}
		write(t, fs, s, func(ctx context.Context, w *writer.Writer) error {
			if err := errors.Join(w.Add(ctx, writer.Doc{ID: []byte("2")}), w.Publish(ctx)); err != nil {
				return err
			}
			if changed, err := x.RefreshUncommitted(t.Context()); !changed || err != nil {
				t.Errorf("field %s: %v, %v", name, changed, err)
			}
			seen("a", name)
			return nil
		})
		if name == "b" {
			continue // the next refresh finds another publication
		}
		if changed, err := x.Refresh(t.Context()); !changed || err != nil {
			t.Errorf("back from field %s: %v, %v", name, changed, err)
		}
		seen("a")
	}
}
