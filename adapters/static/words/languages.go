package words

import (
	"strings"

	"github.com/pinion-index/pinion/analysis"
)

// Primary returns the first part of what HTML names a language, in lower case: en of en-US.
func Primary(language string) string {
	primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(strings.ReplaceAll(language, "_", "-"))), "-")
	return primary
}

// Stemmer says which words of a language are forms of one. It is not safe for concurrent use.
type Stemmer struct {
	of     analysis.Tokenizer
	tokens analysis.Tokens
}

// NewStemmer returns that of a language as Primary gives it. In a language without one of package analysis, each word is its own stem.
func NewStemmer(language string) (*Stemmer, error) {
	name, _ := analysis.ForLanguage(language)
	if name == "" || name == "cjk" {
		return &Stemmer{}, nil
	}
	a, err := analysis.New(name, "")
	if err != nil {
		return nil, err
	}
	return &Stemmer{of: a.Tokenizer()}, nil
}

// Stem returns the stem of a word as it stands in a text. It is a stop word if stop.
func (s *Stemmer) Stem(word string) (stem string, stop bool) {
	if s.of == nil {
		return word, false
	}
	s.tokens.Reset()
	s.of.Tokenize(&s.tokens, []byte(word))
	for token := range s.tokens.All() {
		if stem != "" {
			return word, false // it has more than one
		}
		stem = string(token.Term)
	}
	return stem, stem == ""
}
