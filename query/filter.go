package query

import "slices"

// In is matched by the documents that have one of Values in a field, which must have a column. Without Values none
// matches. It does not score.
//
// A document may have no value in a field, one, or several: In, Range and Exists are matched if at least one of its values
// is meant, so that one without a value matches none of them, and matches their Not.
type In struct {
	Field  string
	Values []any // as Range.Min
}

// Range is matched by the documents that have a value from Min to Max in a field, which must have a column; keywords are
// ordered by their bytes. If Min is above Max, none matches. Without both, Range is Exists. It does not score.
type Range struct {
	Field string
	// Min and Max are values of Go that the field's kind takes, as schema.Schema.AppendValues says: integers and floats
	// for numbers, strings for keywords, time.Time for times. A schema.Value must be of the field's kind; its Field does
	// not matter. Nil is no bound, and so is the zero schema.Value. They are rounded as values of documents are: a time in
	// a field of seconds begins its second.
	Min, Max any
	AboveMin bool // Min itself does not match
	BelowMax bool // Max itself does not match
}

// Exists is matched by the documents that have a value in a field, which must have a column. It does not score.
type Exists struct{ Field string }

// IDs is matched by the documents with these ids. It is no error if there is none with one of them. It does not score.
type IDs []string

// And is matched by the documents that match all of its nodes: by all documents if there are none. It scores as a Bool
// does of which they are Must.
type And []Node

// Or is matched by the documents that match at least one of its nodes: by none if there are none. It scores as a Bool
// does of which they are Should.
type Or []Node

// Not is matched by the documents that do not match a node. It does not score.
type Not struct{ Node Node }

func (n In) visit(v *visitor) {
	v.leaf("in", n.Field, "", 0)
	v.integer(len(n.Values))
	values := n.Values
	if v.copies {
		values = slices.Clone(values)
	}
	for i, x := range values {
		if x = v.value(x); v.copies {
			values[i] = x
		}
	}
	if n.Values = values; v.copies {
		v.copy = n
	}
}

func (n Range) visit(v *visitor) {
	v.leaf("range", n.Field, "", 0)
	v.flag(n.AboveMin)
	v.flag(n.BelowMax)
	if n.Min, n.Max = v.value(n.Min), v.value(n.Max); v.copies {
		v.copy = n
	}
}

func (n Exists) visit(v *visitor) {
	if v.leaf("exists", n.Field, "", 0); v.copies {
		v.copy = n
	}
}

func (n IDs) visit(v *visitor) {
	v.kind("ids")
	if n = v.texts(n); v.copies {
		v.copy = n
	}
}

func (n And) visit(v *visitor) {
	v.kind("and")
	if n = v.matched(n); v.copies {
		v.copy = n
	}
}

func (n Or) visit(v *visitor) {
	v.kind("or")
	if n = v.matched(n); v.copies {
		v.copy = n
	}
}

func (n Not) visit(v *visitor) {
	v.kind("not")
	typos := v.typos
	v.typos = false
	n.Node = v.nodes([]Node{n.Node})[0]
	if v.typos = typos; v.copies {
		v.copy = n
	}
}
