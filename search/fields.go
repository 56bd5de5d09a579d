package search

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// fields are the fields of an index, by number in its schema.
type fields struct {
	implicit  bool
	all       []schema.Field
	analyzers []analysis.Analyzer // nil for what is not text, or not registered
	terms     []*reader.SnapshotField
}

func fieldsOf(s *reader.Snapshot) *fields {
	f := &fields{all: s.Schema().Fields}
	f.implicit = len(f.all) == 1 && f.all[0].Name == ""
	if f.implicit {
		f.all[0].Stored = stores(s)
	}
	f.analyzers = make([]analysis.Analyzer, len(f.all))
	f.terms = make([]*reader.SnapshotField, len(f.all))
	for i := range f.all {
		f.terms[i], _ = s.Field(f.all[i].Name)
		if f.all[i].Kind == schema.KindText {
			f.analyzers[i], _ = analysis.New(f.all[i].Analysis())
		}
	}
	return f
}

// stores reports whether a segment of an index without a schema stores text, or there is none
// yet, so that no hit lacks it.
func stores(s *reader.Snapshot) bool {
	segments := s.Segments()
	return len(segments) == 0 || slices.ContainsFunc(segments, func(g *reader.Segment) bool { return g.Meta().Stored })
}

// number returns the number of a field, or -1.
func (f *fields) number(name string) int {
	return slices.IndexFunc(f.all, func(x schema.Field) bool { return x.Name == name })
}

// stored returns the number of a field that is stored or has a column, or an error that matches
// ErrInvalid.
func (f *fields) stored(name string) (int, error) {
	i := f.number(name)
	switch {
	case i < 0:
		return 0, fmt.Errorf("%w: there is no field %q, but %s", ErrInvalid, name, f.names())
	case !f.all[i].Stored && f.implicit:
		return 0, fmt.Errorf("%w: the index stores no text", ErrInvalid)
	case !f.all[i].Stored && !f.all[i].Column:
		return 0, fmt.Errorf("%w: the field %q is not stored, and has no column", ErrInvalid, name)
	}
	return i, nil
}

// appendIDs appends the ids of stored fields with names.
func (f *fields) appendIDs(dst []uint32, names []string) []uint32 {
	for _, name := range names {
		if i := f.number(name); i >= 0 && f.all[i].Stored {
			dst = append(dst, f.all[i].ID)
		}
	}
	return dst
}

// columns appends for each of names what a snapshot has of the field, or nil if it is stored.
func (f *fields) columns(dst []*reader.SnapshotField, names []string, s *reader.Snapshot) []*reader.SnapshotField {
	for _, name := range names {
		var c *reader.SnapshotField
		if i := f.number(name); !f.all[i].Stored {
			c, _ = s.Field(name)
		}
		dst = append(dst, c)
	}
	return dst
}

// allTexts reports whether the fields with ids have all stored texts, so that of a document
// hardly anything is left out.
func (f *fields) allTexts(ids []uint32) bool {
	return f.implicit || !slices.ContainsFunc(f.all, func(x schema.Field) bool {
		return x.Stored && x.Kind == schema.KindText && !slices.Contains(ids, x.ID)
	})
}

// names returns the names of the fields, for errors.
func (f *fields) names() string {
	if f.implicit {
		return `"" (the index has no schema)`
	}
	var names []string
	for i := range f.all {
		names = append(names, f.all[i].Name)
	}
	return strings.Join(names, ", ")
}

// document is the stored form of a document: text without a schema, and otherwise a record.
type document struct {
	fields   *fields
	snapshot *reader.Snapshot
	doc      uint32 // global docID
	text     []byte
}

// values yields the values in a field, given by its number, which refer to the stored form.
func (d *document) values(field int) iter.Seq2[schema.Value, error] {
	return func(yield func(schema.Value, error) bool) {
		f := &d.fields.all[field]
		if d.fields.implicit {
			yield(schema.TextValue(field, d.text), nil)
			return
		}
		for rest := d.text; len(rest) > 0; {
			var s record.Stored
			var v schema.Value
			var err error
			if s, rest, err = record.Next(rest); err == nil && s.ID == f.ID {
				v, err = s.Value(field, f.Kind)
			}
			if err != nil {
				yield(v, err)
				return
			}
			if s.ID == f.ID && !yield(v, nil) {
				return
			}
		}
	}
}

// passageField returns the field that a passage is from, and its text: the longest value of the
// one with that name, or of all that the query searches. alone says that the document has no other in the field.
func (d *document) passageField(name string, w *words) (field int, text []byte, alone bool, err error) {
	for i := range d.fields.all {
		f := &d.fields.all[i]
		if !f.Stored || f.Kind != schema.KindText || f.Name != name && (name != "" || !w.searches(i)) {
			continue
		}
		n := 0
		for v, err := range d.values(i) {
			if err != nil {
				return 0, nil, false, err
			}
			n++
			if len(v.Bytes()) > len(text) {
				field, text = i, v.Bytes()
			}
		}
		if field == i {
			alone = n == 1
		}
	}
	return field, text, alone, nil
}
