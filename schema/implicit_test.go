package schema

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
)

// The implicit schema is a schema as any other, of one field without a name: it is found by "" and text, has a form in JSON,
// and is adopted as it is.
func TestImplicit(t *testing.T) {
	s := Implicit("english", "stop=none", true)
	if err := s.Check(); err != nil || !s.IsImplicit() || (&Schema{Fields: []Field{{Name: "text", Kind: Text}}}).IsImplicit() {
		t.Errorf("%v", err)
	}
	for name, found := range map[string]bool{"": true, "text": true, "a": false} {
		if f, ok := s.Field(name); ok != found || ok && (f != &s.Fields[0] || f.Indexing() != IndexFreqs || !f.HasLengths()) {
			t.Errorf("field %q: %+v, %v", name, f, ok)
		}
	}
	if f, ok := s.ByID(0); !ok || f != &s.Fields[0] {
		t.Errorf("%+v, %v", f, ok)
	}
	const text = `{"fields":[{"name":"","kind":"text","analyzer":"english","options":"stop=none","index":"freqs","stored":true}]}`
	b, err := json.Marshal(s)
	if err != nil || string(b) != text {
		t.Errorf("%s, %v", b, err)
	}
	if again, err := Parse(b); err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("%+v, %v", again, err)
	}
	if got, err := s.Adopt(&Schema{}); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := Implicit("", "", true).Adopt(s); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.Rename("", "a"); !errors.Is(err, ErrInvalid) {
		t.Errorf("renamed: %v", err)
	}
	for what, f := range map[string]Field{
		"keywords": {Kind: Keyword}, "an id": {Kind: Text, ID: 1}, "positions": {Kind: Text, Positions: true},
		"k1": {Kind: Text, K1: 1}, "lengths": {Kind: Text, Lengths: LengthsByte}, "stored only": {Kind: Text, Index: IndexNone, Stored: true},
	} {
		if err := (&Schema{Fields: []Field{f}}).Check(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// With another field, that of the implicit schema is called "text" and has the id 1, whether the schema comes of that of the index, of a program that names it,
// or of one that does not. Such an index goes on with programs that ask for the implicit schema.
func TestNamedText(t *testing.T) {
	old := Implicit("english", "stop=none", true)
	old.Fields[0].Index = IndexFreqs
	k := Field{Name: "k", Kind: Keyword}
	added, err := old.Add(k)
	if err != nil {
		t.Fatal(err)
	}
	text := Field{ID: 1, Name: "text", Kind: Text, Analyzer: "english", Options: "stop=none", Index: IndexFreqs, Stored: true}
	own := Field{ID: 2, Name: "k", Kind: Keyword, Index: IndexDocs}
	for what, c := range map[string]struct {
		asked *Schema
		want  []Field
	}{
		"added":     {added, []Field{text, own}},
		"set":       {old.Set(k), []Field{text, own}},
		"named":     {&Schema{Fields: []Field{k, {Name: "text", Kind: Text, Stored: true}}}, []Field{own, text}},
		"not named": {&Schema{Fields: []Field{k}}, []Field{own, text}},
		"replaced":  {old.Set(Field{Name: "text", Kind: Text}), []Field{text}},
	} {
		got, err := c.asked.Adopt(old)
		if err != nil || !reflect.DeepEqual(got.Fields, c.want) || got.NextID != uint32(len(c.want)+1) {
			t.Errorf("%s: %+v, %v", what, got, err)
			continue
		}
		if err := got.Follows(old); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if err := old.Follows(got); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: back to a text without a name: %v", what, err)
		}
		for _, asked := range []*Schema{Implicit("", "", true), Implicit("", "", false), old, nil} {
			if again, err := asked.Adopt(got); err != nil || len(again.Fields) != len(c.want) || again.Fields[0] != text || again.NextID != got.NextID {
				t.Errorf("%s, then %+v: %+v, %v", what, asked, again, err)
			}
		}
	}
	unstored := &Schema{Fields: []Field{{ID: 1, Name: "text", Kind: Text, Analyzer: "english", Options: "stop=none", Index: IndexFreqs}}, NextID: 2}
	for what, c := range map[string]struct{ asked, old *Schema }{
		"another analyzer":  {&Schema{Fields: []Field{{Name: "text", Kind: Text, Stored: true, Analyzer: "simple"}}}, old},
		"positions":         {&Schema{Fields: []Field{{Name: "text", Kind: Text, Stored: true, Positions: true}}}, old},
		"keywords":          {&Schema{Fields: []Field{{Name: "text", Kind: Keyword, Stored: true}}}, old},
		"a text not stored": {Implicit("", "", true), unstored},
		"of another one":    {Implicit("simple", "", false), unstored},
		"no text":           {Implicit("", "", false), &Schema{Fields: []Field{own}, NextID: 3}},
	} {
		if _, err := c.asked.Adopt(c.old); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
