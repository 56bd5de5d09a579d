package analysis

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A Selector leaves out only terms that begin with other bytes, and moves no other.
func TestSelect(t *testing.T) {
	words := rapid.OneOf(rapid.StringMatching(`[a-z']{1,12}`), rapid.StringMatching(`(y|Y)?(ing|ied|ies|ly|er)?[aeiouy]{0,3}[a-zA-Z]{0,8}(ing|ied|ies|ly|ed|es|s|'s|y)?`),
		rapid.SampledFrom([]string{"skies", "dying", "lying", "tying", "idly", "gently", "ugly", "early", "only", "singly", "’tis", "Ärger", "ſkies", "K", "İx", "the", "of"}))
	rapid.Check(t, func(t *rapid.T) {
		a, err := New("english", rapid.SampledFrom([]string{"", "fold=accents", "stop=none"}).Draw(t, "options"))
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, w := range rapid.SliceOfN(words, 0, 30).Draw(t, "words") {
			text += w + " "
		}
		var first [256]bool
		for _, b := range rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(t, "first") {
			first[b] = true
		}
		for _, b := range rapid.SliceOfN(rapid.ByteRange('a', 'z'), 0, 8).Draw(t, "letters") {
			first[b] = true
		}
		type placed struct {
			term            string
			start, end, pos int
		}
		all := func(only *[256]bool) (out []placed) {
			var tokens Tokens
			x := a.Tokenizer().(Selector)
			x.Select(only)
			x.Tokenize(&tokens, []byte(text))
			pos := -1
			for tok := range tokens.All() {
				pos += tok.Increment
				if first[tok.Term[0]] {
					out = append(out, placed{string(tok.Term), tok.Start, tok.End, pos})
				}
			}
			return out
		}
		if want, got := all(nil), all(&first); !slices.Equal(want, got) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}
