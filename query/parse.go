package query

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Parser turns text into terms by the analyzers of an index. It is safe for concurrent use. Most
// programs do not need one: a Searcher has its own.
type Parser struct {
	schema *schema.Schema // nil if implicit
	fields []*fieldParser // those that are indexed, in the order of their names; none in the zero value
	texts  []int          // which of them are text
	each   []int          // the numbers of all
}

// fieldParser parses the text of one field.
type fieldParser struct {
	name      string
	analyzer  analysis.Analyzer // nil if the text is the term
	positions bool              // whether the index says where terms are
	impacts   bool              // terms have weights and no frequencies
	step      float64           // of impacts: what a weight of 1 stands for
	err       error             // why there is no analyzer
	pool      sync.Pool         // of *tokenizer
}

// tokenizer is the tokenizing state of one goroutine.
type tokenizer struct {
	analysis.Tokenizer
	tokens analysis.Tokens
	text   []byte
}

// NewParser returns a Parser for the index of a snapshot. If an analyzer is not registered, methods
// say so that have text to parse.
func NewParser(s *reader.Snapshot) *Parser {
	name, options := s.Analyzer()
	return newParser(schemaOf(s), name, options)
}

// NewParserFor is NewParser without a snapshot: for what reader.Snapshot.Schema and Analyzer return.
func NewParserFor(s *schema.Schema, analyzer, options string) *Parser {
	if s != nil && implicit(s) {
		s = nil
	}
	return newParser(s, analyzer, options)
}

// HasFields reports whether the index of a snapshot has a schema, so that queries must name fields, or
// search all.
func HasFields(s *reader.Snapshot) bool { return schemaOf(s) != nil }

// schemaOf returns the schema of a snapshot, or nil if it is implicit.
func schemaOf(s *reader.Snapshot) *schema.Schema {
	all := s.Schema()
	if all == nil || implicit(all) {
		return nil
	}
	return all
}

// implicit reports whether a schema is that of an index without one.
func implicit(s *schema.Schema) bool { return len(s.Fields) == 1 && s.Fields[0].Name == "" }

// newParser returns a Parser for fields, or for an index without a schema by one analyzer.
func newParser(s *schema.Schema, analyzer, options string) *Parser {
	p := &Parser{schema: s}
	if s == nil {
		p.fields, p.each = append(p.fields, newFieldParser("", analyzer, options)), []int{0}
		return p
	}
	for i, f := range indexed(s) {
		p.each = append(p.each, i)
		name, options := f.Analysis()
		if f.Kind == schema.KindText {
			p.texts = append(p.texts, len(p.fields))
			x := newFieldParser(f.Name, name, options)
			x.positions = f.HasPositions()
			p.fields = append(p.fields, x)
		} else {
			p.fields = append(p.fields, &fieldParser{name: f.Name, impacts: f.HasImpacts(), step: f.Step()})
		}
	}
	return p
}

// indexed returns the fields that are indexed, in the order of their names: the engine's numbers.
func indexed(s *schema.Schema) []*schema.Field {
	var fields []*schema.Field
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Indexing() != schema.IndexNone {
			fields = append(fields, f)
		}
	}
	slices.SortFunc(fields, func(a, b *schema.Field) int { return cmp.Compare(a.Name, b.Name) })
	return fields
}

func newFieldParser(field, name, options string) *fieldParser {
	f := &fieldParser{name: field}
	a, err := analysis.New(name, options)
	if f.err = err; err == nil {
		f.analyzer = a
	} else if field != "" {
		f.err = fmt.Errorf("field %q: %w", field, err)
	}
	return f
}

