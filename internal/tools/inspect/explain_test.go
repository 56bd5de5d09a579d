package inspect

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// The score that explain sums for a document with fields is that of the query.
func TestExplainFields(t *testing.T) {
	dir := t.TempDir()
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Lengths: schema.LengthsByte, Boost: 3}, {Name: "body", Kind: schema.Text, K1: 2},
		{Name: "notes", Kind: schema.Text, Index: schema.IndexDocs}}}})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		text := func(n int) []byte {
			var b strings.Builder
			for range r.IntN(n) {
				fmt.Fprintf(&b, "w%d ", r.IntN(5))
			}
			return []byte(b.String())
		}
		d := writer.Doc{ID: fmt.Append(nil, "doc", i), Values: []schema.Value{schema.TextValue(0, text(60)), schema.TextValue(1, text(40)), schema.TextValue(2, text(9))}}
		if err := w.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(t.Context()), w.Delete(t.Context(), []byte("doc7")), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	s, end, err := cli.Snapshot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer searcher.Close()
	found, err := searcher.Search(t.Context(), search.Query{Text: "w1 w3 w1 nosuch", K: 60})
	if err != nil || len(found.Hits) == 0 {
		t.Fatal(found, err)
	}
	x, err := Open(dir, Whole)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, h := range found.Hits {
		id, err := s.AppendID(nil, h.Doc)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(x, query.Params{}, "w1 w3 w1 nosuch", string(id))
		if err != nil || e.Score != h.Score || len(e.Terms) != 9 {
			t.Fatalf("%s: %+v, %v, want %v", id, e, err, h.Score)
		}
	}
	if _, err := Explain(x, query.Params{}, "w1", "doc7"); err == nil {
		t.Error("a deleted document is explained")
	}
}
