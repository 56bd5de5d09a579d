package pinion

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// fields are the fields of an index, by number in its schema.
type fields struct {
	schema    *schema.Schema
	all       []schema.Field      // of schema
	analyzers []analysis.Analyzer // nil for what is not text, or not registered
	terms     []*reader.SnapshotField
}

func fieldsOf(s *reader.Snapshot) *fields {
	f := &fields{schema: s.Schema()}
	f.all = f.schema.Fields
	f.analyzers = make([]analysis.Analyzer, len(f.all))
	f.terms = make([]*reader.SnapshotField, len(f.all))
	for i := range f.all {
		f.terms[i], _ = s.Field(f.all[i].Name)
		if f.all[i].Kind == schema.Text {
			f.analyzers[i], _ = analysis.New(f.all[i].Analysis())
		}
	}
	return f
}

// number returns the number of a field, or -1.
func (f *fields) number(name string) int { return f.schema.Number(name) }

// stored returns the number of a field that is stored or has a column, or an error that matches
// ErrInvalid.
func (f *fields) stored(name string) (int, error) {
	i := f.number(name)
	switch {
	case i < 0:
		return 0, fmt.Errorf("%w: there is no field %q, but %s", query.ErrInvalid, name, f.names())
	case !f.all[i].Stored && !f.all[i].Column:
		return 0, fmt.Errorf("%w: the field %q is not stored, and has no column", query.ErrInvalid, f.nameOf(i))
	}
	return i, nil
}

// nameOf returns the name that hits have of a field.
func (f *fields) nameOf(field int) string { return nameOf(f.all[field].Name) }

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
			c, _ = s.Field(f.all[i].Name)
		}
		dst = append(dst, c)
	}
	return dst
}

// allTexts reports whether the fields with ids have all stored texts, so that of a document
// hardly anything is left out.
func (f *fields) allTexts(ids []uint32) bool {
	return !slices.ContainsFunc(f.all, func(x schema.Field) bool {
		return x.Stored && x.Kind == schema.Text && !slices.Contains(ids, x.ID)
	})
}

// names returns the names of the fields, for errors.
func (f *fields) names() string {
	var names []string
	for i := range f.all {
		names = append(names, f.nameOf(i))
	}
	return strings.Join(names, ", ")
}

// document is the stored form of a document.
type document struct {
	ctx      context.Context
	fields   *fields
	snapshot *reader.Snapshot
	doc      uint32 // global docID
	text     []byte
}

// values yields the values in a field, given by its number, which refer to the stored form.
func (d *document) values(field int) iter.Seq2[schema.Value, error] {
	return func(yield func(schema.Value, error) bool) {
		f := &d.fields.all[field]
		for s, err := range record.Values(d.fields.schema, d.text) {
			var v schema.Value
			if err == nil && s.ID == f.ID {
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

// candidate is a text that the passage may be from. If it is alone, the document has no other in the field.
type candidate struct {
	field int
	text  []byte
	alone bool
}

// candidates appends the texts of a document that the passage may be from, the longest first: those of the field with that
// name, or of all that the query searches.
func (d *document) candidates(dst []candidate, name string, w *words) ([]candidate, error) {
	only := d.fields.number(name)
	for i := range d.fields.all {
		f := &d.fields.all[i]
		if !f.Stored || f.Kind != schema.Text || i != only && (name != "" || !w.searches(i)) {
			continue
		}
		from := len(dst)
		for v, err := range d.values(i) {
			if err != nil {
				return dst, err
			}
			dst = append(dst, candidate{field: i, text: v.Bytes()})
		}
		if len(dst) == from+1 {
			dst[from].alone = true
		}
	}
	if len(dst) > 1 {
		sort.SliceStable(dst, func(i, j int) bool { return len(dst[i].text) > len(dst[j].text) })
	}
	return dst, nil
}
