package writer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
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
	title := schema.Field{Name: "title", Kind: schema.KindText, Analyzer: "english"}
	year := schema.Field{Name: "year", Kind: schema.KindInteger, Stored: true}
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
		x, err := reader.OpenFS(mem)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		snapshot, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer snapshot.Close()
		if seen := snapshot.Schema(); !sameSchema(seen, got) {
			t.Fatalf("a reader sees %+v, the writer has %+v", seen, got)
		}
		return got
	}
	s := reopened(&schema.Schema{Fields: []schema.Field{title}})
	if s.Fields[0].ID != 1 || !strings.Contains(s.Fields[0].Options, "stop=") {
		t.Errorf("%+v", s)
	}
	if again := reopened(nil); !sameSchema(s, again) {
		t.Errorf("%+v, before %+v", again, s)
	}
	// An index without documents takes any schema, with new ids.
	if s = reopened(&schema.Schema{Fields: []schema.Field{year}}); s.Fields[0].ID != 2 {
		t.Errorf("%+v", s)
	}
	if s = reopened(&schema.Schema{Fields: []schema.Field{title, year}}); s.Fields[0].ID != 3 || s.Fields[1].ID != 2 {
		t.Errorf("%+v", s)
	}
	added, err := s.Add(schema.Field{Name: "url", Kind: schema.KindKeyword})
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
	simple, err := analysis.New("simple", "")
	if err != nil {
		t.Fatal(err)
	}
	for what, o := range map[string]Options{
		"analyzer":            {Analyzer: simple},
		"stored":              {Stored: true},
		"schema and analyzer": {Schema: s, Analyzer: simple},
		"schema and stored":   {Schema: s, Stored: true},
	} {
		if _, err := open(o); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for says, f := range map[string]schema.Field{
		`field "a": analysis: unknown analyzer`: {Name: "a", Kind: schema.KindText, Analyzer: "none such"},
		`field "b": `:                           {Name: "b", Kind: schema.KindText, Analyzer: "english", Options: "x=y"},
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
	if err := w.Add(ctx, Document{ID: []byte("a"), Contents: []byte("rose")}); !errors.Is(err, ErrDocument) {
		t.Errorf("a document without fields: %v", err)
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
		{Options{Stored: true, KeepCommits: 3}, 3, true},
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
	d, err := store.OpenFS(mem)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	if c.KeepCommits != 2 || c.Stored != store.StoredYes {
		t.Errorf("%+v", c.Manifest)
	}
}

// A merge in the background before the commit of a changed schema changes nothing of the newest commit, which
// has the fields that the change drops, and becomes part of that commit.
func TestMergeBeforeSchema(t *testing.T) {
	ctx, mem := t.Context(), memfs.New()
	text := func(name string) schema.Field {
		return schema.Field{Name: name, Kind: schema.KindText, Stored: true}
	}
	w, err := OpenFS(ctx, mem, Options{Schema: &schema.Schema{Fields: []schema.Field{text("a"), text("b")}}, MergePolicy: NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	add := func(id string) {
		t.Helper()
		if err := errors.Join(w.AddDoc(ctx, Doc{ID: []byte(id), Values: []schema.Value{schema.TextValue(0, []byte("one "+id))}}), w.Flush(ctx)); err != nil {
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
		x, err := reader.OpenFS(mem)
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
