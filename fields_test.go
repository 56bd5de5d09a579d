package pinion

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// An index with a schema takes documents with fields, also when it is opened without the schema;
// a document that does not fit the schema is refused by its field.
func TestFields(t *testing.T) {
	mem := memfs.New()
	s := &Schema{Fields: []Field{
		{Name: "title", Kind: schema.KindText, Stored: true, Weight: 3},
		{Name: "body", Kind: schema.KindText, Lengths: schema.LengthsByte},
		{Name: "tag", Kind: schema.KindKeyword, Stored: true},
		{Name: "year", Kind: schema.KindInteger, Stored: true},
	}}
	for i, o := range []Options{{Schema: s, Visible: -1}, {Visible: -1}} {
		x, err := OpenFS(ctx, mem, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Schema(); len(got.Fields) != 4 || got.Fields[3].ID != 4 {
			t.Fatalf("%+v", got)
		}
		doc := func(id string, year int64, title, body string, tags ...string) Doc {
			d := Doc{ID: []byte(id), Values: []Value{schema.TextValue(0, []byte(title)), schema.TextValue(1, []byte(body)), schema.IntegerValue(3, year)}}
			for _, tag := range tags {
				d.Values = append(d.Values, schema.KeywordValue(2, []byte(tag)))
			}
			return d
		}
		if err := x.Add(ctx, doc("a", 1851, "white whale", "the sea", "novel", "sea story"), doc("b", 1900, "the sea", "a white whale", "story")); err != nil {
			t.Fatal(err)
		}
		for what, want := range map[Node]string{
			Match{Text: "whale"}:                       "a b", // the title weighs more
			Match{Field: "body", Text: "whale"}:        "b",
			Match{Field: "tag", Text: "sea story"}:     "a",
			Match{Field: "title", Text: "white whale"}: "a",
		} {
			page, err := x.Search(ctx, Request{Query: what, Fields: []string{"title", "year", "tag"}})
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, h := range page.Hits {
				ids = append(ids, string(h.ID))
				if len(h.Values) < 3 || string(h.ID) == "a" && fmt.Sprint(h.Values) != "[white whale 1851 novel sea story]" {
					t.Errorf("%+v: %s has %v", what, h.ID, h.Values)
				}
			}
			if got := strings.Join(ids, " "); got != want {
				t.Errorf("open %d: %+v finds %s, expected %s", i, what, got, want)
			}
		}
		for says, d := range map[string]Doc{
			`field "title"`: {ID: []byte("c"), Values: []Value{schema.IntegerValue(0, 1)}},
			"field 9":       {ID: []byte("c"), Values: []Value{schema.TextValue(9, nil)}},
		} {
			if err := x.Add(ctx, d); !errors.Is(err, writer.ErrDocument) || !strings.Contains(err.Error(), says) {
				t.Errorf("%v; it should say %s", err, says)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s.Fields[0].Kind = schema.KindKeyword
	if _, err := OpenFS(ctx, mem, Options{Schema: s}); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), `field "title": kind is keyword`) {
		t.Errorf("%v", err)
	}
	if _, err := OpenFS(ctx, mem, Options{Schema: s, Unstored: true}); !errors.Is(err, ErrInvalid) {
		t.Errorf("%v", err)
	}
}
