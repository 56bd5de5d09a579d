package analysis_test

import (
	"testing"

	"github.com/pinion-index/pinion/analysis"
)

// A word that no stemmer changes is folded to its term.
func TestAppendFolded(t *testing.T) {
	for _, name := range []string{"simple", "standard", "english", "whitespace", "cjk", "code", "keyword"} {
		words := []string{"ZQX", "IZ"}
		switch name {
		case "standard", "whitespace", "keyword", "code_":
			words = append(words, "Ωß", "ﬁZ", "e\u0301", "Őz", "ΟΣ")
		}
		for _, options := range []string{"", "unicode=nfkc,fold=accents+case", "max=9"} {
			a, err := analysis.New(name, options)
			if err != nil {
				continue // it has no such options
			}
			for _, word := range words {
				terms := analysis.Terms(a.Tokenizer(), []byte(word))
				got := a.(analysis.Folder).AppendFolded([]byte("> "), []byte(word))
				if len(terms) != 1 && name != "cjk" || len(terms) == 1 && string(got) != "> "+string(terms[0]) {
					t.Errorf("%s %s: %q is folded to %q, its terms are %q", name, options, word, got, terms)
				}
			}
		}
	}
}

func TestAppendFoldedApostrophes(t *testing.T) {
	for options, want := range map[string]string{"": "o'n", "apostrophes=keep": "o\u2019n"} {
		a, err := analysis.New("standard", options)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.(analysis.Folder).AppendFolded(nil, []byte("O\u2019N")); string(got) != want {
			t.Errorf("%q: %q, want %q", options, got, want)
		}
	}
}
