package filter

import (
	"fmt"
	"strconv"

	"github.com/pinion-index/pinion/schema"
)

// Parse returns the filter that a text says, of an index with schema s. Query.ParseFilter describes the language.
// The error is a *SyntaxError and matches ErrInvalid, also for a field that is no column.
func Parse(s *schema.Schema, text string) (Filter, error) {
	p := parser{schema: s, text: text}
	f, err := p.either()
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(text) {
		return nil, p.errorf(p.at, "this does not belong to the filter before it: and, or and brackets combine filters")
	}
	if err := Check(s, f); err != nil { // too large
		return nil, p.errorf(0, "%s", reason(err))
	}
	return f, nil
}

// ParseRange returns the range of values of a field that a text says, as a filter does behind the field's name: 1..2,
// <3, >=3, or = 3 for one value. The error matches ErrInvalid.
func ParseRange(s *schema.Schema, field, text string) (Range, error) {
	f, err := Parse(s, strconv.Quote(field)+" "+text)
	if err != nil {
		return Range{}, err
	}
	switch f := f.(type) {
	case Range:
		return f, nil
	case In:
		if len(f.Values) == 1 {
			return Range{Field: field, Min: f.Values[0], Max: f.Values[0]}, nil
		}
	}
	return Range{}, fmt.Errorf("%w: %q is not a range as 1..2, <3 or >=3", ErrInvalid, text)
}

// parser parses a text. Its functions follow the grammar in docs/filters.md.
type parser struct {
	schema *schema.Schema
	text   string
	at     int
	depth  int
}

// either parses alternatives.
func (p *parser) either() (Filter, error) {
	f, err := p.both()
	if err != nil || !p.word("or") {
		return f, err
	}
	all := Or{f}
	for more := true; more; more = p.word("or") {
		if f, err = p.both(); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// both parses filters that must all pass.
func (p *parser) both() (Filter, error) {
	f, err := p.part()
	if err != nil || !p.word("and") {
		return f, err
	}
	all := And{f}
	for more := true; more; more = p.word("and") {
		if f, err = p.part(); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// part parses a filter without and and or.
func (p *parser) part() (f Filter, err error) {
	p.space()
	from := p.at
	if p.depth++; p.depth > MaxDepth {
		return nil, p.errorf(from, "more than %d filters within one another", MaxDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case p.at == len(p.text):
		return nil, p.errorf(from, "a filter is missing here")
	case p.next("*"):
		return And{}, nil
	case p.next("("):
		if f, err = p.either(); err == nil {
			err = p.close(from)
		}
		return f, err
	case p.word("not"):
		f, err = p.part()
		return Not{f}, err
	case p.word("exists"):
		return p.exists()
	case p.word("ids"):
		return p.ids()
	case p.word("and"), p.word("or"), p.word("in"):
		return nil, p.errorf(from, "this combines filters, and stands between two of them; the name of a field may stand in quotes")
	}
	return p.comparison()
}

// close passes over the bracket that closes the one at from.
func (p *parser) close(from int) error {
	if !p.next(")") {
		if p.at == len(p.text) {
			return p.errorf(from, "nothing closes this (")
		}
		return p.errorf(p.at, ") or another filter, after and or or, is missing here")
	}
	return nil
}

func (p *parser) exists() (Filter, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	field, err := p.name()
	if err != nil {
		return nil, err
	}
	return Exists{field.Name}, p.expect(")")
}

func (p *parser) ids() (Filter, error) {
	f := IDs{}
	err := p.list(func() error {
		id, err := p.token("an id")
		f.IDs = append(f.IDs, []byte(id))
		return err
	})
	return f, err
}

// list parses elements in brackets.
func (p *parser) list(element func() error) error {
	if err := p.expect("("); err != nil {
		return err
	}
	if p.next(")") {
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		if !p.next(",") {
			return p.expect(")")
		}
	}
}

// comparison parses a field and what its values are compared with.
func (p *parser) comparison() (Filter, error) {
	field, err := p.name()
	if err != nil {
		return nil, err
	}
	p.space()
	from := p.at
	switch {
	case p.word("in"):
		if !p.next("..") && !p.next("<..") {
			f := In{Field: field.Name}
			err := p.list(func() error {
				v, err := p.value(field)
				f.Values = append(f.Values, v)
				return err
			})
			return f, err
		}
		p.at = from // of a range of keywords
	case p.next("!="):
		v, err := p.value(field)
		return Not{In{field.Name, []schema.Value{v}}}, err
	case p.next("="):
		v, err := p.value(field)
		return In{field.Name, []schema.Value{v}}, err
	case p.next("<="):
		v, err := p.value(field)
		return Range{Field: field.Name, Max: v}, err
	case p.next("<"):
		v, err := p.value(field)
		return Range{Field: field.Name, Max: v, BelowMax: true}, err
	case p.next(">="):
		v, err := p.value(field)
		return Range{Field: field.Name, Min: v}, err
	case p.next(">"):
		v, err := p.value(field)
		return Range{Field: field.Name, Min: v, AboveMin: true}, err
	}
	return p.span(field)
}

// span parses the bounds of a range.
func (p *parser) span(field *schema.Field) (Filter, error) {
	f := Range{Field: field.Name}
	p.space()
	if from := p.at; from == len(p.text) || bare(p.text[from:]) == 0 && p.text[from] != '"' {
		return nil, p.errorf(from, "a comparison is missing here: =, !=, <, <=, >, >=, in (...) or a range such as 1..2")
	}
	var err error
	if f.Min, err = p.value(field); err != nil {
		return nil, err
	}
	if f.AboveMin = p.next("<.."); !f.AboveMin {
		if err := p.expect(".."); err != nil {
			return nil, err
		}
	}
	f.BelowMax = p.next("<")
	f.Max, err = p.value(field)
	return f, err
}
