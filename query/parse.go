package query

import (
	"slices"
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
	text   []byte
}

func (p *parser) init(name, options string) {
	a, err := analysis.New(name, options)
	if p.err = err; err != nil {
		return
	}
	p.pool.New = func() any { return &tokenizer{Tokenizer: a.Tokenizer()} }
}

// Parse returns the terms of a query's text, for Query.RawTerms. The analyzer of the index cuts it as
// it cut the documents. There is no syntax; a repeated word gives a repeated term. The error
// matches analysis.ErrUnknown if the analyzer of the index is not registered, which is common for
// imported postings; such an index can still be searched by terms.
func (s *Searcher) Parse(text string) ([][]byte, error) {
	if s.parser.err != nil {
		return nil, s.parser.err
	}
	terms, _, err := s.AppendTerms([][]byte{}, nil, text)
	return terms, err
}

// AppendTerms is Parse without allocations: it appends the terms to terms and their bytes to buf,
// and returns both. The terms are valid until the bytes of buf are overwritten.
func (s *Searcher) AppendTerms(terms [][]byte, buf []byte, text string) ([][]byte, []byte, error) {
	if s.parser.err != nil {
		return terms, buf, s.parser.err
	}
	t := s.parser.pool.Get().(*tokenizer)
	defer s.parser.pool.Put(t)
	t.tokens.Reset()
	t.text = append(t.text[:0], text...)
	t.Tokenize(&t.tokens, t.text)
	need := 0
	for i := range t.tokens.Len() {
		need += len(t.tokens.Term(i))
	}
	terms, buf = slices.Grow(terms, t.tokens.Len()), slices.Grow(buf, need)
	for i := range t.tokens.Len() {
		start := len(buf)
		buf = append(buf, t.tokens.Term(i)...)
		terms = append(terms, buf[start:len(buf):len(buf)])
	}
	return terms, buf, nil
}
