package compat

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// TestDefaultsOfAnIndex opens indexes of older versions with options that name no analyzer: each keeps its own, whatever the defaults of
// a new index are now, for what it has, what is added, and what is asked.
func TestDefaultsOfAnIndex(t *testing.T) {
	ctx := t.Context()
	dir := unpack(t, filepath.Join("testdata", englishIndex))
	x, err := pinion.Open(ctx, dir, pinion.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(ctx, pinion.Text("5", "the cat’s généreuse caf\u00e9s")); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"dog’s": "1", "cat’s": "5", "cat": "", "cafés": "5", "cafes": "", "généreusement": "4", "genereusement": ""} {
		page, err := x.Search(ctx, pinion.Request{Query: query.Match{Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(page.Hits) > 0 {
			got = string(page.Hits[0].ID)
		}
		if got != want {
			t.Errorf("%s: document %q, want %q", text, got, want)
		}
	}

	fields := unpack(t, filepath.Join("testdata", "positions-0.3.tar.gz"))
	schemaOf := func(asked *schema.Schema) *schema.Schema {
		w, err := writer.Open(ctx, fields, writer.Options{Schema: asked})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		return w.Schema()
	}
	recorded := schemaOf(nil)
	asked := &schema.Schema{}
	for _, f := range recorded.Fields {
		f.ID, f.Analyzer, f.Options = 0, "", ""
		asked.Fields = append(asked.Fields, f)
	}
	if got := schemaOf(asked); !reflect.DeepEqual(got, recorded) {
		t.Errorf("a schema without analyzers is %+v, not %+v", got, recorded)
	}
}
