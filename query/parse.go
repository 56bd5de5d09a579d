package query

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/reader"
)

// Parser turns text into terms by the analyzer of an index. It is safe for concurrent use. Most
// programs do not need one: a Searcher has its own.
type Parser struct {
	analyzer analysis.Analyzer
	err      error     // why there is no analyzer
	pool     sync.Pool // of *tokenizer
}

// tokenizer is the tokenizing state of one goroutine.
type tokenizer struct {
	analysis.Tokenizer
	tokens analysis.Tokens
	text   []byte
}

// NewParser returns a Parser for the index of a snapshot. If its analyzer is not registered, methods
// say so that have text to parse.
func NewParser(s *reader.Snapshot) *Parser { return newParser(s.Analyzer()) }

func newParser(name, options string) *Parser {
	p := new(Parser)
	a, err := analysis.New(name, options)
	if p.err = err; err == nil {
		p.analyzer = a
	}
	return p
}

// AppendTerms appends the terms of text to terms and their bytes to buf, and returns both. The terms
// are valid until the bytes of buf are overwritten. The error matches analysis.ErrUnknown.
func (p *Parser) AppendTerms(terms [][]byte, buf []byte, text string) ([][]byte, []byte, error) {
	if p == nil || p.analyzer == nil && p.err == nil {
		return terms, buf, fmt.Errorf("parse a query: %w", ErrClosed)
	}
	if p.err != nil {
		return terms, buf, p.err
	}
	t, ok := p.pool.Get().(*tokenizer)
	if !ok {
		t = &tokenizer{Tokenizer: p.analyzer.Tokenizer()}
	}
	defer p.pool.Put(t)
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

// Complete returns queries with the terms of Text in RawTerms, instead of Text, and DefaultK instead
// of a K of 0: what executors begin with. It returns queries itself if they need nothing of that, and
// does not change them. The error is a NumberError that matches analysis.ErrUnknown.
func (p *Parser) Complete(queries []Query) ([]Query, error) {
	i := 0
	for i < len(queries) && queries[i].Text == "" && queries[i].K != 0 {
		i++
	}
	if i == len(queries) {
		return queries, nil
	}
	own := slices.Clone(queries)
	for ; i < len(own); i++ {
		q := &own[i]
		q.K = cmp.Or(q.K, DefaultK)
		if q.Text == "" {
			continue
		}
		terms, _, err := p.AppendTerms(slices.Clone(q.RawTerms), nil, q.Text)
		if err != nil {
			return nil, &NumberError{Number: i, Err: err}
		}
		q.RawTerms, q.Text = terms, ""
	}
	return own, nil
}
