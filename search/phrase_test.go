package search_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/search"
	"github.com/pinion-index/pinion/writer"
)

// marker returns a Searcher whose Marks is asked, over an index with the fields plain, of analyzer simple, en, of
// english, and tag, a keyword.
func marker(t *testing.T) *search.Searcher {
	t.Helper()
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "plain", Kind: schema.KindText, Analyzer: "simple"}, {Name: "en", Kind: schema.KindText, Analyzer: "english"}, {Name: "tag", Kind: schema.KindKeyword}}}})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(err)
	do(w.AddDoc(t.Context(), writer.Doc{ID: []byte("a"), Values: []schema.Value{schema.TextValue(0, []byte("a"))}}))
	do(w.Commit(t.Context()))
	do(w.Close())
	x, err := reader.OpenFS(fs)
	do(err)
	t.Cleanup(func() { x.Close() })
	snapshot, err := x.Snapshot()
	do(err)
	t.Cleanup(func() { snapshot.Close() })
	q, err := query.NewSearcher(snapshot, query.Options{})
	do(err)
	t.Cleanup(func() { q.Close() })
	s, err := search.New(snapshot, q)
	do(err)
	t.Cleanup(func() { s.Close() })
	return s
}

// bracketed returns the text with its marks in brackets.
func bracketed(t interface{ Fatal(...any) }, s *search.Searcher, n query.Node, field, text string) string {
	spans, err := s.Marks(n, field, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	at := 0
	for _, x := range spans {
		fmt.Fprintf(&b, "%s[%s]", text[at:x.Start], text[x.Start:x.End])
		at = x.End
	}
	return b.String() + text[at:]
}

// The words of a phrase are marked where it matches, and others everywhere.
func TestPhrasesMarked(t *testing.T) {
	s := marker(t)
	phrase := func(text string) query.Phrase { return query.Phrase{Field: "plain", Text: text} }
	for _, tt := range []struct {
		node       query.Node
		field      string
		text, want string
	}{
		{phrase("red rose"), "plain", "a rose, Red rose red", "a rose, [Red] [rose] red"},
		{phrase("red rose"), "plain", "rose red", "rose red"},
		{query.Bool{Must: []query.Node{phrase("red rose"), query.Match{Field: "plain", Text: "rose"}}}, "plain", "rose, red rose red", "[rose], [red] [rose] red"},
		{query.Bool{Should: []query.Node{query.Match{Field: "plain", Text: "rose"}, phrase("red rose")}}, "plain", "rose, red rose red", "[rose], [red] [rose] red"},
		{query.Bool{Should: []query.Node{phrase("red rose"), phrase("rose garden")}}, "plain", "red rose garden red garden", "[red] [rose] [garden] red garden"},
		{query.Bool{Must: []query.Node{query.Match{Field: "plain", Text: "a"}}, Not: []query.Node{phrase("red rose")}}, "plain", "a red rose", "[a] red rose"},
		{query.Phrase{Field: "plain", Text: "red rose", Slop: 1}, "plain", "red x rose red x y rose", "[red] x [rose] red x y rose"},
		{query.Phrase{Field: "plain", Text: "red rose", Slop: 2}, "plain", "rose red", "[rose] [red]"},
		{query.Phrase{Field: "plain", Text: "red ro", Prefix: true}, "plain", "red rows ro red rose", "[red] [rows] ro [red] [rose]"},
		{query.Phrase{Field: "plain", Text: "ro", Prefix: true}, "plain", "red rows ro red rose", "red [rows] [ro] red [rose]"},
		{query.Phrase{Field: "plain", Text: "to be to"}, "plain", "to be to be to be", "[to] [be] [to] be to be"},
		{query.Phrase{Field: "plain", Terms: []string{"to", "be"}}, "plain", "to be to", "[to] [be] to"},
		{query.Phrase{Field: "plain", Text: "red"}, "plain", "a red rose", "a [red] rose"},
		{query.Phrase{Field: "en", Text: "flights to London"}, "en", "a flight to London, flights London", "a [flight] to [London], flights London"},
		{query.Phrase{Text: "red rose"}, "en", "roses, red roses", "roses, [red] [roses]"},
		{query.Phrase{Text: "red rose"}, "plain", "roses, red rose", "roses, [red] [rose]"},
		{query.Phrase{Field: "en", Text: "red rose"}, "plain", "red rose", "red rose"},
		{query.Phrase{Field: "plain", Text: "red rose", Slop: -1}, "plain", "red rose", "red rose"},
		{query.Near{Field: "plain", Text: "red rose", Distance: 1}, "plain", "rose x red, rose x y red", "[rose] x [red], rose x y red"},
		{query.Near{Field: "plain", Text: "red rose", Distance: 1, Ordered: true}, "plain", "rose x red x rose", "rose x [red] x [rose]"},
		{query.Bool{Should: []query.Node{phrase("red rose"), query.Prefix{Field: "plain", Prefix: "ro"}}}, "plain", "rose, row, red rose red", "[rose], [row], [red] [rose] red"},
		{query.Bool{Should: []query.Node{query.Phrase{Field: "plain", Text: "red ro", Prefix: true}, query.Term{Field: "plain", Term: []byte("row")}}}, "plain", "row, ro, red ro", "[row], ro, [red] [ro]"},
	} {
		if got := bracketed(t, s, tt.node, tt.field, tt.text); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.node, got, tt.want)
		}
	}
}

// As many words are marked as the matches of a phrase have.
func TestPhraseMarksCount(t *testing.T) {
	s := marker(t)
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c"})
		text := rapid.SliceOfN(word, 0, 12).Draw(t, "text")
		words := rapid.SliceOfN(word, 2, 4).Draw(t, "words")
		slop := rapid.IntRange(0, 3).Draw(t, "slop")
		c := oracle.Case{Slop: slop, Near: rapid.Bool().Draw(t, "near")}
		c.Ordered = c.Near && rapid.Bool().Draw(t, "ordered")
		for _, w := range words {
			c.Places = append(c.Places, []string{w})
		}
		var n query.Node = query.Phrase{Field: "plain", Terms: words, Slop: slop}
		if c.Near {
			n = query.Near{Field: "plain", Terms: words, Distance: slop, Ordered: c.Ordered}
		}
		got := bracketed(t, s, n, "plain", strings.Join(text, " "))
		if want := len(words) * c.Sequence().Count(text, nil); strings.Count(got, "[") != want {
			t.Fatalf("%+v: %s, want %d marks", n, got, want)
		}
	})
}
