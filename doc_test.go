package pinion_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/netip"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

type thing struct {
	ID    string
	Title string `pinion:"name"`
	Body  string
	Level int8
	Count *uint64
	Score float64
	Sold  bool
	Made  time.Time
	From  netip.Addr
	Tags  []string
	Sizes []int64
	Pair  [2]float32
	Raw   []byte
	Any   any `pinion:"-"`
}

func things(t testing.TB) *pinion.Index {
	s := schema.For[thing]().Set(schema.Field{Name: "body", Kind: schema.Text, Analyzer: "simple"})
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// TestStructs holds that structs come back as they were added, by each way that leads back.
func TestStructs(t *testing.T) {
	x := things(t)
	typed := pinion.For[thing](x)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		want := thing{
			ID: fmt.Sprint("id", n), Title: rapid.String().Draw(r, "title"), Body: "word" + fmt.Sprint(n) + " " + rapid.String().Draw(r, "body"),
			Level: rapid.Int8().Draw(r, "level"), Count: rapid.Ptr(rapid.Uint64Max(1<<63-1), true).Draw(r, "count"),
			Score: rapid.Float64().Draw(r, "score"), Sold: rapid.Bool().Draw(r, "sold"),
			Made: time.Unix(0, rapid.Int64Min(-1<<62).Draw(r, "made")).UTC(), From: netip.AddrFrom4([4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(r, "from"))),
			Tags: rapid.SliceOfN(rapid.String(), 0, 3).Draw(r, "tags"), Sizes: rapid.SliceOfN(rapid.Int64(), 0, 3).Draw(r, "sizes"),
			Pair: [2]float32{rapid.Float32().Draw(r, "pair"), 2}, Raw: rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(r, "raw"),
		}
		want.Score += 0 // columns have one zero
		if len(want.Tags) == 0 {
			want.Tags = nil
		}
		if len(want.Sizes) == 0 {
			want.Sizes = nil
		}
		if err := typed.Add(t.Context(), want); err != nil {
			r.Fatal(err)
		}
		got, err := typed.Get(t.Context(), want.ID)
		if err != nil || !reflect.DeepEqual(got, want) {
			r.Fatalf("Get: %+v, %v\nwant %+v", got, err, want)
		}
		page, err := typed.Search(t.Context(), pinion.Request{Query: query.Match{Field: "body", Text: "word" + fmt.Sprint(n)}})
		if err != nil || len(page.Hits) != 1 || !reflect.DeepEqual(page.Hits[0].Doc, want) {
			r.Fatalf("Search: %+v, %v\nwant %+v", page.Hits, err, want)
		}
		var decoded thing
		if err := page.Hits[0].Decode(&decoded); err != nil || !reflect.DeepEqual(decoded, want) {
			r.Fatalf("Decode: %+v, %v\nwant %+v", decoded, err, want)
		}
	})
}

// Nothing of a call is added if one of its documents is wrong, and the error says which, and what.
func TestWrongDocuments(t *testing.T) {
	x := things(t)
	good := pinion.Doc{ID: "good", Fields: map[string]any{"name": "a", "level": json.Number("7")}}
	for _, c := range []struct {
		doc  pinion.Doc
		says string
	}{
		{pinion.Doc{ID: "bad", Fields: map[string]any{"title": "a"}}, `"bad": invalid argument: there is no field "title"`},
		{pinion.Doc{ID: "bad", Fields: map[string]any{"level": "high"}}, `"bad": schema: invalid schema: field "level": the value "high" of type string does not fit a field of kind integer`},
		{pinion.Doc{ID: "bad", Fields: map[string]any{"level": 1.5}}, `"level": the value 1.5 of type float64`},
		{pinion.Doc{ID: "bad", Fields: map[string]any{"level": []any{1, "x"}}}, `"level": the value "x" of type string`},
		{pinion.Doc{ID: "bad", Fields: map[string]any{"level": 1}, Values: []schema.Value{schema.IntegerValue("level", 2)}}, `"level" has values in Fields and in Values`},
		{pinion.Doc{ID: "bad", Values: []schema.Value{schema.TextValue("other", "x")}}, `field "other"`},
		{pinion.Doc{ID: "bad", Values: []schema.Value{schema.TextValue("level", "x")}}, `field "level": a value of kind text`},
	} {
		err := x.Add(t.Context(), good, c.doc)
		if !errors.Is(err, pinion.ErrInvalid) || !errors.Is(err, writer.ErrDocument) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
		if c.says == `field "level": a value of kind text` {
			continue
		}
		if _, err := x.Get(t.Context(), "good"); !errors.Is(err, pinion.ErrNotFound) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the document beside it: %v", c.says, err)
		}
	}
	type other struct {
		ID    string
		Level string
	}
	if err := pinion.For[other](x).Add(t.Context(), other{"a", "1"}, other{"b", "2"}); !errors.Is(err, pinion.ErrInvalid) ||
		!strings.Contains(err.Error(), `"b": pinion_test.other, field Level: schema: invalid schema: field "level": the value "2"`) {
		t.Errorf("a struct of another kind: %v", err)
	}
	type more struct{ ID, Missing string }
	if err := pinion.For[more](x).Add(t.Context(), more{"a", "1"}); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), `more, field Missing: the index has no field "missing"`) {
		t.Errorf("a field that the schema lacks: %v", err)
	}
	type noID struct{ Level int }
	if _, err := pinion.For[noID](x).Get(t.Context(), "a"); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), "noID has no id") {
		t.Errorf("no id: %v", err)
	}
}

