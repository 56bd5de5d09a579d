package query

import (
	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/reader"
)

// Parse cuts text into the terms of a Query with the analyzer that made the
// snapshot's index. A program that parses many queries keeps a Tokenizer of
// that analyzer instead.
func Parse(s *reader.Snapshot, text string) ([][]byte, error) {
	a, err := analysis.New(s.Analyzer())
	if err != nil {
		return nil, err
	}
	var tokens analysis.Tokens
	a.Tokenizer().Append(&tokens, []byte(text))
	terms := make([][]byte, tokens.Len())
	for i := range terms {
		terms[i] = tokens.At(i)
	}
	return terms, nil
}
