package writer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// fieldsOf returns the names and ids of a schema's fields.
func fieldsOf(s *schema.Schema) map[string]uint32 {
	m := map[string]uint32{}
	for _, f := range s.Fields {
		m[f.Name] = f.ID
	}
	return m
}

// The index keeps its schema: what extends it adds fields, what is made of it by Rename and Drop
// replaces it, and what contradicts it is refused by name.
func TestSchema(t *testing.T) {
	ctx := context.Background()
	mem := memfs.New()
	title := schema.Field{Name: "title", Kind: schema.Text, Analyzer: "english"}
	year := schema.Field{Name: "year", Kind: schema.Integer, Stored: true}
	open := func(o Options) (*Writer, error) {
		w, err := OpenFS(ctx, mem, o)
		if err != nil {
			return nil, err
		}
		return w, w.Commit(ctx)
	}
	reopened := func(s *schema.Schema) *schema.Schema {
		t.Helper()
		w, err := open(Options{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		got := w.Schema()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		x, err := reader.Open(ctx, reader.FromStore(mem), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		snapshot, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer snapshot.Close()
		if seen := snapshot.Schema(); !seen.Equal(got) {
			t.Fatalf("a reader sees %+v, the writer has %+v", seen, got)
		}
		return got
	}
	s := reopened(&schema.Schema{Fields: []schema.Field{title}})
	if s.Fields[0].ID != 1 || !strings.Contains(s.Fields[0].Options, "stop=") {
		t.Errorf("%+v", s)
	}
	if again := reopened(nil); !s.Equal(again) {
		t.Errorf("%+v, before %+v", again, s)
	}
	// An index without documents takes any schema, with new ids.
	if s = reopened(&schema.Schema{Fields: []schema.Field{year}}); s.Fields[0].ID != 2 {
		t.Errorf("%+v", s)
	}
	if s = reopened(&schema.Schema{Fields: []schema.Field{title, year}}); s.Fields[0].ID != 3 || s.Fields[1].ID != 2 {
		t.Errorf("%+v", s)
	}
	added, err := s.Add(schema.Field{Name: "url", Kind: schema.Keyword})
	if err != nil {
		t.Fatal(err)
	}
	if s = reopened(added); fieldsOf(s)["url"] != 4 {
		t.Errorf("%+v", s)
	}
	renamed, err := s.Rename("title", "headline")
	if err != nil {
		t.Fatal(err)
	}
	dropped, err := renamed.Drop("year")
	if err != nil {
		t.Fatal(err)
	}
	if s = reopened(dropped); len(s.Fields) != 2 || fieldsOf(s)["headline"] != 3 || s.NextID != 5 {
		t.Errorf("%+v", s)
	}
	for _, text := range []*schema.Schema{schema.Implicit("simple", "", false), schema.Implicit("", "", true), schema.Implicit("", "", false)} {
		if _, err := open(Options{Schema: text}); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), `none of which is called "text"`) {
			t.Errorf("one text, in fields: %v", err)
		}
	}
	for says, f := range map[string]schema.Field{
		`field "a": analysis: unknown analyzer`: {Name: "a", Kind: schema.Text, Analyzer: "none such"},
		`field "b": `:                           {Name: "b", Kind: schema.Text, Analyzer: "english", Options: "x=y"},
		`field "c": it has no kind`:             {Name: "c"},
	} {
		if _, err := open(Options{Schema: &schema.Schema{Fields: []schema.Field{f}}}); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; it should say %s", err, says)
		}
	}
	w, err := open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Add(ctx, Text([]byte("a"), []byte("rose"))); !errors.Is(err, ErrDocument) {
		t.Errorf("a document without fields: %v", err)
	}
}

