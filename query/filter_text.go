package query

import (
	"errors"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/schema"
)

// ParseFilter returns the node that a text in the language of filters says, of an index with schema s:
//
//	level = error            level != error
//	level in (error, warn)   one of these values
//	price 10..20             from 10 to 20
//	price 10..<20            below 20; 10<..20: above 10
//	ts >= 2026-01-01         also >, <, <=; the day begins at 0 o'clock UTC
//	ts < 2026-01-01T12:30Z   or to the second, or beyond; in a field of seconds, milliseconds or
//	                         microseconds a number of five digits or more counts them since 1970
//	exists(price)            there is a value
//	ids(a, "b c")            the documents with these ids
//	a and b, a or b, not a   with brackets; not comes before and, which comes before or
//	*                        all documents
//
// A value or name with other characters than letters, digits and +-_.:/@ stands in double quotes, where \ works as in Go.
// Docs/filters.md has the grammar. Method String of the nodes that the text may say writes it. The error is a *SyntaxError
// and matches ErrInvalid, also for a field that is no column.
func ParseFilter(s *schema.Schema, text string) (Node, error) {
	f, err := filter.Parse(s, text)
	if err != nil {
		return nil, filterError(err)
	}
	return nodeOf(f), nil
}

// ParseRange returns the range of values of a field that a text says, as a filter does behind the field's name: 1..2, <3,
// >=3, or = 3 for one value. The error matches ErrInvalid.
func ParseRange(s *schema.Schema, field, text string) (Range, error) {
	f, err := filter.ParseRange(s, field, text)
	if err != nil {
		return Range{}, filterError(err)
	}
	return rangeNode(f), nil
}

// filterError returns an error of package filter as one of this package, with the same text.
func filterError(err error) error {
	var bad *filter.SyntaxError
	if errors.As(err, &bad) {
		return &SyntaxError{Text: bad.Text, Offset: bad.Offset, Reason: bad.Reason, filter: true}
	}
	return &filteringError{err}
}

// filteringError is an error of package filter that matches ErrInvalid too.
type filteringError struct{ error }

func (e *filteringError) Unwrap() error        { return e.error }
func (e *filteringError) Is(target error) bool { return errors.Is(ErrInvalid, target) }

// String returns n as ParseFilter reads it.
func (n In) String() string { return fmt.Sprint(filtering(n)) }

// String returns n as ParseFilter reads it.
func (n Range) String() string { return fmt.Sprint(filtering(n)) }

// String returns n as ParseFilter reads it.
func (n Exists) String() string { return fmt.Sprint(filtering(n)) }

// String returns n as ParseFilter reads it.
func (n IDs) String() string { return fmt.Sprint(filtering(n)) }

// String returns n as ParseFilter reads it, if the language has all of its nodes.
func (n And) String() string { return fmt.Sprint(filtering(n)) }

// String returns n as ParseFilter reads it, if the language has all of its nodes.
func (n Or) String() string { return fmt.Sprint(filtering(n)) }

// String returns n as ParseFilter reads it, if the language has all of its nodes.
func (n Not) String() string { return fmt.Sprint(filtering(n)) }

// unsaid is a node that filters cannot say.
type unsaid struct{ node Node }

// Restricts makes unsaid a filter, which is only printed.
func (unsaid) Restricts() {}

func (u unsaid) String() string { return fmt.Sprintf("%T%+[1]v", u.node) }

// filtering returns a node as package filter writes it: values as they would be in some field.
func filtering(n Node) filter.Filter {
	switch n := n.(type) {
	case In:
		f := filter.In{Field: n.Field, Values: make([]schema.Value, len(n.Values))}
		for i, x := range n.Values {
			f.Values[i] = plainValue(x)
		}
		return f
	case Range:
		return filter.Range{Field: n.Field, Min: plainValue(n.Min), Max: plainValue(n.Max), AboveMin: n.AboveMin, BelowMax: n.BelowMax}
	case Exists:
		return filter.Exists{Field: n.Field}
	case IDs:
		f := filter.IDs{IDs: make([][]byte, len(n))}
		for i, id := range n {
			f.IDs[i] = []byte(id)
		}
		return f
	case And:
		return filter.And(allFiltering(n))
	case Or:
		return filter.Or(allFiltering(n))
	case Not:
		return filter.Not{Filter: filtering(n.Node)}
	}
	return unsaid{n}
}

func allFiltering(nodes []Node) []filter.Filter {
	all := make([]filter.Filter, len(nodes))
	for i, n := range nodes {
		all[i] = filtering(n)
	}
	return all
}

// plainValue returns a value of Go as one that is printed as it would be in some field: the zero Value of nil.
func plainValue(x any) schema.Value {
	switch x := x.(type) {
	case nil:
		return schema.Value{}
	case schema.Value:
		return x
	case float64:
		return schema.FloatValue(0, x)
	case float32:
		return schema.FloatValue(0, float64(x))
	case time.Time:
		return schema.TimeValue(0, x)
	case []byte:
		return schema.KeywordValue(0, x)
	}
	return schema.KeywordValue(0, []byte(fmt.Sprint(x)))
}

// nodeOf returns what package filter knows as a node.
func nodeOf(f filter.Filter) Node {
	switch f := f.(type) {
	case filter.In:
		n := In{Field: f.Field, Values: make([]any, len(f.Values))}
		for i, v := range f.Values {
			n.Values[i] = v
		}
		return n
	case filter.Range:
		return rangeNode(f)
	case filter.Exists:
		return Exists(f)
	case filter.IDs:
		n := make(IDs, len(f.IDs))
		for i, id := range f.IDs {
			n[i] = string(id)
		}
		return n
	case filter.And:
		return And(nodesOf(f))
	case filter.Or:
		return Or(nodesOf(f))
	case filter.Not:
		return Not{nodeOf(f.Filter)}
	}
	return nil
}

func rangeNode(f filter.Range) Range {
	n := Range{Field: f.Field, AboveMin: f.AboveMin, BelowMax: f.BelowMax}
	if f.Min.Kind != 0 {
		n.Min = f.Min
	}
	if f.Max.Kind != 0 {
		n.Max = f.Max
	}
	return n
}

func nodesOf(all []filter.Filter) []Node {
	nodes := make([]Node, len(all))
	for i, f := range all {
		nodes[i] = nodeOf(f)
	}
	return nodes
}
