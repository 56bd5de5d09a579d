package pinion_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
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

// scriptWords are words of several scripts, of one to four bytes a character, some of which few texts have.
var scriptWords = []string{"the", "rose", "appendix", "zebra", "Größe", "äöü", "naïve", "река", "большой", "зебра", "東京", "大阪府", "上海", "キリン", "ไทย",
	"हिन्दी", "שלום", "e\u0301te\u0301", "🦓", "👩\u200d👩\u200d👧", "🇩🇪🇫🇷", "👍🏽", "𐐀𐐁", "\xff\xfe", "don’t", strings.Repeat("ж", 30)}

// scriptText draws a text in which some scripts prevail, so that characters do not have as many bytes everywhere.
func scriptText(t *rapid.T, most int) string {
	var b strings.Builder
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		some := rapid.SliceOfN(rapid.SampledFrom(scriptWords), 1, 3).Draw(t, "some")
		for _, w := range rapid.SliceOfN(rapid.SampledFrom(append(some, scriptWords...)), 0, most).Draw(t, "words") {
			b.WriteString(w)
			b.WriteString(rapid.SampledFrom([]string{" ", " ", " ", "", ", ", "。", "\n"}).Draw(t, "space"))
		}
	}
	return b.String()
}

// weigher weighs passages without the help of a View.
type weigher struct {
	weights map[string]float64 // by term
	tokens  []analysis.Token
	text    string
}

// newWeigher returns one for a text, given all texts.
func newWeigher(a analysis.Analyzer, query, text string, all []string) *weigher {
	w := &weigher{weights: map[string]float64{}, text: text}
	for _, term := range analysis.Terms(a.Tokenizer(), []byte(query)) {
		df := 0
		for _, x := range all {
			if slices.ContainsFunc(analysis.Terms(a.Tokenizer(), []byte(x)), func(t []byte) bool { return string(t) == string(term) }) {
				df++
			}
		}
		w.weights[string(term)] = math.Log1p(float64(len(all)) / float64(1+df))
	}
	var tokens analysis.Tokens
	a.Tokenizer().Tokenize(&tokens, []byte(text))
	for t := range tokens.All() {
		if t.Term = slices.Clone(t.Term); w.weights[string(t.Term)] > 0 && t.Start < t.End {
			w.tokens = append(w.tokens, t)
		}
	}
	return w
}

// between returns what the words between two places weigh, and how often a word comes there again.
func (w *weigher) between(from, to int) (sum float64) {
	seen := map[string]bool{}
	for _, t := range w.tokens {
		if t.Start >= from && t.End <= to {
			x := w.weights[string(t.Term)]
			if seen[string(t.Term)] {
				x /= 16
			}
			seen[string(t.Term)] = true
			sum += x
		}
	}
	return sum
}

// best returns what the best passage of length characters weighs, of all that begin with a word.
func (w *weigher) best(length int) (most float64) {
	for _, t := range w.tokens {
		to := t.Start
		for range length {
			_, n := utf8.DecodeRuneInString(w.text[to:])
			to += n
		}
		most = max(most, w.between(t.Start, to))
	}
	return most
}

// Whatever the scripts and the length, the passage has the words that weigh most within that length, whole characters, and is no longer.
func TestPassageOfScripts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		analyzer := rapid.SampledFrom([]string{"simple", "standard", "cjk", "code", "whitespace"}).Draw(r, "analyzer")
		x := open(r, analyzer, true)
		defer x.close()
		var all []string
		for i := range rapid.IntRange(1, 3).Draw(r, "documents") {
			all = append(all, scriptText(r, 60))
			x.add(r, string(rune('0'+i)), all[i])
		}
		pages, s := x.pages(r)
		a, _ := analysis.New(s.Analyzer())
		q := strings.Join(rapid.SliceOfN(rapid.SampledFrom(scriptWords), 1, 3).Draw(r, "query"), " ")
		length := rapid.IntRange(1, 90).Draw(r, "length")
		page, err := pages.Search(context.Background(), pinion.Request{Query: query.Match{Text: q}, Snippet: &pinion.Snippet{Length: length}})
		if err != nil {
			r.Fatal(err)
		}
		for i := range page.Hits {
			h, text := &page.Hits[i], all[page.Hits[i].ID[0]-'0']
			w := newWeigher(a, q, text, all)
			got, want := -1.0, w.best(length)
			for from := range len(text) + 1 { // it may be there several times
				if strings.HasPrefix(text[from:], string(h.Passage().Text)) && h.Passage().Before == (from > 0) {
					got = max(got, w.between(from, from+len(h.Passage().Text)))
				}
			}
			if got < want*(1-1e-4) {
				r.Fatalf("%d characters for %q of %q: %q weighs %v, not %v", length, q, text, h.Passage().Text, got, want)
			}
			if n := utf8.RuneCountInString(h.Passage().Text); n > length || n == 0 {
				r.Fatalf("%d characters, not up to %d: %q", n, length, h.Passage().Text)
			}
			if utf8.ValidString(text) && !utf8.ValidString(h.Passage().Text) {
				r.Fatalf("%q has parts of characters", h.Passage().Text)
			}
		}
	})
}

