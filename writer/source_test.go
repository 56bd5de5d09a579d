package writer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A field with the values of another has their terms by its own analyzer: of small documents, of those too large for a batch, and of several
// values, before and after a merge.
func TestSources(t *testing.T) {
	ctx, fs, r := t.Context(), memfs.New(), rand.New(rand.NewPCG(54, 5))
	s := &schema.Schema{Fields: []schema.Field{{Name: "lower", Kind: schema.Text, Analyzer: "simple", Of: "body"}, {Name: "body", Kind: schema.Text, Analyzer: "whitespace"},
		{Name: "again", Kind: schema.Text, Analyzer: "whitespace", Of: "body", Positions: true}}}
	w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: s, Memory: writer.MinMemory, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	want := map[string]map[string]int{"lower": {}, "body": {}, "again": {}}
	for doc := range 12 {
		seen := map[string]map[string]bool{"lower": {}, "body": {}, "again": {}}
		var values []schema.Value
		for range 1 + doc%2 {
			var text strings.Builder
			for range 1 + doc%3*9000 {
				word := string(rune("aAbBcC"[r.IntN(6)])) + fmt.Sprint(r.IntN(500))
				for _, field := range []string{"body", "again"} {
					seen[field][word] = true
				}
				seen["lower"][strings.ToLower(word)] = true
				text.WriteString(word + " ")
			}
			values = append(values, schema.TextValue(1, []byte(text.String())))
		}
		for field, words := range seen {
			for word := range words {
				want[field][word]++
			}
		}
		if err := w.Add(ctx, writer.Doc{ID: fmt.Append(nil, doc), Values: values}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		checkTerms(t, fs, want)
		if _, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1}); err != nil {
			t.Fatal(err)
		}
	}
}

// checkTerms checks the document frequencies of all terms, by field.
func checkTerms(t *testing.T, fs *memfs.FS, want map[string]map[string]int) {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	for field, words := range want {
		f, ok := s.Field(field)
		if !ok {
			t.Fatalf("no field %q", field)
		}
		n := 0
		for all := f.Terms(nil); all.Next(); n++ {
			if got := int(all.DF()); got != words[string(all.Term())] {
				t.Fatalf("%s:%s is in %d documents, want %d", field, all.Term(), got, words[string(all.Term())])
			}
		}
		if n != len(words) {
			t.Fatalf("field %s has %d terms, want %d", field, n, len(words))
		}
	}
}
