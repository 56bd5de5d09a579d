package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/search"
	"github.com/pinion-index/pinion/writer"
)

// tb is the common part of testing.TB and rapid.T.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// index is an index in memory with stored text.
type index struct {
	w *writer.Writer
	x *reader.Index
}

func open(t tb, analyzer string, stored bool) *index {
	t.Helper()
	a, err := analysis.New(analyzer, "")
	if err != nil {
		t.Fatal(err)
	}
	fs := memfs.New()
	w, err := writer.OpenFS(context.Background(), fs, writer.Options{Analyzer: a, Stored: stored})
	if err == nil {
		err = w.Commit(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	x, err := reader.OpenFS(fs)
	if err != nil {
		t.Fatal(err)
	}
	return &index{w, x}
}

func (x *index) add(t tb, id, text string) {
	t.Helper()
	if err := x.w.Add(context.Background(), writer.Document{ID: []byte(id), Contents: []byte(text)}); err != nil {
		t.Fatal(err)
	}
}

// pages returns a Searcher over what is committed, and its snapshot.
func (x *index) pages(t tb) (*search.Searcher, *reader.Snapshot) {
	t.Helper()
	err := x.w.Commit(context.Background())
	if err == nil {
		_, err = x.x.Refresh()
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := x.x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewSearcher(s, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := search.New(s, q)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

func (x *index) close() {
	x.x.Close()
	x.w.Close()
}

// marked returns a passage with its words in brackets.
func marked(h *search.Hit) string {
	var b strings.Builder
	if h.Before {
		b.WriteString("... ")
	}
	at := 0
	for _, s := range h.Spans {
		fmt.Fprintf(&b, "%s[%s]", h.Text[at:s.Start], h.Text[s.Start:s.End])
		at = s.End
	}
	b.Write(h.Text[at:])
	if h.Behind {
		b.WriteString(" ...")
	}
	return b.String()
}

// A page has the ids, the values and the best passages.
func TestPage(t *testing.T) {
	long := strings.Repeat("Nothing of interest here, as on most days. ", 20)
	for _, c := range []struct{ analyzer, text, query, want string }{
		{"simple", "He leadeth me beside the still waters.", "waters still", "He leadeth me beside the [still] [waters]."},
		{"english", "She was running where others run.", "runs", "She was [running] where others [run]."},
		{"simple", "No word of the query.", "other", "No word of the query."},
		{"simple", long + "Then a rare thing happened: the river rose. " + long, "river thing",
			"... days. Then a rare [thing] happened: the [river] rose. Nothing of interest here, as on most ..."},
		{"simple", "river " + long + "the river and the thing " + long, "thing river rivers", "... as on most days. the [river] and the [thing] Nothing of interest here, as on most days. ..."},
		{"cjk", strings.Repeat("今日は晴れです。", 40) + "東京都に行きました。" + strings.Repeat("今日は晴れです。", 40), "東京都",
			"... 晴れです。今日は晴れです。今日は晴れです。今日は晴れです。[東京都]に行きました。今日は晴れです。今日は晴れです。今日は晴れです。今日は晴れです。今日は晴れです。今日は晴れです。今日は ..."},
		{"code", "func parseHeader(b []byte) error", "header", "func parse[Header](b []byte) error"},
	} {
		x := open(t, c.analyzer, true)
		x.add(t, "a", c.text)
		x.add(t, "b", "another document "+c.query)
		pages, _ := x.pages(t)
		page, err := pages.Search(t.Context(), search.Request{Query: query.Match{Text: c.query}, Fields: []string{""}, Snippet: &search.Snippet{Length: 90}})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(page.Hits, func(h search.Hit) bool { return string(h.ID) == "a" })
		if i < 0 {
			if c.want != c.text {
				t.Errorf("%s is not found", c.query)
			}
			continue
		}
		h := &page.Hits[i]
		if got := marked(h); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.query, got, c.want)
		}
		if len(h.Values) != 1 || string(h.Values[0].Bytes()) != c.text || page.Next() != nil {
			t.Errorf("%s: values %v, next %v", c.query, h.Values, page.Next())
		}
		x.close()
	}
}

// words are of several scripts; some are equal to the analyzers.
var words = []string{"run", "running", "Runs", "the", "über", "东京", "東京都", "ไทย", "café", "cafe\u0301", "x.y", "fooBar", "\xff\xfe", "don’t", "a",
	strings.Repeat("long", 30), "e\u0301\u0301", "हिन्दी", "🙂", "\x00"}

func drawText(t *rapid.T, label string, most int) string {
	var b strings.Builder
	for _, w := range rapid.SliceOfN(rapid.SampledFrom(words), 0, most).Draw(t, label) {
		b.WriteString(w)
		b.WriteString(rapid.SampledFrom([]string{" ", " ", " ", "", "\n", ", "}).Draw(t, "space"))
	}
	return b.String()
}

// A passage is a part of the stored text of at most the characters asked for, and its spans are
// the tokens whose terms the query has, joined where they overlap.
func TestPassages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		analyzer := rapid.SampledFrom([]string{"simple", "standard", "english", "whitespace", "cjk", "code", "keyword"}).Draw(t, "analyzer")
		x := open(t, analyzer, true)
		defer x.close()
		texts := map[string]string{}
		for i := range rapid.IntRange(1, 5).Draw(t, "documents") {
			id := fmt.Sprint(i)
			texts[id] = drawText(t, "text", 60)
			x.add(t, id, texts[id])
		}
		pages, s := x.pages(t)
		q := drawText(t, "query", 4)
		length := rapid.IntRange(0, 120).Draw(t, "length")
		r := search.Request{Query: query.Match{Text: q}, Fields: []string{""}, Snippet: &search.Snippet{Length: length}}
		page, err := pages.Search(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := analysis.New(s.Analyzer())
		terms := map[string]bool{}
		for _, w := range analysis.Terms(a.Tokenizer(), []byte(q)) {
			terms[string(w)] = true
		}
		for i := range page.Hits {
			h, text := &page.Hits[i], texts[string(page.Hits[i].ID)]
			if string(h.Values[0].Bytes()) != text {
				t.Fatalf("value %q of %q", h.Values[0].Bytes(), text)
			}
			if length == 0 {
				length = search.DefaultLength
			}
			if n := utf8.RuneCount(h.Text); n > length {
				t.Fatalf("passage of %d characters", n)
			}
			checkPassage(t, h, a, terms, text)
			spans, err := pages.Marks(r.Query, "", []byte(text))
			if want := tokensOf(a, terms, text, 0, len(text)); err != nil || !slices.Equal(spans, want) {
				t.Fatalf("marks %v of %q, want %v, %v", spans, text, want, err)
			}
		}
	})
}

// checkPassage compares the spans of a hit with the analyzer's tokens.
func checkPassage(t *rapid.T, h *search.Hit, a analysis.Analyzer, terms map[string]bool, text string) {
	for from := 0; from <= len(text); from++ {
		if !strings.HasPrefix(text[from:], string(h.Text)) || h.Before != (from > 0) || h.Behind != (from+len(h.Text) < len(text)) {
			continue
		}
		if slices.Equal(tokensOf(a, terms, text, from, from+len(h.Text)), h.Spans) {
			return
		}
	}
	t.Fatalf("passage %q with spans %v (%t, %t) of %q", h.Text, h.Spans, h.Before, h.Behind, text)
}

// tokensOf returns the tokens with the terms that lie in a part of a text, relative to it.
func tokensOf(a analysis.Analyzer, terms map[string]bool, text string, from, to int) (spans []search.Span) {
	var tokens analysis.Tokens
	a.Tokenizer().Tokenize(&tokens, []byte(text))
	for tok := range tokens.All() {
		if !terms[string(tok.Term)] || tok.Start < from || tok.End > to || tok.Start == tok.End {
			continue
		}
		s := search.Span{Start: tok.Start - from, End: tok.End - from}
		if n := len(spans); n > 0 && s.Start < spans[n-1].End {
			spans[n-1].End = max(spans[n-1].End, s.End)
		} else {
			spans = append(spans, s)
		}
	}
	return spans
}

// Pages joined are the whole result, though segments are merged between them.
func TestPaging(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := open(t, "simple", rapid.Bool().Draw(t, "stored"))
		defer x.close()
		for i := range rapid.IntRange(0, 40).Draw(t, "documents") {
			x.add(t, fmt.Sprint("id", i), strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3).Draw(t, "text"), " "))
			if rapid.IntRange(0, 7).Draw(t, "flush") == 0 {
				if err := x.w.Flush(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		}
		pages, _ := x.pages(t)
		q := query.Match{Text: "a b"}
		whole, err := pages.Search(context.Background(), search.Request{Query: q, K: 1000})
		if err != nil {
			t.Fatal(err)
		}
		k := rapid.IntRange(1, 9).Draw(t, "k")
		var got []search.Hit
		for after := (*search.After)(nil); ; {
			total := rapid.Bool().Draw(t, "total")
			page, err := pages.Search(context.Background(), search.Request{Query: q, K: k, After: after, Total: total})
			if err != nil {
				t.Fatal(err)
			}
			if want := uint64(len(whole.Hits)); total && page.Total != want || !total && page.Total != 0 {
				t.Fatalf("a total of %d, want %d if asked for: %v", page.Total, want, total)
			}
			got = append(got, page.Hits...)
			if after = page.Next(); after == nil {
				break
			}
			if rapid.Bool().Draw(t, "merge") {
				if _, err := x.w.Merge(context.Background(), writer.MergeOptions{}); err != nil {
					t.Fatal(err)
				}
				pages, _ = x.pages(t)
			}
		}
		if len(got) != len(whole.Hits) {
			t.Fatalf("%d hits in pages of %d, %d in all", len(got), k, len(whole.Hits))
		}
		for i, h := range got {
			if w := whole.Hits[i]; !bytes.Equal(h.ID, w.ID) || h.Score != w.Score {
				t.Fatalf("hit %d: %s %v, want %s %v", i, h.ID, h.Score, w.ID, w.Score)
			}
		}
	})
}

