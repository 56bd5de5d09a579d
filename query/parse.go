package query

import (
	"sync"

	"github.com/pinion-index/pinion/analysis"
)

// parser turns text into terms by the analyzer of the index. It is safe for concurrent use.
type parser struct {
	err  error // why there is no analyzer
	pool sync.Pool
}

// tokenizer is the tokenizing state of one goroutine.
type tokenizer struct {
	analysis.Tokenizer
	tokens analysis.Tokens
}

func (p *parser) init(name, options string) {
	a, err := analysis.New(name, options)
	if p.err = err; err != nil {
		return
	}
	p.pool.New = func() any { return &tokenizer{Tokenizer: a.Tokenizer()} }
}

// Parse returns the terms of a query's text, for Query.Terms. The analyzer of the index cuts it as
// it cut the documents. There is no syntax; a repeated word gives a repeated term. The error
// matches analysis.ErrUnknown if the analyzer of the index is not registered, which is common for
// imported postings; such an index can still be searched by terms.
func (s *Searcher) Parse(text string) ([][]byte, error) {
	if s.parser.err != nil {
		return nil, s.parser.err
	}
	t := s.parser.pool.Get().(*tokenizer)
	defer s.parser.pool.Put(t)
	t.tokens.Reset()
	t.Tokenize(&t.tokens, []byte(text))
	terms := make([][]byte, t.tokens.Len())
	var all []byte
	for i := range terms {
		all = append(all, t.tokens.Term(i)...)
	}
	start := 0
	for i := range terms {
		end := start + len(t.tokens.Term(i))
		terms[i] = all[start:end:end]
		start = end
	}
	return terms, nil
}