// The field of an index without a schema is "text" in all that goes by name.
func TestImplicitByName(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(t.Context(), pinion.Doc{ID: "a", Fields: map[string]any{"text": "a <rose>"}}, pinion.Doc{ID: "b", Fields: map[string]any{"": "a thorn"}},
		pinion.Doc{ID: "c", Values: []schema.Value{schema.TextValue("text", "a leaf")}}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []map[string]any{{"body": "x"}, {"text": 1}, {"text": "x", "": "y"}, {"text": []string{"x", "y"}}, {}} {
		if err := x.Add(t.Context(), pinion.Doc{ID: "d", Fields: bad}); !errors.Is(err, writer.ErrDocument) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	for _, fields := range [][]string{{"text"}, {""}} {
		page, err := x.Search(t.Context(), pinion.Request{Query: query.Match{Text: "rose"}, Fields: fields, Snippet: &pinion.Snippet{Fields: fields}})
		if err != nil || len(page.Hits) != 1 {
			t.Fatal(page.Hits, err)
		}
		h := &page.Hits[0]
		if h.ID != "a" || h.Value("text") != "a <rose>" || h.Value("other") != nil || h.HTML("text") != "a &lt;<mark>rose</mark>&gt;" {
			t.Errorf("%q: %v, %v, %q", fields, h.ID, h.Value("text"), h.HTML("text"))
		}
	}
	if d, err := x.Get(t.Context(), "b"); err != nil || !reflect.DeepEqual(d, pinion.Doc{ID: "b", Fields: map[string]any{"text": "a thorn"}}) {
		t.Errorf("%+v, %v", d, err)
	}
}

// A missing value shifts no other; several come in their order; what Get returns can be added again.
func TestHitValues(t *testing.T) {
	x := things(t)
	made := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	docs := []pinion.Doc{
		{ID: "1", Fields: map[string]any{"body": "rose", "level": int64(1), "tags": []any{"b", "a", "b"}}},
		{ID: "2", Fields: map[string]any{"body": "rose", "name": "two", "made": made, "score": 2.5}},
		{ID: "3", Fields: map[string]any{"body": "rose"}},
	}
	if err := x.Add(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	page, err := x.Search(t.Context(), pinion.Request{Query: query.Match{Text: "rose", Field: "body"}, Fields: []string{"name", "made", "level", "score", "tags"}})
	if err != nil || len(page.Hits) != 3 {
		t.Fatal(page.Hits, err)
	}
	for i, want := range [][]any{{nil, nil, int64(1), nil, "b"}, {"two", made, nil, 2.5, nil}, {nil, nil, nil, nil, nil}} {
		h := &page.Hits[i]
		got := []any{h.Value("name"), h.Value("made"), h.Value("level"), h.Value("score"), h.Value("tags")}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", h.ID, got, want)
		}
		d, err := x.Get(t.Context(), h.ID)
		if err != nil || !reflect.DeepEqual(d, docs[i]) {
			t.Errorf("%+v, %v, want %+v", d, err, docs[i])
		}
		if err := x.Add(t.Context(), d); err != nil {
			t.Error(err)
		}
	}
	if got := page.Hits[0].All("tags"); !reflect.DeepEqual(got, []any{"b", "a", "b"}) {
		t.Errorf("%v", got)
	}
	var wrong struct{ Level string }
	if err := page.Hits[0].Decode(&wrong); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), `document "1", struct { Level string }, field Level: the value "1" of kind integer does not fit a string`) {
		t.Errorf("%v", err)
	}
	var one struct{ Tags string }
	if err := page.Hits[0].Decode(&one); !errors.Is(err, pinion.ErrInvalid) {
		t.Errorf("three values in one: %v", err)
	}
	for _, bad := range []any{nil, wrong, (*thing)(nil), new(int)} {
		if err := page.Hits[0].Decode(bad); !errors.Is(err, pinion.ErrInvalid) {
			t.Errorf("%T: %v", bad, err)
		}
	}
}

