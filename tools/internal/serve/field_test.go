package serve

import (
	"errors"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// TestSchema: an index with a schema is not taken for a damaged one.
func TestSchema(t *testing.T) {
	dir := t.TempDir()
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.KindText, Stored: true}, {Name: "tag", Kind: schema.KindKeyword}}}})
	if err != nil {
		t.Fatal(err)
	}
	add := w.AddDoc(t.Context(), writer.Doc{ID: []byte("id-1"), Values: []schema.Value{
		schema.TextValue(0, []byte("one two")), schema.KeywordValue(1, []byte("three"))}})
	if err := errors.Join(add, w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	h := start(t, Options{Index: dir})
	for path, want := range map[string]string{"": "segment-000000000001.pin", "docs": "id-1", "bytes?file=segment-000000000001.pin": "fields", "search?q=one": "id-1"} {
		status, body := get(t, h.URL+"/secret/"+path)
		if status != 200 || !strings.Contains(body, want) || strings.Contains(body, "damaged") {
			t.Errorf("%s: status %d, no %q, or damage", path, status, want)
		}
	}
}