// Where a passage is cut, accents stay with their letters, and the parts of an emoji together.
func TestPassageCharacters(t *testing.T) {
	for _, unit := range []string{"e\u0301\u0323", "👩\u200d👩\u200d👧", "👍🏽", "🇩🇪", "नि"} {
		text := strings.Repeat(unit, 40) + " zebra " + strings.Repeat(unit, 40)
		x := open(t, "whitespace", true)
		x.add(t, "a", text)
		pages, _ := x.pages(t)
		for length := 12; length < 40; length++ {
			page, err := pages.Search(t.Context(), pinion.Request{Query: query.Match{Text: "zebra"}, Snippet: &pinion.Snippet{Length: length}})
			if err != nil || len(page.Hits) != 1 {
				t.Fatal(page, err)
			}
			h := page.Hits[0]
			rest := strings.ReplaceAll(strings.Map(func(c rune) rune {
				if unicode.IsSpace(c) {
					return -1
				}
				return c
			}, string(h.Passage().Text)), unit, "")
			if rest != "zebra" || len(h.Passage().Spans) != 1 {
				t.Errorf("%q, %d characters: %q", unit, length, h.Passage().Text)
			}
		}
		x.close()
	}
}

// Texts in which an average of bytes a character lost the only word of the query.
func TestPassageBeyondASCII(t *testing.T) {
	for _, c := range []struct {
		text, query string
		length      int
		want        string
	}{
		{strings.Repeat("Größe äöü ", 30) + "see also the appendix about zebra", "zebra", 60, "zebra"},
		{strings.Repeat("zebra plain words ", 30) + strings.Repeat("река большой ", 90) + "жираф", "жираф", 20, "жираф"},
		{strings.Repeat("大阪府と上海。", 60) + " and only then an ordinary giraffe", "giraffe", 24, "giraffe"},
		{strings.Repeat("a ", 500) + "東京", "東京", 2, "東京"},
		{"ääää öööö", "öööö", 1, ""}, // no word is so short: the beginning of one
	} {
		x := open(t, "standard", true)
		x.add(t, "a", c.text)
		pages, _ := x.pages(t)
		page, err := pages.Search(t.Context(), pinion.Request{Query: query.Match{Text: c.query}, Snippet: &pinion.Snippet{Length: c.length}})
		if err != nil || len(page.Hits) != 1 {
			t.Fatal(page, err)
		}
		h := page.Hits[0]
		got := ""
		for _, s := range h.Passage().Spans {
			got += string(h.Passage().Text[s.Start:s.End])
		}
		if !strings.HasPrefix(got, c.want) || !utf8.ValidString(h.Passage().Text) || c.length == 1 && string(h.Passage().Text) != "ö" {
			t.Errorf("%s: %q with %q marked", c.query, h.Passage().Text, got)
		}
		x.close()
	}
}

// texts returns pages over documents of three fields of text, which are given as lists of a field's number and a value.
func texts(t *testing.T, docs ...[]schema.Value) (*pinion.View, func()) {
	fs := memfs.New()
	field := func(name string) schema.Field {
		return schema.Field{Name: name, Kind: schema.Text, Analyzer: "simple", Positions: true, Stored: true}
	}
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{field("title"), field("author"), field("body")}}})
	do := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	do(err)
	for i, values := range docs {
		do(w.Add(t.Context(), writer.Doc{ID: []byte{'0' + byte(i)}, Values: values}))
	}
	do(w.Commit(t.Context()))
	do(w.Close())
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	snapshot, err := x.Snapshot()
	do(err)
	s, err := pinion.NewView(snapshot, nil)
	do(err)
	return s, func() {
		s.Close()
		snapshot.Close()
		x.Close()
	}
}

// The passage is of the value, and of the field, in which the words are.
func TestPassageOfWhatMatches(t *testing.T) {
	value := func(field int, text string) schema.Value { return schema.TextValue(field, []byte(text)) }
	s, done := texts(t,
		[]schema.Value{value(1, "Ada Stone"), value(1, "Benjamin Longername Overfield")},
		[]schema.Value{value(0, "Image viewer"), value(1, "Maintainers of many packages <maintainers@example.org>"), value(2, "Shows pictures")},
		[]schema.Value{value(0, "Viewer"), value(1, "An image of somebody with a very long name"), value(2, "A small image viewer")},
		[]schema.Value{value(0, "Old image viewer"), value(2, "The image viewer that came before")},
	)
	defer done()
	for _, c := range []struct {
		node  query.Node
		field string
		id    string
		want  string
	}{
		{query.Match{Field: "author", Text: "ada"}, "author", "0", "[Ada] Stone"},
		{query.Match{Field: "author", Text: "ada"}, "", "0", "[Ada] Stone"},
		{query.Match{Text: "overfield"}, "", "0", "Benjamin Longername [Overfield]"},
		{query.Phrase{Text: "ada stone"}, "", "0", "[Ada] [Stone]"},
		{query.Prefix{Field: "author", Text: "ston"}, "", "0", "Ada [Stone]"},
		{query.Match{Text: "image viewer"}, "", "1", "[Image] [viewer]"},
		{query.Match{Text: "image viewer"}, "", "2", "A small [image] [viewer]"},
		{query.Match{Text: "image viewer"}, "", "3", "The [image] [viewer] that came before"}, // of two that have all, the longer
		{query.Match{Text: "image viewer"}, "title", "3", "Old [image] [viewer]"},
	} {
		page, err := s.Search(t.Context(), pinion.Request{Query: c.node, Snippet: &pinion.Snippet{Field: c.field}})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(page.Hits, func(h pinion.Hit) bool { return string(h.ID) == c.id })
		if i < 0 || marked(&page.Hits[i]) != c.want {
			t.Errorf("%+v in %q: %+v, want %q", c.node, c.field, page.Hits, c.want)
		}
	}
}
