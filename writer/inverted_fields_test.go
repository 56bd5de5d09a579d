package writer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// severalFields returns a collection of three documents with lists in two fields and values in two. The
// third holds nothing.
func severalFields() ([]string, []writer.InvertedDoc, []writer.InvertedList) {
	docs := []writer.InvertedDoc{
		{ID: []byte("a"), Lens: []uint32{2, 0, 0}, Values: []schema.Value{schema.IntegerValue(2, 7), schema.TextValue(0, []byte("x x")), schema.IntegerValue(2, 8)}},
		{ID: []byte("b"), Lens: []uint32{0, 0, 0}, Values: []schema.Value{schema.KeywordValue(1, []byte("x"))}},
		{ID: []byte("c"), Lens: []uint32{0, 0, 0}},
	}
	lists := []writer.InvertedList{
		{Term: []byte("x"), Postings: format.Postings{Docs: []uint32{0}, Freqs: []uint32{2}}},
		{Term: []byte("x"), Field: 1, Postings: format.Postings{Docs: []uint32{1}, Freqs: []uint32{1}}},
	}
	return []string{"body", "tag", "year"}, docs, lists
}

// TestInvertedFields adds lists of several fields at once, and refuses what does not go together:
// then nothing is added.
func TestInvertedFields(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(in *writer.Inverted, docs []writer.InvertedDoc, lists []writer.InvertedList)
		bad    string // in the error; "" if there is none
	}{
		"as it is":       {func(*writer.Inverted, []writer.InvertedDoc, []writer.InvertedList) {}, ""},
		"both":           {func(in *writer.Inverted, _ []writer.InvertedDoc, _ []writer.InvertedList) { in.Field = "body" }, "and of several"},
		"order":          {func(in *writer.Inverted, _ []writer.InvertedDoc, _ []writer.InvertedList) { slices.Reverse(in.Fields) }, `"tag" after those of "year"`},
		"unknown":        {func(in *writer.Inverted, _ []writer.InvertedDoc, _ []writer.InvertedList) { in.Fields[2] = "z" }, "does not have"},
		"lengths":        {func(_ *writer.Inverted, d []writer.InvertedDoc, _ []writer.InvertedList) { d[2].Lens = d[2].Lens[:2] }, "document 2: 2 lengths in 3 fields"},
		"length":         {func(_ *writer.Inverted, d []writer.InvertedDoc, _ []writer.InvertedList) { d[0].Lens[0]++ }, `field "body": document 0 has length 3`},
		"frequency":      {func(_ *writer.Inverted, _ []writer.InvertedDoc, l []writer.InvertedList) { l[1].Freqs[0]++ }, `field "tag": posting list 1`},
		"list order":     {func(_ *writer.Inverted, _ []writer.InvertedDoc, l []writer.InvertedList) { slices.Reverse(l) }, "follows one of field 1"},
		"list field":     {func(_ *writer.Inverted, _ []writer.InvertedDoc, l []writer.InvertedList) { l[1].Field = 3 }, "of field 3 of 3"},
		"negative":       {func(_ *writer.Inverted, _ []writer.InvertedDoc, l []writer.InvertedList) { l[0].Field = -1 }, "of field -1"},
		"not indexed":    {func(_ *writer.Inverted, _ []writer.InvertedDoc, l []writer.InvertedList) { l[1].Field = 2 }, `field "year": posting list 1`},
		"kind":           {func(_ *writer.Inverted, d []writer.InvertedDoc, _ []writer.InvertedList) { d[0].Values[0].Field = 0 }, "document 0"},
		"value's field":  {func(_ *writer.Inverted, d []writer.InvertedDoc, _ []writer.InvertedList) { d[0].Values[0].Field = 3 }, "a value of field 3 of 3"},
		"negative value": {func(_ *writer.Inverted, d []writer.InvertedDoc, _ []writer.InvertedList) { d[0].Values[0].Field = -1 }, "a value of field -1"},
		"no fields": {func(in *writer.Inverted, d []writer.InvertedDoc, _ []writer.InvertedList) {
			in.Fields, in.Lists = []string{}, func(func(writer.InvertedList, error) bool) {}
			for i := range d {
				d[i].Lens, d[i].Values = nil, nil
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			names, docs, lists := severalFields()
			in := writer.Inverted{Fields: names, Docs: pairsOf(docs), Lists: pairsOf(lists)}
			tt.change(&in, docs, lists)
			got, bare := addSeveral(t, in, tt.bad)
			want, empty := "old()", uint64(0)
			switch {
			case name == "no fields":
				want, empty = "old() a() b() c()", 3
			case tt.bad == "":
				want, empty = "old() a(year: 7, body: x x, year: 8, length 2) b(tag) c()", 1
			}
			if got != want || bare != empty {
				t.Errorf("%q with %d documents without terms, want %q, %d", got, bare, want, empty)
			}
		})
	}
}

func pairsOf[T any](all []T) func(yield func(T, error) bool) {
	return func(yield func(T, error) bool) {
		for _, x := range all {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// addSeveral adds a collection to an index with a document, and describes what is there then.
func addSeveral(t *testing.T, in writer.Inverted, bad string) (got string, bare uint64) {
	t.Helper()
	fs, ctx := memfs.New(), t.Context()
	w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "year", Kind: schema.Integer, Stored: true}, {Name: "tag", Kind: schema.Keyword},
		{Name: "body", Kind: schema.Text, Stored: true}, {Name: "title", Kind: schema.Text}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(ctx, writer.Doc{ID: []byte("old"), Values: []schema.Value{schema.KeywordValue(1, []byte("y"))}}); err != nil {
		t.Fatal(err)
	}
	if err = w.AddInverted(ctx, in); (err == nil) != (bad == "") || err != nil && !strings.Contains(err.Error(), bad) {
		t.Errorf("%v, want %q", err, bad)
	}
	bare = w.WithoutTerms()
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	x, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(ctx); err != nil {
		t.Error(err)
	}
	return describe(t, s), bare
}

// describe lists the documents with their stored values, their lengths in field body and whether x is
// in field tag.
func describe(t *testing.T, s *reader.Snapshot) string {
	t.Helper()
	body, _ := s.Field("body")
	tag, _ := s.Field("tag")
	tagged := map[uint32]bool{}
	for p, err := range tag.Postings([]byte("x")) {
		if err != nil {
			t.Fatal(err)
		}
		tagged[p.Doc] = true
	}
	var all []string
	for doc := range uint32(s.Stats().Docs) {
		id, err := s.AppendID(nil, doc)
		rec, err2 := s.AppendStored(nil, doc)
		n, err3 := body.DocLen(doc)
		lines, err4 := record.AppendLines(nil, rec, s.Schema().ByID)
		if err := errors.Join(err, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		what := strings.Split(strings.TrimSpace(string(lines)), "\n")
		if n > 0 {
			what = append(what, fmt.Sprint("length ", n))
		}
		if tagged[doc] {
			what = append(what, "tag")
		}
		all = append(all, string(id)+"("+strings.TrimPrefix(strings.Join(what, ", "), ", ")+")")
	}
	return strings.Join(all, " ")
}
