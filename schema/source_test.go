package schema_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/schema"
)

// A field may have the values of another one of text.
func TestSources(t *testing.T) {
	title, words := schema.Field{Name: "title", Kind: schema.Text, Analyzer: "english", Stored: true}, schema.Field{Name: "words", Kind: schema.Text, Analyzer: "simple", Of: "title"}
	s := &schema.Schema{Fields: []schema.Field{title, words}}
	if err := s.Check(); err != nil || s.Fields[1].Indexing() != schema.IndexDocs {
		t.Fatalf("%v, index %v", err, s.Fields[1].Indexing())
	}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again schema.Schema
	if err := json.Unmarshal(data, &again); err != nil || !again.Equal(s) {
		t.Fatalf("%s: %+v, %v", data, again, err)
	}
	if err := s.CheckValue(schema.TextValue(1, []byte("a"))); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), `of field "title"`) {
		t.Errorf("a value of a field that has those of another: %v", err)
	}
	for want, f := range map[string]schema.Field{
		"is not there":                      {Name: "x", Kind: schema.Text, Of: "nosuch"},
		"only text has the values":          {Name: "x", Kind: schema.Keyword, Of: "title"},
		"only text has other fields":        {Name: "x", Kind: schema.Text, Of: "n"},
		`has those of field "title"`:        {Name: "x", Kind: schema.Text, Of: "words"},
		`values of field "x", which has`:    {Name: "x", Kind: schema.Text, Of: "x"},
		"it is indexed, and not stored":     {Name: "x", Kind: schema.Text, Of: "title", Stored: true},
		"indexed, and not stored: field \"": {Name: "x", Kind: schema.Text, Of: "title", Index: schema.IndexNone},
	} {
		bad := schema.Schema{Fields: []schema.Field{title, words, {Name: "n", Kind: schema.Integer, Column: true}, f}}
		if err := bad.Check(); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", f, err, want)
		}
	}

	old, err := s.Adopt(&schema.Schema{})
	if err != nil {
		t.Fatal(err)
	}
	renamed, err := old.Rename("title", "name")
	if err != nil || renamed.Fields[1].Of != "name" {
		t.Fatalf("%+v, %v", renamed, err)
	}
	if err := renamed.Follows(old); err != nil {
		t.Errorf("renamed: %v", err)
	}
	if _, err := old.Drop("title"); err == nil || !strings.Contains(err.Error(), "drop that one first") {
		t.Errorf("dropped: %v", err)
	}
	if _, err := old.Drop("words"); err != nil {
		t.Error(err)
	}
	other := &schema.Schema{Fields: []schema.Field{title, {Name: "words", Kind: schema.Text, Analyzer: "simple", Index: schema.IndexDocs}}}
	if _, err := other.Adopt(old); err == nil || !strings.Contains(err.Error(), "in the index") {
		t.Errorf("a field that has values of its own: %v", err)
	}
}
