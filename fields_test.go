package pinion

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// An index with a schema takes documents with fields, also when it is opened without the schema;
// a document that does not fit the schema is refused by its field.
func TestFields(t *testing.T) {
	mem := memfs.New()
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Stored: true, Boost: 3},
		{Name: "body", Kind: schema.Text, Lengths: schema.LengthsByte},
		{Name: "tag", Kind: schema.Keyword, Stored: true},
		{Name: "year", Kind: schema.Integer, Stored: true},
	}}
	for i, o := range []Options{{Schema: s}, {}} {
		x, err := OpenFS(ctx, mem, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Schema(); len(got.Fields) != 4 || got.Fields[3].ID != 4 {
			t.Fatalf("%+v", got)
		}
		doc := func(id string, year int64, title, body string, tags ...string) Doc {
			d := Doc{ID: id, Values: []schema.Value{schema.TextValue(0, []byte(title)), schema.TextValue(1, []byte(body)), schema.IntegerValue(3, year)}}
			for _, tag := range tags {
				d.Values = append(d.Values, schema.KeywordValue(2, []byte(tag)))
			}
			return d
		}
		if err := x.Add(ctx, doc("a", 1851, "white whale", "the sea", "novel", "sea story"), doc("b", 1900, "the sea", "a white whale", "story")); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			what query.Node
			want string
		}{
			{query.Match{Text: "whale"}, "a b"}, // the title weighs more
			{query.Match{Field: "body", Text: "whale"}, "b"},
			{query.Match{Field: "tag", Text: "sea story"}, "a"},
			{query.Match{Field: "title", Text: "white whale"}, "a"},
			{query.Match{Fields: []string{"title^0.1", "body"}, Text: "whale"}, "b a"},
			{query.Match{Fields: []string{"tag", "title"}, Text: "story"}, "b"},
		} {
			what, want := c.what, c.want
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
			`field "title"`: {ID: "c", Values: []schema.Value{schema.IntegerValue(0, 1)}},
			"field 9":       {ID: "c", Values: []schema.Value{schema.TextValue(9, "")}},
		} {
			if err := x.Add(ctx, d); !errors.Is(err, writer.ErrDocument) || !strings.Contains(err.Error(), says) {
				t.Errorf("%v; it should say %s", err, says)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s.Fields[0].Kind = schema.Keyword
	if _, err := OpenFS(ctx, mem, Options{Schema: s}); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), `field "title": kind is keyword`) {
		t.Errorf("%v", err)
	}
}

// Texts of a new index without fields are stored, unless its schema says otherwise. Later it says so.
func TestStoredTexts(t *testing.T) {
	for _, stored := range []bool{true, false} {
		mem := memfs.New()
		o := Options{Analyzer: must(analysis.New("english", ""))(t)}
		if !stored {
			o.Schema = schema.Implicit("", "", false)
		}
		for i, o := range []Options{o, o, {}} {
			x, err := OpenFS(t.Context(), mem, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := x.Add(t.Context(), Text(fmt.Sprint("d", i), "roses")); err != nil {
				t.Fatal(err)
			}
			if f := x.Schema().Fields[0]; f.Stored != stored || f.Analyzer != "english" {
				t.Errorf("opened %d times, stored %t: %+v", i+1, stored, f)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// An Analyzer is that of the implicit schema, if that names no other one. With default options it stands for what the index has.
func TestAnalyzerAndSchema(t *testing.T) {
	english := must(analysis.New("english", ""))(t)
	none := must(analysis.New("english", "stop=none"))(t)
	for _, tt := range []struct {
		a    analysis.Analyzer
		s    *schema.Schema
		want string // the options of a new index, or "" if it is refused
	}{
		{english, nil, english.Options()},
		{none, nil, none.Options()},
		{none, schema.Implicit("", "", true), none.Options()},
		{none, schema.Implicit("english", "", true), none.Options()},
		{none, schema.Implicit("english", "stop=none", true), none.Options()},
		{english, schema.Implicit("english", english.Options(), true), english.Options()},
		{english, schema.Implicit("english", "stop=none", true), ""},
		{english, schema.Implicit("simple", "", true), ""},
		{english, schema.Implicit("", "max=9", true), ""},
		{english, &schema.Schema{Fields: schema.Implicit("", "", true).Fields, Language: "en"}, ""},
		{english, &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text}}}, ""},
		{unregistered{english}, nil, ""},
	} {
		mem := memfs.New()
		for i, o := range []Options{{Analyzer: tt.a, Schema: tt.s}, {Analyzer: english}} {
			x, err := OpenFS(t.Context(), mem, o)
			if tt.want == "" {
				if !errors.Is(err, ErrInvalid) {
					t.Errorf("%v with %+v: %v", tt.a, tt.s, err)
				}
				break
			}
			if err != nil {
				t.Fatalf("%v with %+v, opened %d times: %v", tt.a, tt.s, i+1, err)
			}
			if f := x.Schema().Fields[0]; f.Analyzer != "english" || f.Options != tt.want || !f.Stored {
				t.Errorf("%v with %+v, opened %d times: %+v", tt.a, tt.s, i+1, f)
			}
			if err := errors.Join(x.Add(t.Context(), Text(fmt.Sprint(i), "roses")), x.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// unregistered is an analyzer that no index can name.
type unregistered struct{ analysis.Analyzer }

func (unregistered) Name() string { return "unregistered" }

// TestNotUTF8 counts documents with text that is not UTF-8, which are added all the same.
func TestNotUTF8(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text}, {Name: "tag", Kind: schema.Keyword}, {Name: "n", Kind: schema.Integer, Stored: true}}}
	for _, tt := range []struct {
		schema *schema.Schema
		docs   []Doc
		want   uint64
	}{
		{nil, []Doc{Text("1", "M\xfcller"), Text("2", "Müller"), Text("3", "\xff")}, 2},
		{s, []Doc{{ID: "1", Values: []schema.Value{schema.TextValue(0, []byte("Müller")), schema.KeywordValue(1, []byte("\xe9"))}},
			{ID: "2", Values: []schema.Value{schema.TextValue(0, []byte("Müller")), schema.IntegerValue(2, 1)}},
			{ID: "\xff", Values: []schema.Value{schema.TextValue(0, []byte("a\xff")), schema.TextValue(0, []byte("\xff"))}}}, 2},
	} {
		x, err := OpenFS(ctx, memfs.New(), Options{Schema: tt.schema})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Add(ctx, tt.docs...); err != nil {
			t.Fatal(err)
		}
		if got := x.NotUTF8(); got != tt.want {
			t.Errorf("%d documents, want %d", got, tt.want)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
