package compat

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// englishIndex is an index of analyzer english from before its option apostrophes, with
// these documents:
//
//	1  The dog’s bone isn’t rock ’n’ roll
//	2  The dog's bone isn't rock 'n' roll
//	3  dogʼs and dog＇s and dog‘s
//	4  running, nationally, généreusement, 日本 м’ята
const englishIndex = "english-0.2.tar.gz"

// best returns the id of the best document for text, or "".
func best(t *testing.T, dir, text string) string {
	t.Helper()
	index, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	searcher, err := search.NewSearcher(snapshot, search.Options{Params: query.Params{K1: 0.9, B: 0.4}})
	if err != nil {
		t.Fatal(err)
	}
	terms, err := searcher.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	q := search.Query{RawTerms: terms, K: 1}
	r, err := searcher.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Hits) == 0 {
		return ""
	}
	id, err := snapshot.AppendID(nil, r.Hits[0].Doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(id)
}

// An index whose options say nothing of apostrophes keeps them, in what it holds, in
// queries, and in what is added to it.
func TestIndexWithoutApostrophes(t *testing.T) {
	ctx := t.Context()
	dir := unpack(t, filepath.Join("testdata", englishIndex))
	answers := map[string]string{"dog": "2", "dog's": "2", "dog’s": "1", "isn't": "2", "isn’t": "1", "dogʼs": "3", "м’ята": "4", "м'ята": "", "generous": ""}
	for text, want := range answers {
		if got := best(t, dir, text); got != want {
			t.Errorf("%s: document %q, want %q", text, got, want)
		}
	}
	w, err := writer.Open(ctx, dir, writer.Options{Schema: schema.Implicit("english", "", false)})
	if err != nil {
		t.Fatalf("opening it by name alone: %v", err)
	}
	err = errors.Join(w.Add(ctx, writer.Text([]byte("5"), []byte("a cat’s life"))), w.Commit(ctx), w.Close())
	if err != nil {
		t.Fatal(err)
	}
	answers["cat’s"], answers["cat"] = "5", ""
	for text, want := range answers {
		if got := best(t, dir, text); got != want {
			t.Errorf("after adding, %s: document %q, want %q", text, got, want)
		}
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	if w, err = writer.Open(ctx, fresh, writer.Options{Schema: schema.Implicit("english", "", false)}); err != nil {
		t.Fatal(err)
	}
	err = errors.Join(w.Add(ctx, writer.Text([]byte("6"), []byte("a cat’s life"))), w.Commit(ctx), w.Close())
	if err != nil {
		t.Fatal(err)
	}
	if got := best(t, fresh, "cat"); got != "6" {
		t.Errorf("in a new index, cat is in %q", got)
	}
	if _, err := writer.MergeInto(ctx, dir, []store.ReadFS{store.Dir(fresh)}, writer.Options{}, writer.MergeOptions{}); !errors.Is(err, writer.ErrAnalyzer) {
		t.Errorf("merging one that folds apostrophes into it: %v", err)
	}
}
