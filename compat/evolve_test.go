package compat

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// postingsByID returns how often each term is in which live document, by its id, and the texts of these. Terms of which a list is in a codec
// that the reader does not know are left out.
func postingsByID(c *contents, prefix string) (terms map[string]map[string]int, texts map[string]string) {
	terms, texts = map[string]map[string]int{}, map[string]string{}
	skip := map[string]bool{}
	for i := range c.segments {
		s := &c.segments[i]
		for _, d := range s.docs {
			if !d.deleted {
				texts[d.id] = d.text
			}
		}
		for term, list := range s.lists {
			term = term[len(prefix):]
			for _, p := range list {
				if p == unknown {
					skip[term] = true
				} else if d := s.docs[p.doc]; !d.deleted {
					if terms[term] == nil {
						terms[term] = map[string]int{}
					}
					terms[term][d.id] = p.tf
				}
			}
		}
	}
	for term := range skip {
		delete(terms, term)
	}
	return terms, texts
}

// An index of each version that has no schema gets fields, and holds what it held: its documents, their texts, and their postings, which
// the reader written from FORMAT.md alone finds in field "text".
func TestEvolveGoldens(t *testing.T) {
	for _, path := range goldens(t) {
		dir := unpack(t, path)
		before, err := readIndex(dir)
		if err != nil {
			t.Fatal(err)
		}
		x, err := pinion.Open(t.Context(), dir, pinion.Options{})
		if err != nil {
			t.Fatal(err)
		}
		next := x.Schema().Set(schema.Field{Name: "n", Kind: schema.Integer, Column: true})
		if err := errors.Join(x.Evolve(t.Context(), next), x.Add(t.Context(), pinion.Doc{ID: "new", Fields: map[string]any{"n": 3}}), x.Sync(t.Context())); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		terms, texts := postingsByID(before, "")
		if x.Len() != len(texts)+1 {
			t.Errorf("%s: %d documents, want %d", path, x.Len(), len(texts)+1)
		}
		n := 0
		for id, text := range texts {
			if n++; n > 300 {
				break
			}
			d, err := x.Get(t.Context(), id)
			if got, _ := d.Fields["text"].(string); err != nil || got != text {
				t.Fatalf("%s: document %s has %q, want %q, %v", path, id, got, text, err)
			}
		}
		if n, err := x.Count(t.Context(), query.Equal("n", 3)); n != 1 || err != nil {
			t.Errorf("%s: %d documents with the new field, %v", path, n, err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		after, err := readIndex(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := postingsByID(after, "text\x00")
		for term, want := range terms {
			if have, ok := got[term]; ok && !reflect.DeepEqual(have, want) {
				t.Fatalf("%s: %q is in %v, want %v", path, term, have, want)
			} else if !ok && len(got) == len(terms) {
				t.Fatalf("%s: %q is gone", path, term)
			}
		}
		if len(terms) == 0 || len(got) == 0 {
			t.Errorf("%s: %d terms before, %d after", path, len(terms), len(got))
		}
	}
}

// The text keeps its analyzer, with the options that the index has.
func TestEvolveEnglish(t *testing.T) {
	dir := unpack(t, filepath.Join("testdata", englishIndex))
	x, err := pinion.Open(t.Context(), dir, pinion.Options{Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	next := x.Schema().Set(schema.Field{Name: "more", Kind: schema.Text, Analyzer: "english"})
	if err := errors.Join(x.Evolve(t.Context(), next), x.Add(t.Context(), pinion.Doc{ID: "5", Fields: map[string]any{"more": "the dog’s"}})); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ field, text, want string }{{"text", "dog", "2"}, {"text", "dog’s", "1"}, {"more", "dog", "5"}, {"text", "м’ята", "4"}} {
		p, err := x.Search(t.Context(), pinion.Request{Query: query.Match{Field: c.field, Text: c.text}})
		if err != nil || len(p.Hits) != 1 || p.Hits[0].ID != c.want {
			t.Errorf("%s in %s: %+v, %v", c.text, c.field, p, err)
		}
	}
}
