package search

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Parser makes words of queries by the analyzers of an index. It is safe for concurrent use. The zero value has no index.
type Parser struct {
	fields.Set
	docs uint64 // of the collection that is searched, or a part of which is
}

// NewParser returns a Parser for the index of a snapshot. If an analyzer is not registered, methods
// say so that have text to parse.
func NewParser(s *reader.Snapshot) *Parser { return NewParserFor(s.Schema()) }

// NewParserFor is NewParser without a snapshot, for what reader.Snapshot.Schema returns. It does not modify the schema.
func NewParserFor(s *schema.Schema) *Parser { return &Parser{Set: fields.Of(s)} }

// isPlain is Plain of a Parser that may be nil.
func (p *Parser) isPlain() bool { return p != nil && p.Plain() }

// partsWords reports whether the words of the only field have parts.
func (p *Parser) partsWords() bool { return p.isPlain() && p.Fields[0].Compound() != nil }

// check returns an error if p is the zero value.
func (p *Parser) check() error {
	if p == nil || p.Schema == nil {
		return errNoParser
	}
	return nil
}

var errNoParser = fmt.Errorf("parse a query: %w", query.ErrClosed)

// AppendTerms appends the terms of text to terms and their bytes to buf, and returns both. The terms
// are valid until the bytes of buf are overwritten. The error matches analysis.ErrUnknown, or
// ErrInvalid if the index has several fields, or none of text: each has its own analyzer, which Match uses.
func (p *Parser) AppendTerms(terms [][]byte, buf []byte, text string) ([][]byte, []byte, error) {
	if err := p.check(); err != nil {
		return terms, buf, err
	}
	if !p.isPlain() {
		return terms, buf, fmt.Errorf("%w: text without a field, of which the index has %s", query.ErrInvalid, p.Names(nil))
	}
	if p.partsWords() {
		return terms, buf, unsupported("terms of a text where words have parts: use Match")
	}
	return p.Fields[0].AppendTerms(terms, buf, text)
}

// appendWords adds the terms of a text to w, as words of the field with the number of f.
func appendWords(f *fields.Field, w *engine.Words, number int, boost float64, text string) (err error) {
	if f.Analyzer == nil {
		from := len(w.Terms)
		w.Terms, w.Bytes, err = f.AppendTerms(w.Terms, w.Bytes, text)
		w.Add(number, boost, w.Terms[from:]...)
		return err
	}
	t := f.Tokens(text)
	bytes, spans := t.Raw()
	base := len(w.Bytes)
	w.Bytes = append(w.Bytes, bytes...)
	words := slices.Grow(w.Words, len(spans))
	for _, s := range spans {
		start, end := base+int(s.Start), base+int(s.End)
		words = append(words, engine.Word{Bytes: w.Bytes[start:end:end], Field: number, Boost: boost})
	}
	w.Words = words
	f.Release(t)
	return nil
}
