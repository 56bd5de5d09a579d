package httpapi_test

import (
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/schema"
)

// A passage is of the value that matches, not of the longest.
func TestPassageOfWhatMatches(t *testing.T) {
	x, err := pinion.Open(t.Context(), filepath.Join(t.TempDir(), "x"), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "author", Kind: schema.Text, Stored: true}, {Name: "t", Kind: schema.Text, Stored: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	value := func(field int, text string) schema.Value { return schema.TextValue(field, []byte(text)) }
	if err := x.Add(t.Context(), pinion.Doc{ID: "1", Values: []schema.Value{
		value(0, "Ada Stone"), value(0, "Benjamin Longername Overfield"), value(1, "a text about something else entirely")}}); err != nil {
		t.Fatal(err)
	}
	if err := x.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := serve(t, httpapi.OfIndex(x), httpapi.Options{})
	for _, path := range []string{"/v1/search?q=ada&passages=author", "/v1/search?q=author:ada&passages", "/v1/search?q=ada&passages"} {
		p := answer[httpapi.Response](t, s, path, "").Hits[0].Passage
		if p.Text != "Ada Stone" || len(p.Spans) != 1 || p.Spans[0] != [2]int{0, 3} {
			t.Errorf("%s: %+v", path, p)
		}
	}
}