var tags = regexp.MustCompile(`</?mark>`)

// HTML without its tags, unescaped, is the text; passages lie where they say, in order, and do not overlap.
func TestHTML(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	word := rapid.SampledFrom([]string{"rose", "<b>", "&amp;", "a", "'\"", "thorn", "\n", "mark", "é", "</mark>", "long words about nothing at all"})
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(word, 1, 60).Draw(r, "text"), " ") + " rose"
		if err := x.Add(t.Context(), pinion.Text("a", text)); err != nil {
			r.Fatal(err)
		}
		s := pinion.Snippet{Count: rapid.IntRange(0, 4).Draw(r, "count"), Length: rapid.SampledFrom([]int{0, 5, 12, 40}).Draw(r, "length")}
		page, err := x.Search(t.Context(), pinion.Request{Query: query.Match{Text: "rose thorn"}, Snippet: &s})
		if err != nil || len(page.Hits) != 1 || len(page.Hits[0].Passages) == 0 || len(page.Hits[0].Passages) > max(s.Count, 1) {
			r.Fatal(page.Hits, err)
		}
		at := 0
		for _, p := range page.Hits[0].Passages {
			if p.Start < at || !strings.HasPrefix(text[p.Start:], p.Text) || p.Line != 1+strings.Count(text[:p.Start], "\n") ||
				p.Before != (p.Start > 0) || p.Behind != (p.Start+len(p.Text) < len(text)) || p.Field != "text" || len(p.Spans) == 0 {
				r.Fatalf("%+v of %q", p, text)
			}
			at = p.Start + len(p.Text)
			for _, span := range p.Spans {
				if w := p.Text[span.Start:span.End]; w != "rose" && w != "thorn" {
					r.Fatalf("%q is marked in %+v", w, p)
				}
			}
			marked := p.HTML()
			if got := html.UnescapeString(tags.ReplaceAllString(marked, "")); got != p.Text || strings.Count(marked, "<mark>") != len(p.Spans) {
				r.Fatalf("%q of %q", marked, p.Text)
			}
		}
	})
}

// Passages of several fields, with a tag; what a Snippet cannot ask for.
func TestSnippetFields(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text, Stored: true}, {Name: "body", Kind: schema.Text, Stored: true}, {Name: "n", Kind: schema.Integer, Stored: true}}}
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	long := "the rose " + strings.Repeat("of nothing ", 40) + "\nand another rose & thorn"
	if err := x.Add(t.Context(), pinion.Doc{ID: "a", Fields: map[string]any{"title": "A rose", "body": long, "n": 1}}); err != nil {
		t.Fatal(err)
	}
	ask := func(s pinion.Snippet) (pinion.Hit, error) {
		page, err := x.Search(t.Context(), pinion.Request{Query: query.Match{Text: "rose thorn"}, Snippet: &s})
		if err != nil {
			return pinion.Hit{}, err
		}
		return page.Hits[0], nil
	}
	h, err := ask(pinion.Snippet{Fields: []string{"body", "title"}, Count: 3, Length: 20, Tag: "em"})
	if err != nil || len(h.Passages) != 3 || h.Passages[0].Line != 1 || h.Passages[1].Line != 2 || h.Passages[2].Field != "title" {
		t.Fatalf("%+v, %v", h.Passages, err)
	}
	if got := h.HTML("title"); got != "A <em>rose</em>" {
		t.Error(got)
	}
	if got := h.HTML("body"); !strings.HasPrefix(got, "the <em>rose</em>") || !strings.Contains(got, " … ") || !strings.HasSuffix(got, "<em>rose</em> &amp; <em>thorn</em>") {
		t.Error(got)
	}
	if h.HTML("n") != "" {
		t.Error(h.HTML("n"))
	}
	for _, bad := range []pinion.Snippet{{Field: "n"}, {Fields: []string{"title", "n"}}, {Fields: []string{"other"}}, {Field: "title", Fields: []string{"body"}},
		{Count: -1}, {Length: -1}, {Tag: "b onclick=x"}} {
		if _, err := ask(bad); !errors.Is(err, pinion.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
