package pinion

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Doc is a document: its id, and what it has in the fields of the schema.
type Doc struct {
	// ID is 1 to 65535 bytes. A document that is added replaces one with the same id.
	ID string
	// Fields are the values by the names of their fields: values of Go that fit the fields' kinds as schema.Schema.AppendValues has it, and
	// slices of them for several. The field of the implicit schema is "text".
	Fields map[string]any
	// Values are values that need no conversion, for programs that write millions: in other fields than Fields has. They stay in
	// order.
	Values []schema.Value
}

// Text returns a document for an index of the implicit schema: its id and its text.
func Text(id, text string) Doc {
	return Doc{ID: id, Values: []schema.Value{schema.TextValue(implicitName, text)}}
}

// written returns d as the writer takes it. The error names document and field and matches writer.ErrDocument and ErrInvalid.
func (d *Doc) written(s *schema.Schema) (writer.Doc, error) {
	values, err := s.Resolve(d.Values)
	if err == nil && len(d.Fields) > 0 {
		values, err = d.withFields(s, values)
	}
	if err != nil {
		return writer.Doc{}, fmt.Errorf("%w %.80q: %w", writer.ErrDocument, d.ID, err)
	}
	return writer.Doc{ID: []byte(d.ID), Values: values}, nil
}

// change is one of a Batch.
type change struct {
	doc     Doc
	deletes bool   // the document with the id
	sets    bool   // a field of the document with the id to what doc has in it
	field   string // that it sets
}

// changes returns changes as the writer of an index with a schema takes them. The error has a *writer.ChangeError for each document that cannot be added.
func (x *Index) changes(s *schema.Schema, made []change) ([]writer.Change, error) {
	all := make([]writer.Change, len(made))
	var bad []error
	for i := range made {
		c := &made[i]
		if c.deletes {
			all[i] = writer.Change{Doc: writer.Doc{ID: []byte(c.doc.ID)}, Delete: true}
			continue
		}
		var err error
		if all[i].Doc, err = c.doc.written(s); err != nil {
			bad = append(bad, &writer.ChangeError{Number: i, Err: err})
		} else if c.sets {
			all[i].Set = []string{c.field}
		}
	}
	if len(bad) == 0 {
		return all, nil
	}
	for i := range all { // which the writer is not asked for
		if all[i].Doc.ID == nil {
			continue
		}
		if err := x.w.CheckChange(&all[i]); err != nil {
			bad = append(bad, &writer.ChangeError{Number: i, Err: err})
		}
	}
	return nil, errors.Join(bad...)
}

// withFields returns values, which are those of d.Values, with those of d.Fields, in the order of the schema.
func (d *Doc) withFields(s *schema.Schema, values []schema.Value) (all []schema.Value, err error) {
	all = make([]schema.Value, len(values), len(values)+len(d.Fields))
	copy(all, values)
	found := 0
	add := func(number int, name string) error {
		x, ok := d.Fields[name]
		if !ok {
			return nil
		}
		if found++; slices.ContainsFunc(values, func(v schema.Value) bool { return v.Field == number }) {
			return fmt.Errorf("%w: field %q has values in Fields and in Values", ErrInvalid, name)
		}
		all, err = s.AppendValues(all, number, x)
		return err
	}
	for i := range s.Fields {
		name := s.Fields[i].Name
		if err := add(i, name); err != nil {
			return nil, err
		}
		if also := nameOf(name); also != name {
			if err := add(i, also); err != nil {
				return nil, err
			}
		}
	}
	if found == len(d.Fields) {
		return all, nil
	}
	return nil, d.unknown(s)
}

// unknown returns the error for the first name of d.Fields that the schema lacks.
func (d *Doc) unknown(s *schema.Schema) error {
	var names []string
	for name := range d.Fields {
		if s.Number(name) < 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var known []string
	for i := range s.Fields {
		known = append(known, nameOf(s.Fields[i].Name))
	}
	return fmt.Errorf("%w: there is no field %q in the schema, but %s", ErrInvalid, names[0], strings.Join(known, ", "))
}
