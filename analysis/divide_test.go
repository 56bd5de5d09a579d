package analysis_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/analysis"
)

// The tokens of the parts of a text are those of the whole, in order, with the positions in between.
func TestDivides(t *testing.T) {
	type placed struct {
		term            string
		start, end, pos int
	}
	words := rapid.OneOf(rapid.StringMatching(`[a-zA-Z'é ]{1,9}`), rapid.String(), rapid.SampledFrom([]string{"the", "of", "don’t", "l’eau", "’", "a.b", "1,000", "e\u0301", "\u0301", "\u200d", "\u200da", "a\u00ad",
		"東京タワー", "カ\u3099", "foo_bar", "HTTPServer", "\xff", "🇩🇪🇩", "👩\u200d👩", "İx", "IRAK", "ภาษาไทย", "א\"ב", "ab\u2060", "\u0085", "\u2028"}))
	between := rapid.SampledFrom([]string{" ", " ", "  ", "\n", "\t", "\r\n", "\r", "\f", "\v", "", ". ", " '"})
	for _, name := range []string{"simple", "standard", "english", "whitespace", "cjk", "code", "keyword",
		"simple unicode=nfc,ignorable=drop", "standard unicode=nfkc,ignorable=drop", "cjk ignorable=drop", "code unicode=nfc,ignorable=drop,parts=placed"} {
		name, options, _ := strings.Cut(name, " ")
		a, err := analysis.New(name, options)
		if err != nil {
			t.Fatal(err)
		}
		if analysis.Divides(a) != (name != "keyword") {
			t.Fatalf("%s: %v", name, analysis.Divides(a))
		}
		if !analysis.Divides(a) {
			continue
		}
		tokens := func(dst []placed, tokenizer analysis.Tokenizer, text string, at, pos int) ([]placed, int) {
			var x analysis.Tokens
			tokenizer.Tokenize(&x, []byte(text))
			for tok := range x.All() {
				pos = max(pos+tok.Increment, 0)
				dst = append(dst, placed{string(tok.Term), at + tok.Start, at + tok.End, pos})
			}
			if more := x.Increments(); len(more) > x.Len() { // dropped behind the last
				pos += int(more[x.Len()]) - 1
			}
			return dst, pos
		}
		t.Run(name+options, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text, tokenizer := "", a.Tokenizer()
				for _, w := range rapid.SliceOfN(words, 0, 12).Draw(t, "words") {
					text += w + between.Draw(t, "between")
				}
				want, _ := tokens(nil, tokenizer, text, 0, -1)
				var got []placed
				from, pos := 0, -1
				for i := 1; i <= len(text); i++ {
					may := i == len(text) || text[i-1] == '\n' || text[i] > ' ' && text[i] < 0x80 && slices.Contains([]byte(" \t\n\v\f\r"), text[i-1])
					if next := analysis.Divide([]byte(text), i); (next == i) != may {
						t.Fatalf("%q is divided at %d, behind %d", text, next, i)
					}
					if !may {
						continue
					}
					got, pos = tokens(got, tokenizer, text[from:i], from, pos)
					from = i
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%q: %v, want %v", text, got, want)
				}
			})
		})
	}
}
