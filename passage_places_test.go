package pinion_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	_ "github.com/pinion-index/pinion/analysis/languages"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// stored returns a Searcher over documents, of one or more values, in segments of three documents. Their field is indexed with
// positions or without; analyzer is the name of its analyzer, and behind a space its options.
func stored(t *testing.T, analyzer string, positions bool, docs [][]string) (s *pinion.View, done func()) {
	fs := memfs.New()
	analyzer, options, _ := strings.Cut(analyzer, " ")
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "f", Kind: schema.Text, Analyzer: analyzer, Options: options, Positions: positions, Stored: true}}}})
	do := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	do(err)
	for i, values := range docs {
		d := writer.Doc{ID: fmt.Append(nil, i)}
		for _, v := range values {
			d.Values = append(d.Values, schema.TextValue(0, []byte(v)))
		}
		if do(w.Add(t.Context(), d)); i%3 == 2 {
			do(w.Commit(t.Context()))
		}
	}
	do(w.Commit(t.Context()))
	do(w.Close())
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	snapshot, err := x.Snapshot()
	do(err)
	s, err = pinion.NewView(snapshot, nil)
	do(err)
	return s, func() {
		s.Close()
		snapshot.Close()
		x.Close()
	}
}

// passagesOf returns the hits of a node, with passages for which the index is asked about texts of long bytes, and most bytes are
// analyzed otherwise.
func passagesOf(t interface{ Fatal(...any) }, s *pinion.View, n query.Node, length, long, most int) []pinion.Hit {
	defer pinion.Limits(long, most)()
	p, err := s.Search(context.Background(), pinion.Request{Query: n, Snippet: &pinion.Snippet{Field: "f", Length: length}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Hits
}

// whole is more than any text has.
const whole = 1 << 30

var textWords = rapid.OneOf(rapid.SampledFrom([]string{"red", "rose", "Red", "ROSE", "roses", "garden", "the", "of", "x", "a1"}),
	rapid.SampledFrom([]string{"red", "rose", "Rosé", "dying", "skies", "Ärger", "ärger", "e\u0301", "\u0301a", "\u200dred", "İx", "ısı", "IRAK", "foo_bar_foo", "redRose", "HTTPServer", "don’t", "don't", "l’eau",
		"東京タワー", "カ\u3099", "K", "red\u00adrose", "1,000.5", "--", "…", "\xff", "red\xff", strings.Repeat("long", 80), "🇩🇪🇩🇪", "ﬁn"}),
	rapid.StringMatching(`[a-zé]{1,9}`))

// textOf draws a text of words.
func textOf(t *rapid.T, most int) string {
	var b strings.Builder
	between := rapid.SampledFrom([]string{" ", " ", " ", "\n", "  ", ", ", "-", "'", "\t", "\r\n", "\u2003", ". ", "\u0000"})
	for _, w := range rapid.SliceOfN(textWords, 0, most).Draw(t, "words") {
		b.WriteString(w)
		b.WriteString(between.Draw(t, "between"))
	}
	return b.String()
}

// nodeOf draws a query.
func nodeOf(t *rapid.T, phrases bool) query.Node {
	one := func(t *rapid.T) query.Node {
		text := strings.Join(rapid.SliceOfN(textWords, 1, 3).Draw(t, "text"), " ")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			if phrases {
				return query.Phrase{Field: "f", Text: text, Slop: rapid.IntRange(0, 3).Draw(t, "slop")}
			}
		case 1:
			if phrases {
				return query.Near{Field: "f", Text: text, Distance: rapid.IntRange(0, 3).Draw(t, "distance"), Ordered: rapid.Bool().Draw(t, "ordered")}
			}
		}
		return query.Match{Field: "f", Text: text}
	}
	var n query.Bool
	for range rapid.IntRange(1, 3).Draw(t, "shoulds") {
		n.Should = append(n.Should, one(t))
	}
	return n
}

// The passages of texts in which the index counts the words, and says where they are, are those of analyzing all, wherever in
// the text they are.
func TestCountedPassages(t *testing.T) {
	for _, analyzer := range []string{"simple", "standard", "english", "whitespace", "cjk", "code", "french", "turkish",
		"simple unicode=nfkc,fold=accents+case,ignorable=drop", "code unicode=nfc,ignorable=drop,parts=placed"} {
		t.Run(analyzer, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				positions := rapid.Bool().Draw(r, "positions")
				docs := make([][]string, rapid.IntRange(1, 5).Draw(r, "docs"))
				for i := range docs {
					docs[i] = []string{textOf(r, 60)}
				}
				s, done := stored(t, analyzer, positions, docs)
				defer done()
				for range 3 {
					n, length := nodeOf(r, positions), rapid.IntRange(1, 90).Draw(r, "length")
					want := passagesOf(r, s, n, length, whole, whole)
					if got := passagesOf(r, s, n, length, 0, 20); !reflect.DeepEqual(got, want) {
						r.Fatalf("%+v of %q:\n%+v\nwant %+v", n, docs, got, want)
					}
				}
			})
		})
	}
}

// Of several values of a document the index does not say which has a word, nor does it say where patterns match. Then
// the text is analyzed, as is one of which nothing can be told by its parts.
func TestNotCounted(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		analyzer := rapid.SampledFrom([]string{"standard", "keyword"}).Draw(r, "analyzer")
		docs := make([][]string, rapid.IntRange(1, 5).Draw(r, "docs"))
		for i := range docs {
			for range rapid.IntRange(1, 3).Draw(r, "values") {
				docs[i] = append(docs[i], textOf(r, 20))
			}
		}
		s, done := stored(t, analyzer, true, docs)
		defer done()
		n := nodeOf(r, true)
		if rapid.Bool().Draw(r, "pattern") {
			n = query.Bool{Should: []query.Node{n, query.Prefix{Field: "f", Text: "r"}}}
		}
		want := passagesOf(r, s, n, 50, whole, whole)
		if got := passagesOf(r, s, n, 50, 0, whole); !reflect.DeepEqual(got, want) {
			r.Fatalf("%+v of %q:\n%+v\nwant %+v", n, docs, got, want)
		}
	})
}

// A passage may be anywhere in a text that is longer than what is analyzed to find others: a phrase too, and not a part of it.
func TestPassageBeyond(t *testing.T) {
	filler := strings.Repeat("Eine Rose, ein red Garten. ", 12_000)
	text := "rose red, red " + filler + "the red rose " + filler + " red roses"
	if len(text) < 2*256<<10 {
		t.Fatal(len(text))
	}
	for _, tt := range []struct {
		positions bool
		node      query.Node
		want      string
	}{
		{true, query.Phrase{Field: "f", Text: "red rose"}, "Garten. the [red] [rose] Eine"},
		{true, query.Phrase{Field: "f", Text: "the red rose"}, "[the] [red] [rose]"},
		{true, query.Match{Field: "f", Text: "roses"}, "red [roses]"},
		{false, query.Match{Field: "f", Text: "roses"}, "red [roses]"},
		{false, query.Match{Field: "f", Text: "the rose"}, "[the] red [rose]"},
	} {
		s, done := stored(t, "standard", tt.positions, [][]string{{text}})
		h := passagesOf(t, s, tt.node, 60, 4<<10, 256<<10)[0]
		got, at := "", 0
		for _, x := range h.Passage().Spans {
			got += string(h.Passage().Text[at:x.Start]) + "[" + string(h.Passage().Text[x.Start:x.End]) + "]"
			at = x.End
		}
		if got += string(h.Passage().Text[at:]); !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %s, want %s", tt.node, got, tt.want)
		}
		done()
	}
}
