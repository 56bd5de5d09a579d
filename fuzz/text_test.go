package fuzz

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/pinion-index/pinion/analysis"
	_ "github.com/pinion-index/pinion/analysis/languages"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// FuzzParse indexes a text and searches for it: a query parsed from the whole text
// finds the document, as it is cut into the same terms.
func FuzzParse(x *testing.F) {
	f := fuzzing.New(x)
	for i, text := range []string{"", "one Two, three's 3.14 four-five", "\xff\xfe a\x00b", "don't  İstanbul Straße ﬁ \u0301x \U0001F600", "the running of the foxes"} {
		f.Add(uint8(i), text)
	}
	names := append([]string{"simple", "standard", "english", "whitespace"}, analysis.Names()...) // old inputs keep theirs
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		text = text[:min(len(text), 1<<12)]
		a, err := analysis.New(names[int(which)%len(names)], "")
		if err != nil {
			t.Fatal(err)
		}
		ctx, fs := context.Background(), memfs.New()
		w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: schema.Implicit(a.Name(), a.Options(), false), Memory: writer.MinMemory, Threads: 1})
		if err == nil {
			err = w.Add(ctx, writer.Text([]byte("x"), []byte(text)))
		}
		if err == nil {
			err = w.Commit(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		s, done := snapshot(t, fs)
		defer done()
		searcher, err := search.NewSearcher(s, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { searcher.Close() })
		terms, err := searcher.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		res, err := searcher.Search(ctx, search.Query{RawTerms: terms, K: 1, Mode: query.ModeAnd})
		if err != nil || (len(res.Hits) == 1) != (len(terms) > 0) {
			t.Fatalf("%q is parsed as %q, which finds %v, %v", text, terms, res.Hits, err)
		}
		want := length(a, text)
		if n, err := s.DocLen(0); err != nil || int(n) != want || want > len(terms) {
			t.Fatalf("%d terms, the document has %d tokens, want %d, %v", len(terms), n, want, err)
		}
	})
}

// length returns the length of a document of text: how many tokens it has, those of one place
// that are equal counted once.
func length(a analysis.Analyzer, text string) int {
	type token struct {
		place int
		term  string
	}
	var toks analysis.Tokens
	a.Tokenizer().Tokenize(&toks, []byte(text))
	place, seen := -1, map[token]bool{}
	for x := range toks.All() {
		place = max(place+int(x.Increment), 0)
		seen[token{place, string(x.Term)}] = true
	}
	return len(seen)
}

// FuzzTextDir reads a folder with two files of arbitrary content, one of them in a
// folder of its own.
func FuzzTextDir(x *testing.F) {
	f := fuzzing.New(x)
	var z bytes.Buffer
	g := gzip.NewWriter(&z)
	g.Write([]byte("inflated text"))
	g.Close()
	f.Add([]byte("text"), z.Bytes())
	f.Add([]byte("\x1f\x8b\x08"), []byte("a\x00b"))
	f.Add([]byte{}, z.Bytes()[:z.Len()-3])
	dir := f.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		f.Fatal(err)
	}
	first, second, hidden := newRewritten(f, filepath.Join(dir, "a")), newRewritten(f, filepath.Join(dir, "sub/b")), newRewritten(f, filepath.Join(dir, ".hidden"))
	if _, err := hidden.WriteString("not to be read"); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		first.write(t, a)
		second.write(t, b)
		s, err := exchange.OpenDocuments(dir, exchange.DocumentOptions{Format: exchange.FormatTextDir})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"a", "sub/b"} {
			d, err := s.Next()
			if err == nil && (string(d.ID) != want || bytes.IndexByte(d.Contents, 0) >= 0) {
				t.Fatalf("document %d is %q with %q", i, d.ID, d.Contents)
			}
		}
		if _, err := s.Next(); err != io.EOF {
			t.Fatalf("a third document, %v", err)
		}
	})
}
