package writer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// invertedFields are the fields of a schema that an Inverted collection goes into.
type invertedFields struct {
	all     []schema.Field     // of the schema, in the order of names
	columns []invertedColumn   // of each of them that has one
	vectors [][]invertedVector // of each of them that is one of vectors, in the order of documents
	ranks   []int              // of the fields of the collection, in all
	several bool               // Inverted.Fields, not Inverted.Field
	rec     []byte             // the stored values of a document
}

// invertedFields returns the fields of a collection.
func (w importing) invertedFields(in *Inverted) (*invertedFields, error) {
	s := w.opts.Schema
	names := in.Fields
	switch {
	case s.IsImplicit() && in.Field == "" && names == nil:
		names = []string{""}
	case s.IsImplicit():
		return nil, fmt.Errorf("%w: posting lists of %s, and the index has no schema", ErrInvalid, ofFields(in))
	case in.Field == "" && names == nil:
		return nil, fmt.Errorf("%w: posting lists without a field, and the index has a schema", ErrInvalid)
	case in.Field != "" && names != nil:
		return nil, fmt.Errorf("%w: posting lists of field %q, and of several", ErrInvalid, in.Field)
	case names == nil:
		names = []string{in.Field}
	}
	f := &invertedFields{several: in.Fields != nil}
	f.all = slices.SortedFunc(slices.Values(s.Fields), func(a, b schema.Field) int { return strings.Compare(a.Name, b.Name) })
	f.columns = make([]invertedColumn, len(f.all))
	f.vectors = make([][]invertedVector, len(f.all))
	for i, name := range names {
		rank := slices.IndexFunc(f.all, func(f schema.Field) bool { return f.Name == name })
		switch {
		case rank < 0:
			return nil, fmt.Errorf("%w: posting lists of field %q, which the schema does not have", ErrInvalid, name)
		case !f.several && f.all[rank].Indexing() == schema.IndexNone:
			return nil, fmt.Errorf("%w: posting lists of field %q, which is not indexed", ErrInvalid, name)
		case !f.several && f.all[rank].Column:
			return nil, fmt.Errorf("%w: posting lists of field %q, which has a column: documents with values give both", ErrInvalid, name)
		case !f.several && f.all[rank].Positions:
			return nil, fmt.Errorf("%w: posting lists of field %q, which has positions, and lists have none", ErrInvalid, name)
		case i > 0 && names[i-1] >= name:
			return nil, fmt.Errorf("%w: posting lists of field %q after those of %q", ErrInvalid, name, names[i-1])
		}
		f.ranks = append(f.ranks, rank)
	}
	return f, nil
}

// ofFields names the fields of a collection that has some.
func ofFields(in *Inverted) string {
	if in.Field != "" {
		return fmt.Sprintf("field %q", in.Field)
	}
	return fmt.Sprintf("fields %q", in.Fields)
}

// count returns the number of fields of the collection.
func (f *invertedFields) count() int { return len(f.ranks) }

// isText reports whether they are those of the implicit schema, whose documents have a text instead of a record.
func (f *invertedFields) isText() bool { return f.all[0].Name == "" }

// of returns field i of the collection.
func (f *invertedFields) of(i int) *schema.Field { return &f.all[f.ranks[i]] }

// rank returns the number of field i of the collection in the segment.
func (f *invertedFields) rank(i int) int { return f.ranks[i] }

// options returns those of the segment of so many documents with these lengths in the fields of
// the collection. In other fields they have none.
func (f *invertedFields) options(docs int, lens [][]uint32) build.Options {
	o := build.Options{Docs: uint32(docs)}
	none := []segment.LengthTable{segment.PackedLengths(make([]byte, docs), 1)}
	for rank, g := range f.all {
		x := build.Field{Field: g}
		if g.HasLengths() {
			x.Lengths = none
			if i := slices.Index(f.ranks, rank); i >= 0 {
				x.Lengths = []segment.LengthTable{segment.NewLengthTable(lens[i])}
			}
		}
		o.Fields = append(o.Fields, x)
		o.Stored = o.Stored || g.Stored
	}
	return o
}

// stored checks what d, document number doc, has in the fields, and returns what is stored of it,
// valid until the next call. It takes what columns have of it.
func (f *invertedFields) stored(doc uint32, d *InvertedDoc) ([]byte, error) {
	f.rec = f.rec[:0]
	if f.isText() {
		if !f.all[0].Stored {
			return nil, nil
		}
		return d.Text, nil
	}
	if !f.several {
		if len(d.Text) == 0 {
			return nil, nil
		}
		v := schema.TextValue(0, d.Text)
		if f.of(0).Kind == schema.Keyword {
			v = schema.KeywordValue(0, d.Text)
		}
		err := f.store(doc, v)
		return f.rec, err
	}
	if len(d.Lens) != len(f.ranks) {
		return nil, fmt.Errorf("%d lengths in %d fields", len(d.Lens), len(f.ranks))
	}
	for _, v := range d.Values {
		if v.Field < 0 || v.Field >= len(f.ranks) {
			return nil, fmt.Errorf("a value of field %d of %d", v.Field, len(f.ranks))
		}
		if err := f.store(doc, v); err != nil {
			return nil, err
		}
	}
	return f.rec, nil
}

// store appends a value of a document to the record, if its field is stored, and to its column.
func (f *invertedFields) store(doc uint32, v schema.Value) error {
	rank := f.ranks[v.Field]
	g := &f.all[rank]
	if !g.Stored && !g.Column && g.Kind != schema.Vector {
		return nil
	}
	v.Field = 0
	if err := (&schema.Schema{Fields: []schema.Field{*g}}).CheckValue(v); err != nil {
		return err
	}
	if g.Stored {
		f.rec = record.Append(f.rec, g.ID, v.Floor(g.Unit))
	}
	if g.Column {
		f.columns[rank].add(doc, g, v)
	}
	if g.Kind == schema.Vector {
		f.vectors[rank] = append(f.vectors[rank], invertedVector{doc, v.Vector()})
	}
	return nil
}

// locate adds field i of the collection to an error, if there is one.
func (f *invertedFields) locate(i int, err error) error {
	if err == nil || f.isText() {
		return err
	}
	return fmt.Errorf("field %q: %w", f.of(i).Name, err)
}
