package pinion_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
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
	fs := memfs.New()
	w, err := writer.OpenFS(context.Background(), fs, writer.Options{Schema: schema.Implicit(analyzer, "", stored)})
	if err == nil {
		err = w.Commit(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	x, err := reader.Open(context.Background(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &index{w, x}
}

func (x *index) add(t tb, id, text string) {
	t.Helper()
	if err := x.w.Add(context.Background(), writer.Text([]byte(id), []byte(text))); err != nil {
		t.Fatal(err)
	}
}

// pages returns a Searcher over what is committed, and its snapshot.
func (x *index) pages(t tb) (*pinion.View, *reader.Snapshot) {
	t.Helper()
	err := x.w.Commit(context.Background())
	if err == nil {
		_, err = x.x.Refresh(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := x.x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	p, err := pinion.NewView(s, nil)
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
func marked(h *pinion.Hit) string {
	var b strings.Builder
	if h.Passage().Before {
		b.WriteString("... ")
	}
	at := 0
	for _, s := range h.Passage().Spans {
		fmt.Fprintf(&b, "%s[%s]", h.Passage().Text[at:s.Start], h.Passage().Text[s.Start:s.End])
		at = s.End
	}
	b.WriteString(h.Passage().Text[at:])
	if h.Passage().Behind {
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
		page, err := pages.Search(t.Context(), pinion.Request{Query: query.Match{Text: c.query}, Fields: []string{""}, Snippet: &pinion.Snippet{Length: 90}})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(page.Hits, func(h pinion.Hit) bool { return string(h.ID) == "a" })
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
		r := pinion.Request{Query: query.Match{Text: q}, Fields: []string{""}, Snippet: &pinion.Snippet{Length: length}}
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
				length = pinion.DefaultSnippetLength
			}
			if n := utf8.RuneCountInString(h.Passage().Text); n > length {
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
func checkPassage(t *rapid.T, h *pinion.Hit, a analysis.Analyzer, terms map[string]bool, text string) {
	for from := 0; from <= len(text); from++ {
		if !strings.HasPrefix(text[from:], string(h.Passage().Text)) || h.Passage().Before != (from > 0) || h.Passage().Behind != (from+len(h.Passage().Text) < len(text)) {
			continue
		}
		if slices.Equal(tokensOf(a, terms, text, from, from+len(h.Passage().Text)), h.Passage().Spans) {
			return
		}
	}
	t.Fatalf("passage %q with spans %v (%t, %t) of %q", h.Passage().Text, h.Passage().Spans, h.Passage().Before, h.Passage().Behind, text)
}

// tokensOf returns the tokens with the terms that lie in a part of a text, relative to it.
func tokensOf(a analysis.Analyzer, terms map[string]bool, text string, from, to int) (spans []pinion.Span) {
	var tokens analysis.Tokens
	a.Tokenizer().Tokenize(&tokens, []byte(text))
	for tok := range tokens.All() {
		if !terms[string(tok.Term)] || tok.Start < from || tok.End > to || tok.Start == tok.End {
			continue
		}
		s := pinion.Span{Start: tok.Start - from, End: tok.End - from}
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
		whole, err := pages.Search(context.Background(), pinion.Request{Query: q, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		k := rapid.IntRange(1, 9).Draw(t, "k")
		var got []pinion.Hit
		for after := (*pinion.After)(nil); ; {
			total := rapid.Bool().Draw(t, "total")
			page, err := pages.Search(context.Background(), pinion.Request{Query: q, Limit: k, After: after, Total: total})
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
			if w := whole.Hits[i]; h.ID != w.ID || h.Score != w.Score {
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
	page, err := pages.Search(t.Context(), pinion.Request{Query: query.Match{Text: "same"}, Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.w.Delete(context.Background(), []byte(page.Next().ID)); err != nil {
		t.Fatal(err)
	}
	pages, _ = x.pages(t)
	page, err = pages.Search(t.Context(), pinion.Request{Query: query.Match{Text: "same"}, After: &pinion.After{Score: page.Hits[1].Score * 2, ID: page.Next().ID}})
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
	for want, r := range map[string]pinion.Request{
		"no Query":                       {},
		`there is no field "body"`:       {Query: match, Fields: []string{"body"}},
		`the field "text" is not stored`: {Query: match, Snippet: &pinion.Snippet{}},
		"snippet of -1 characters":       {Query: match, Snippet: &pinion.Snippet{Length: -1}},
		"-1 hits after 0":                {Query: match, Limit: -1},
		"0 hits after -2":                {Query: match, Offset: -2},
		"either at an offset":            {Query: match, Offset: 1, After: &pinion.After{}},
		`field "x"`:                      {Query: query.Match{Field: "x", Text: "text"}},
	} {
		if _, err := pages.Search(t.Context(), r); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one that says %q", err, want)
		}
	}
	if _, err := pinion.NewView(nil, nil); !errors.Is(err, pinion.ErrInvalid) {
		t.Error(err)
	}
	if err := pages.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*pinion.View{pages, new(pinion.View)} {
		if _, err := p.Search(t.Context(), pinion.Request{Query: match}); !errors.Is(err, pinion.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
		if err := p.Close(); err != nil {
			t.Errorf("closed twice: %v", err)
		}
	}
	s.Close()
	if _, err := pinion.NewView(s, nil); err == nil {
		t.Error("a closed snapshot")
	}
}