// An index with fields keeps them for who asks for one text, also without documents: that is its field of this name, of which the
// analyzer must be the one asked for.
func TestImplicitOfFields(t *testing.T) {
	ctx, mem := t.Context(), memfs.New()
	w := mustOpen(t, mem, Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Analyzer: "english"}, {Name: "k", Kind: schema.Keyword}}}})
	made := w.Schema()
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		for _, asked := range []*schema.Schema{schema.Implicit("", "", false), schema.Implicit("english", "", false)} {
			w := mustOpen(t, mem, Options{Schema: asked})
			if got := w.Schema(); !got.Equal(made) {
				t.Errorf("%d documents: %+v, was %+v", n, got, made)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for _, asked := range []*schema.Schema{schema.Implicit("", "", true), schema.Implicit("simple", "", false)} {
			if _, err := OpenFS(ctx, mem, Options{Schema: asked}); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), `field "text"`) {
				t.Errorf("%d documents, %+v: %v", n, asked.Fields[0], err)
			}
		}
		w := mustOpen(t, mem, Options{})
		if err := errors.Join(w.Add(ctx, Doc{ID: []byte("a"), Values: []schema.Value{schema.TextValue(0, []byte("rose"))}}), w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// What a writer is not told, the index tells: also one without documents.
func TestRecorded(t *testing.T) {
	ctx := context.Background()
	mem := memfs.New()
	for _, test := range []struct {
		o      Options
		keep   int
		stored bool
	}{
		{Options{}, 1, false},
		{Options{Schema: schema.Implicit("", "", true), KeepCommits: 3}, 3, true},
		{Options{}, 3, true},
		{Options{KeepCommits: 2}, 2, true},
		{Options{}, 2, true},
	} {
		w, err := OpenFS(ctx, mem, test.o)
		if err != nil {
			t.Fatal(err)
		}
		if w.KeepCommits() != test.keep || w.Stored() != test.stored {
			t.Errorf("%+v: keeps %d, stored %t", test.o, w.KeepCommits(), w.Stored())
		}
		if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	d, err := indexdir.OpenFS(mem)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	if c.KeepCommits != 2 || !c.Schema.Fields[0].Stored || c.StoredUnknown {
		t.Errorf("%+v", c.Manifest)
	}
}

// A merge in the background before the commit of a changed schema changes nothing of the newest commit, which
// has the fields that the change drops, and becomes part of that commit.
func TestMergeBeforeSchema(t *testing.T) {
	ctx, mem := t.Context(), memfs.New()
	text := func(name string) schema.Field {
		return schema.Field{Name: name, Kind: schema.Text, Stored: true}
	}
	w, err := OpenFS(ctx, mem, Options{Schema: &schema.Schema{Fields: []schema.Field{text("a"), text("b")}}, MergePolicy: NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	add := func(id string) {
		t.Helper()
		if err := errors.Join(w.Add(ctx, Doc{ID: []byte(id), Values: []schema.Value{schema.TextValue(0, []byte("one "+id))}}), w.Flush(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	add("1")
	add("2")
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	seen := func(segments int, names string) {
		t.Helper()
		x, err := reader.Open(ctx, reader.FromStore(mem), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		got := ""
		for _, f := range s.Schema().Fields {
			in, _ := s.Field(f.Name)
			df, err := in.DF([]byte("one"))
			if err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprint(f.Name, df, " ")
		}
		if err := s.Verify(ctx); err != nil || len(s.Segments()) != segments || got != names {
			t.Errorf("%d segments, fields and documents %q, %v; want %d, %q", len(s.Segments()), got, err, segments, names)
		}
	}
	change := func(s *schema.Schema, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		committed := func(s []SegmentStats) []Run { return []Run{{0, len(s) - 1}} }
		if w, err = OpenFS(ctx, mem, Options{Schema: s, MergePolicy: committed}); err != nil {
			t.Fatal(err)
		}
		add("3")
		if err := errors.Join(w.Publish(ctx), w.WaitMerges(ctx)); err != nil {
			t.Fatal(err)
		}
		seen(2, "a2 b0 ")
	}
	old := w.Schema()
	change(old.Drop("a"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	seen(2, "a2 b0 ")
	change(old.Add(text("c")))
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	seen(2, "a3 b0 c0 ")
}

// TestSchemaKeepsAnalyzers opens indexes whose fields were made with other options than those that are the default now: a schema that
// names none means the index's, and so does one that names the analyzer alone.
func TestSchemaKeepsAnalyzers(t *testing.T) {
	ctx := t.Context()
	field := func(analyzer, options string) *schema.Schema {
		return &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text, Analyzer: analyzer, Options: options}}}
	}
	for _, tt := range []struct {
		name            string
		made, asked     *schema.Schema
		analyzer, after string // of the field, when asked has opened the index; or else what the error says
	}{
		{"nothing", field("standard", "max=9"), field("", ""), "standard", "max=9"},
		{"nothing, another analyzer", field("english", "max=255,stop=none"), field("", ""), "english", "max=255,stop=none"},
		{"the analyzer", field("english", "max=255,stop=none"), field("english", ""), "english", "max=255,stop=none"},
		{"the same", field("english", "max=255,stop=none"), field("english", "stop=none"), "english", "max=255,stop=none"},
		{"other options", field("standard", "max=9"), field("standard", "max=8"), "", `options is max=8, in the index max=9`},
		{"options alone", field("english", ""), field("", "max=9"), "", `analyzer is standard, in the index english`},
		{"another analyzer", field("standard", "max=9"), field("simple", ""), "", `analyzer is simple, in the index standard`},
	} {
		fs := memfs.New()
		w := mustOpen(t, fs, Options{Schema: tt.made})
		made := w.Schema()
		add := func(w *Writer, id string) error {
			return w.Add(ctx, Doc{ID: []byte(id), Values: []schema.Value{schema.TextValue(0, []byte("Some words, extraordinary ones"))}})
		}
		if err := errors.Join(add(w, "a"), w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		w, err := OpenFS(ctx, fs, Options{Schema: tt.asked})
		if tt.analyzer == "" {
			if !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), tt.after) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.after)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if f := w.Schema().Fields[0]; f.Analyzer != tt.analyzer || f.Options != tt.after || !made.Equal(w.Schema()) {
			t.Errorf("%s: field %+v, made as %+v", tt.name, f, made.Fields[0])
		}
		if err := errors.Join(add(w, "b"), w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		if got := dump(t, fs); len(got) != 2 || got[0].len != got[1].len || !maps.Equal(got[0].terms, got[1].terms) {
			t.Errorf("%s: documents %+v", tt.name, got)
		}
	}
	// A field that is new has the defaults, in full, and so has one of an index without documents.
	w := mustOpen(t, memfs.New(), Options{Schema: field("", "")})
	standard := newAnalyzer(t, "standard", "")
	if f := w.Schema().Fields[0]; f.Analyzer != "standard" || f.Options != standard.Options() {
		t.Errorf("a new field: %+v", f)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	// Merging into a new index follows the first source.
	root := t.TempDir()
	from, out := filepath.Join(root, "from"), filepath.Join(root, "out")
	w, err := Open(ctx, from, Options{Schema: field("english", "max=255,stop=none")})
	if err := errors.Join(err, w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := MergeInto(ctx, out, dirsAt(from), Options{Schema: field("", "")}, MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if s, _, err := schemaAt(out); err != nil || s.Fields[0].Options != "max=255,stop=none" {
		t.Errorf("merged: %+v, %v", s, err)
	}
}
