package writer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// inverted is a collection of two documents, of lengths 3 and 1, with one list.
func inverted(field, term string, freqs ...uint32) writer.Inverted {
	return writer.Inverted{Field: field, ForeignLengths: true,
		Docs: func(yield func(writer.InvertedDoc, error) bool) {
			_ = yield(writer.InvertedDoc{ID: []byte("a"), Len: 3, Text: []byte("the text")}, nil) && yield(writer.InvertedDoc{ID: []byte("b"), Len: 1}, nil)
		},
		Lists: func(yield func(writer.InvertedList, error) bool) {
			yield(writer.InvertedList{Term: []byte(term), Postings: format.Postings{Docs: []uint32{0, 1}, Freqs: freqs}}, nil)
		}}
}

// TestInvertedField adds lists to each kind of field, beside documents that were added as such,
// and refuses what the field cannot hold: then nothing is added.
func TestInvertedField(t *testing.T) {
	ctx := t.Context()
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Stored: true}, {Name: "body", Kind: schema.Text, Lengths: schema.LengthsByte},
		{Name: "marks", Kind: schema.Text, Index: schema.IndexDocs}, {Name: "tag", Kind: schema.Keyword},
		{Name: "year", Kind: schema.Integer, Stored: true}}}
	for _, tt := range []struct {
		field string
		freqs []uint32
		bad   string // in the error; "" if there is none
	}{
		{"title", []uint32{3, 1}, ""},
		{"body", []uint32{3, 1}, ""},
		{"marks", []uint32{1, 1}, ""},
		{"tag", []uint32{1, 1}, ""},
		{"title", []uint32{2, 1}, `field "title": document 0 has length 3`},
		{"title", []uint32{3, 2}, "document 1 has length 1"},
		{"body", []uint32{2, 1}, "document 0 has length 3"},
		{"tag", []uint32{3, 1}, `field "tag": posting list 0`},
		{"marks", []uint32{1, 2}, "posting list 0"},
		{"year", []uint32{1, 1}, "not indexed"},
		{"nope", []uint32{1, 1}, "does not have"},
		{"", []uint32{3, 1}, "without a field"},
	} {
		fs := memfs.New()
		w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		old := writer.Doc{ID: []byte("b"), Values: []schema.Value{schema.TextValue(0, []byte("old")), schema.TextValue(1, []byte("word")), schema.KeywordValue(3, []byte("word"))}}
		other := old
		other.ID = []byte("c")
		if err := errors.Join(w.Add(ctx, old), w.Add(ctx, other)); err != nil {
			t.Fatal(err)
		}
		err = w.AddInverted(ctx, inverted(tt.field, "word", tt.freqs...))
		if tt.bad != "" {
			if err == nil || !strings.Contains(err.Error(), tt.bad) {
				t.Errorf("%s %d: %v, want %q", tt.field, tt.freqs, err, tt.bad)
			}
		} else if err != nil {
			t.Errorf("%s %d: %v", tt.field, tt.freqs, err)
		}
		if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"title": "", "body": "b c", "marks": "", "tag": "b c"}
		if tt.bad == "" {
			want = map[string]string{"title": "", "body": "c", "marks": "", "tag": "c"}
			want[tt.field] = strings.TrimSpace("a b " + want[tt.field])
		}
		checkFields(t, fs, fmt.Sprint(tt.field, tt.freqs), want, tt.bad == "" && tt.field == "title")
	}
	w, err := writer.OpenFS(ctx, memfs.New(), writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.AddInverted(ctx, inverted("title", "word", 3, 1)); !errors.Is(err, writer.ErrInvalid) {
		t.Errorf("a field without a schema: %v", err)
	}
}

// checkFields looks for the documents that have the term "word" in each field, and, if stored is
// set, for the text of a.
func checkFields(t *testing.T, fs *memfs.FS, name string, want map[string]string, stored bool) {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snapshot, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	if err := snapshot.Verify(t.Context()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	searcher, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer searcher.Close()
	for field, want := range want {
		ids := map[string]bool{}
		for doc, err := range searcher.Matches(t.Context(), search.Query{Node: query.Term{Field: field, Text: "word"}}) {
			if err != nil {
				t.Fatal(err)
			}
			id, err := snapshot.AppendID(nil, doc)
			if err != nil {
				t.Fatal(err)
			}
			ids[string(id)] = true
		}
		got := ""
		for _, id := range []string{"a", "b", "c"} {
			if ids[id] {
				got = strings.TrimSpace(got + " " + id)
			}
		}
		if got != want {
			t.Errorf("%s: field %s finds %q, want %q", name, field, got, want)
		}
	}
	if doc, ok, err := snapshot.FindID([]byte("a")); stored {
		text, serr := snapshot.AppendStored(nil, doc)
		if !ok || errors.Join(err, serr) != nil || !strings.Contains(string(text), "the text") {
			t.Errorf("%s: stored %q, %v, %v", name, text, ok, err)
		}
	}
}
