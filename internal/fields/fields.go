// Package fields has the indexed fields of a schema as queries see them: numbered, each with its analyzer.
package fields

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/errs"
	"github.com/pinion-index/pinion/schema"
)

// Set is the indexed fields of a schema. It is safe for concurrent use. The zero value has none, and no schema.
type Set struct {
	Schema *schema.Schema
	Fields []*Field // in the order of their names: their numbers
	Texts  []int    // the numbers of those that are text with values of their own
	Each   []int    // the numbers of all
}

// Field is one field.
type Field struct {
	Name      string
	Analyzer  analysis.Analyzer // nil if the text is the term
	Positions bool              // whether the index says where terms are
	Impacts   bool              // terms have weights and no frequencies
	Step      float64           // of impacts: what a weight of 1 stands for
	Err       error             // why there is no analyzer
	pool      sync.Pool         // of *Tokens
}

// Tokens are those of a text, until Release.
type Tokens struct {
	analysis.Tokens
	tokenizer analysis.Tokenizer
	text      []byte
}

// Of returns the indexed fields of s, which it does not modify.
func Of(s *schema.Schema) Set {
	x := Set{Schema: s}
	for i, f := range Indexed(s) {
		x.Each = append(x.Each, i)
		own := &Field{Name: f.Name, Impacts: f.HasImpacts(), Step: f.Step()}
		if f.Kind == schema.Text {
			if f.ByDefault() {
				x.Texts = append(x.Texts, i)
			}
			name, options := f.Analysis()
			own = &Field{Name: f.Name, Positions: f.Positions}
			if own.Analyzer, own.Err = analysis.New(name, options); own.Err != nil && f.Name != "" {
				own.Err = fmt.Errorf("field %q: %w", f.Name, own.Err)
			}
		}
		x.Fields = append(x.Fields, own)
	}
	return x
}

// Indexed returns the fields of s that are indexed, in the order of their names: the engine's numbers. It is not nil.
func Indexed(s *schema.Schema) []*schema.Field {
	fields := []*schema.Field{}
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Indexing() != schema.IndexNone {
			fields = append(fields, f)
		}
	}
	slices.SortFunc(fields, func(a, b *schema.Field) int { return cmp.Compare(a.Name, b.Name) })
	return fields
}

// Plain reports whether one field is indexed, of text: what names no field is of that.
func (x *Set) Plain() bool { return len(x.Fields) == 1 && len(x.Texts) == 1 }

// Number returns the number of a field. The error matches ErrQuery.
func (x *Set) Number(name string) (int, error) {
	if i, ok := slices.BinarySearchFunc(x.Fields, name, func(f *Field, name string) int { return cmp.Compare(f.Name, name) }); ok {
		return i, nil
	}
	switch f, ok := x.Schema.Field(name); {
	case ok && f.Name != name:
		return x.Number(f.Name)
	case name == "":
		return 0, x.Nameless()
	case ok:
		return 0, fmt.Errorf("%w: field %q, of kind %v, is not indexed", errs.ErrQuery, name, f.Kind)
	}
	return 0, fmt.Errorf("%w: there is no field %q, but %s", errs.ErrQuery, name, x.Names(nil))
}

// Weight returns the name of a field in query.Match.Fields, and what follows its ^: a name may have one, which known tells.
func Weight(text string, known func(name string) bool) (name, boost string) {
	at := strings.LastIndexByte(text, '^')
	if at < 0 || known(text) {
		return text, ""
	}
	return text[:at], text[at+1:]
}

// Nameless returns the error of a field that is not named.
func (x *Set) Nameless() error {
	return fmt.Errorf("%w: a term must name its field, one of %s", errs.ErrQuery, x.Names(nil))
}

// Names returns the names of fields, or of all for nil, for errors.
func (x *Set) Names(of []int) string {
	var names []string
	for i, f := range x.Fields {
		if of == nil || slices.Contains(of, i) {
			names = append(names, cmp.Or(f.Name, "text"))
		}
	}
	return strings.Join(names, ", ")
}

// Unplaced says that fields have no positions.
func (x *Set) Unplaced(fields []int) string {
	if len(fields) == 1 {
		return fmt.Sprintf("the field %s is indexed without positions", x.Names(fields))
	}
	return fmt.Sprintf("the fields %s are indexed without positions", x.Names(fields))
}

// AppendTerms appends the terms of a text to terms, and their bytes to buf.
func (f *Field) AppendTerms(terms [][]byte, buf []byte, text string) ([][]byte, []byte, error) {
	switch {
	case f.Err != nil:
		return terms, buf, f.Err
	case f.Analyzer == nil:
		if text != "" {
			start := len(buf)
			buf = append(buf, text...)
			terms = append(terms, buf[start:len(buf):len(buf)])
		}
		return terms, buf, nil
	}
	t := f.Tokens(text)
	defer f.Release(t)
	need := 0
	for i := range t.Len() {
		need += len(t.Term(i))
	}
	terms, buf = slices.Grow(terms, t.Len()), slices.Grow(buf, need)
	for i := range t.Len() {
		start := len(buf)
		buf = append(buf, t.Term(i)...)
		terms = append(terms, buf[start:len(buf):len(buf)])
	}
	return terms, buf, nil
}

// Tokens returns the tokens of a text by the Analyzer, which must not be nil, for Release.
func (f *Field) Tokens(text string) *Tokens {
	t, ok := f.pool.Get().(*Tokens)
	if !ok {
		t = &Tokens{tokenizer: f.Analyzer.Tokenizer()}
	}
	t.Reset()
	t.text = append(t.text[:0], text...)
	t.tokenizer.Tokenize(&t.Tokens, t.text)
	return t
}

// Release takes back tokens, which are not valid any more.
func (f *Field) Release(t *Tokens) { f.pool.Put(t) }

// Compound returns the analyzer if it tells the parts of words from words, else nil.
func (f *Field) Compound() analysis.Compound {
	c, _ := f.Analyzer.(analysis.Compound)
	return c
}

// CompoundWords returns the words of a text as they are typed, of a field with Compound.
func (f *Field) CompoundWords(text string) []analysis.Word {
	return f.Compound().AppendWords(nil, []byte(text))
}

// Fold returns text with its letters as the terms of the field have them.
func (f *Field) Fold(text string) string {
	if a, ok := f.Analyzer.(analysis.Folder); ok {
		return string(a.AppendFolded(nil, []byte(text)))
	}
	return text
}
