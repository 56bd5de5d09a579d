package analysis_test

import (
	"fmt"

	"github.com/pinion-index/pinion/analysis"
)

// same is the analyzer standard, but for words that have synonyms: each of these is there with all of them, at the
// same place.
type same struct{ analysis.Analyzer }

var synonyms = map[string][]string{"tv": {"television"}, "television": {"tv"}}

func (same) Name() string { return "same" }

func (s same) Tokenizer() analysis.Tokenizer { return &sameTokens{standard: s.Analyzer.Tokenizer()} }

type sameTokens struct {
	standard analysis.Tokenizer
	tokens   analysis.Tokens
}

func (s *sameTokens) Tokenize(dst *analysis.Tokens, text []byte) {
	s.tokens.Reset()
	s.standard.Tokenize(&s.tokens, text)
	for token := range s.tokens.All() {
		dst.Add(token)
		token.Increment = 0
		for _, word := range synonyms[string(token.Term)] {
			token.Term = []byte(word)
			dst.Add(token)
		}
	}
}

// An analyzer that knows synonyms: documents and queries that have one of them find each other.
func ExampleRegister_synonyms() {
	err := analysis.Register("same", func(options string) (analysis.Analyzer, error) {
		standard, err := analysis.New("standard", options)
		return same{standard}, err
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := analysis.New("same", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	var tokens analysis.Tokens
	a.Tokenizer().Tokenize(&tokens, []byte("a TV set"))
	for token := range tokens.All() {
		fmt.Printf("%s %d\n", token.Term, token.Increment)
	}
	// Output:
	// a 1
	// tv 1
	// television 0
	// set 1
}