// A page goes on after a document that was deleted meanwhile, and skips no hit.
func TestAfterDeleted(t *testing.T) {
	x := open(t, "simple", false)
	defer x.close()
	for _, id := range []string{"a", "b", "c"} {
		x.add(t, id, "same words")
	}
	pages, _ := x.pages(t)
	page, err := pages.Search(t.Context(), search.Request{Query: query.Match{Text: "same"}, K: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.w.Delete(context.Background(), page.Next().ID); err != nil {
		t.Fatal(err)
	}
	pages, _ = x.pages(t)
	page, err = pages.Search(t.Context(), search.Request{Query: query.Match{Text: "same"}, After: &search.After{Score: page.Hits[1].Score * 2, ID: page.Next().ID}})
	if err != nil || len(page.Hits) != 2 || string(page.Hits[1].ID) != "c" {
		t.Errorf("%+v, %v", page, err)
	}
}

// What cannot be answered says why.
func TestErrors(t *testing.T) {
	x := open(t, "simple", false)
	defer x.close()
	x.add(t, "a", "text")
	pages, s := x.pages(t)
	match := query.Match{Text: "text"}
	for want, r := range map[string]search.Request{
		"no Query":                 {},
		`there is no field "body"`: {Query: match, Fields: []string{"body"}},
		"the index stores no text": {Query: match, Snippet: &search.Snippet{}},
		"snippet of -1 characters": {Query: match, Snippet: &search.Snippet{Length: -1}},
		"K is -1":                  {Query: match, K: -1},
		`field "x"`:                {Query: query.Match{Field: "x", Text: "text"}},
	} {
		if _, err := pages.Search(t.Context(), r); !errors.Is(err, search.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one that says %q", err, want)
		}
	}
	if _, err := search.New(nil, nil); !errors.Is(err, search.ErrInvalid) {
		t.Error(err)
	}
	if err := pages.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*search.Searcher{pages, new(search.Searcher)} {
		if _, err := p.Search(t.Context(), search.Request{Query: match}); !errors.Is(err, search.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
		if err := p.Close(); err != nil {
			t.Errorf("closed twice: %v", err)
		}
	}
	s.Close()
	if _, err := search.New(s, new(query.Searcher)); err == nil {
		t.Error("a closed snapshot")
	}
}