// appendTerms is Parser.AppendTerms for a field.
func (f *fieldParser) appendTerms(terms [][]byte, buf []byte, text string) ([][]byte, []byte, error) {
	switch {
	case f.err != nil:
		return terms, buf, f.err
	case f.analyzer == nil:
		if text != "" {
			start := len(buf)
			buf = append(buf, text...)
			terms = append(terms, buf[start:len(buf):len(buf)])
		}
		return terms, buf, nil
	}
	t := f.tokenize(text)
	defer f.pool.Put(t)
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

// appendWords adds the terms of a text to w, as words of the field with the number of f.
func (f *fieldParser) appendWords(w *engine.Words, number int, boost float64, text string) (err error) {
	if f.analyzer == nil {
		from := len(w.Terms)
		w.Terms, w.Bytes, err = f.appendTerms(w.Terms, w.Bytes, text)
		w.Add(number, boost, w.Terms[from:]...)
		return err
	}
	t := f.tokenize(text)
	bytes, spans := t.tokens.Raw()
	base := len(w.Bytes)
	w.Bytes = append(w.Bytes, bytes...)
	words := slices.Grow(w.Words, len(spans))
	for _, s := range spans {
		start, end := base+int(s.Start), base+int(s.End)
		words = append(words, engine.Word{Bytes: w.Bytes[start:end:end], Field: number, Boost: boost})
	}
	w.Words = words
	f.pool.Put(t)
	return nil
}

// tokenize returns a tokenizer that has the tokens of a text, to be put back into f.pool.
func (f *fieldParser) tokenize(text string) *tokenizer {
	t, ok := f.pool.Get().(*tokenizer)
	if !ok {
		t = &tokenizer{Tokenizer: f.analyzer.Tokenizer()}
	}
	t.tokens.Reset()
	t.text = append(t.text[:0], text...)
	t.Tokenize(&t.tokens, t.text)
	return t
}

// number returns the engine's number of a field.
func (p *Parser) number(name string) (int, error) {
	if i, ok := slices.BinarySearchFunc(p.fields, name, func(f *fieldParser, name string) int { return cmp.Compare(f.name, name) }); ok {
		return i, nil
	}
	switch f, ok := p.schema.Field(name); {
	case p.schema == nil:
		return 0, fmt.Errorf("%w: field %q: the index has no schema", ErrInvalid, name)
	case name == "":
		return 0, fmt.Errorf("%w: a term must name its field, one of %s", ErrInvalid, p.names(nil))
	case ok:
		return 0, fmt.Errorf("%w: field %q, of kind %v, is not indexed", ErrInvalid, name, f.Kind)
	}
	return 0, fmt.Errorf("%w: there is no field %q, but %s", ErrInvalid, name, p.names(nil))
}

// names returns the names of fields, or of all, for errors.
func (p *Parser) names(of []int) string {
	var names []string
	for i, f := range p.fields {
		if of == nil || slices.Contains(of, i) {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

// AppendTerms appends the terms of text to terms and their bytes to buf, and returns both. The terms
// are valid until the bytes of buf are overwritten. The error matches analysis.ErrUnknown, or
// ErrInvalid if the index has a schema: each of its fields has its own analyzer, which Match uses.
func (p *Parser) AppendTerms(terms [][]byte, buf []byte, text string) ([][]byte, []byte, error) {
	if err := p.check(); err != nil {
		return terms, buf, err
	}
	if p.schema != nil {
		return terms, buf, fmt.Errorf("%w: text without a field, of which the index has %s", ErrInvalid, p.names(nil))
	}
	return p.fields[0].appendTerms(terms, buf, text)
}

// check returns an error if p is the zero value.
func (p *Parser) check() error {
	if p == nil || p.fields == nil && p.schema == nil {
		return errNoParser
	}
	return nil
}

var errNoParser = fmt.Errorf("parse a query: %w", ErrClosed)

// words is engine.Options.Parse.
func (p *Parser) words(q *engine.Query, w *engine.Words) error {
	if g, ok := q.Frequencies.(*given); ok {
		g.p = p
	}
	plain := q.Node == nil && (p == nil || p.schema == nil)
	if plain && len(q.Terms) > 0 {
		w.Add(0, 1, q.Terms...)
	}
	if plain && q.Text == "" {
		return nil
	}
	if err := p.check(); err != nil {
		return err
	}
	if plain {
		return p.fields[0].appendWords(w, 0, 1, q.Text)
	}
	if n, ok := q.Node.(Node); ok {
		return p.build(n, w, q.Frequencies)
	}
	if len(q.Terms) > 0 {
		return fmt.Errorf("%w: a raw term without a field, of which the index has %s: use Term", ErrInvalid, p.names(nil))
	}
	return p.build(Match{Text: q.Text, Mode: Mode(q.Mode)}, w, q.Frequencies)
}

// build adds the words of a node to w, which has none.
func (p *Parser) build(n Node, w *engine.Words, f engine.Frequencies) error {
	b := builder{p: p, w: w}
	switch f := f.(type) {
	case *given:
		b.given = f.all
	case *finding:
		b.found = f.all
	}
	b.path = b.room[:0]
	if m, ok := n.(Match); ok {
		if ok, err := b.plain(&m); ok || err != nil {
			return err
		}
	}
	if x, ok := n.(Bool); ok {
		if ok, err := b.plainFiltered(&x); ok || err != nil {
			return err
		}
	}
	w.Mode = engine.Or
	x, ok, err := b.build(n, 1)
	if err != nil || !ok {
		return err
	}
	if x = b.unfiltered(x); b.flatten(&x) {
		return nil
	}
	tree, err := b.emit(&x)
	w.Tree = &tree
	return err
}

// Terms returns the terms that a query searches for, each with its field and boost, and how they are combined,
// which is Or if no Mode says it: what Search begins with. Terms that must not match are among them. The error is one of Searcher.AppendHits.
func (p *Parser) Terms(q *Query) ([]Term, Mode, error) { return p.terms(q, nil) }

// terms is Terms for a Parser, or for a Searcher over a snapshot.
func (p *Parser) terms(q *Query, s *reader.Snapshot) ([]Term, Mode, error) {
	if err := p.check(); err != nil {
		return nil, Or, err
	}
	if err := q.checkNode(); err != nil {
		return nil, Or, err
	}
	x := q.engine()
	w := engine.Words{Mode: x.Mode, Snapshot: s}
	if err := p.words(&x, &w); err != nil {
		return nil, Or, err
	}
	var terms []Term
	for _, word := range w.Words {
		terms = append(terms, Term{Field: p.fields[word.Field].name, Term: word.Bytes, Boost: word.Boost})
	}
	return terms, Mode(w.Mode), nil
}

// Complete returns queries with the terms of Text in RawTerms, instead of Text, and DefaultK instead
// of a K of 0: what executors begin with. A Node becomes RawTerms and Mode if that says the same: if the
// index has no schema and no term a boost. It returns queries itself if they need nothing of that, and
// does not change them. The error is a NumberError that matches what Searcher.AppendHits says.
func (p *Parser) Complete(queries []Query) ([]Query, error) {
	named := p != nil && p.schema != nil
	complete := func(q *Query) bool {
		return q.Text == "" && q.Node == nil && q.K != 0 && !(named && len(q.RawTerms) > 0)
	}
	i := 0
	for i < len(queries) && complete(&queries[i]) {
		i++
	}
	if i == len(queries) {
		return queries, nil
	}
	own := slices.Clone(queries)
	for ; i < len(own); i++ {
		if err := p.complete(&own[i]); err != nil {
			return nil, &NumberError{Number: i, Err: err}
		}
	}
	return own, nil
}

// complete is Complete for one query.
func (p *Parser) complete(q *Query) error {
	q.K = cmp.Or(q.K, DefaultK)
	if q.Text == "" && q.Node == nil && (len(q.RawTerms) == 0 || p == nil || p.schema == nil) {
		return nil
	}
	if err := p.check(); err != nil {
		return err
	}
	if err := q.checkNode(); err != nil {
		return err
	}
	x := q.engine()
	var w engine.Words
	w.Mode = x.Mode
	if err := p.words(&x, &w); errors.Is(err, errTerms) {
		return nil // who executes it knows the terms
	} else if err != nil {
		return err
	}
	if p.schema != nil || w.Tree != nil || w.Filter != nil || w.Columns != nil || slices.ContainsFunc(w.Words, engine.Word.Boosted) {
		return nil
	}
	q.RawTerms, q.Text, q.Node, q.Mode = nil, "", nil, Mode(w.Mode)
	for _, word := range w.Words {
		q.RawTerms = append(q.RawTerms, word.Bytes)
	}
	return nil
}
