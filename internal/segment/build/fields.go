package build

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Field is a field of a segment to build.
type Field struct {
	schema.Field
	// Lengths are the lengths of the documents, as Options.Lengths, if the field has lengths.
	// Those of a field with byte lengths may be exact: they are rounded down.
	Lengths []segment.LengthTable
}

// field is a field of a Builder: of a segment without fields, the only one.
type field struct {
	segment.Field
	lengths *lengths
	vectors *vectorsBuilder
	model   *impactModel
	foreign bool // lengths need not bound frequencies
}

// newFields returns the fields of o, in their order.
func newFields(o *Options) ([]field, error) {
	if o.Fields == nil {
		f := field{lengths: newLengths(o.Lengths), foreign: o.ForeignLengths}
		return []field{f}, f.scan(o.Docs)
	}
	if o.Lengths != nil || o.ForeignLengths || o.Analyzer != "" || len(o.Fields) > schema.MaxFields {
		return nil, fmt.Errorf("segment: lengths or an analyzer beside those of %d fields", len(o.Fields))
	}
	fields := make([]field, len(o.Fields))
	ids := map[uint32]bool{0: true}
	for i, of := range o.Fields {
		f := &fields[i]
		f.Field.Field = of.Field
		f.Index = of.Indexing()
		f.Analyzer, f.Options = of.Analysis()
		f.K1, f.B, f.Boost, f.Scale = 0, 0, 0, 0
		if err := f.Field.Check(); err != nil {
			return nil, fmt.Errorf("segment: %w", err)
		}
		if i > 0 && f.Name <= o.Fields[i-1].Name || ids[f.ID] {
			return nil, fmt.Errorf("segment: field %q is out of order, or has no id of its own", f.Name)
		}
		ids[f.ID] = true
		if f.Kind == schema.Vector {
			f.Vectors = new(segment.FieldVectors)
		}
		if f.lengths = unitLengths(o.Docs); f.HasLengths() {
			f.lengths = newLengths(coded(of.Lengths, f.Coded()))
		}
		f.foreign = f.Coded() || f.HasImpacts()
		if err := f.scan(o.Docs); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// coded returns tables as tables of length codes, if wanted.
func coded(tables []segment.LengthTable, wanted bool) []segment.LengthTable {
	if !wanted {
		return tables
	}
	all := make([]segment.LengthTable, len(tables))
	for i, t := range tables {
		all[i] = t.Code()
	}
	return all
}

// scan sets what the lengths say of f, and its model.
func (f *field) scan(docs uint32) error {
	if f.lengths.docs != int(docs) {
		return fmt.Errorf("segment: lengths%s are not those of the documents", ofField(f.Name))
	}
	f.MinLen = ^uint32(0)
	eachLength(f.lengths, func(lengths []uint32) error {
		for _, v := range lengths {
			f.LengthSum += uint64(v)
			f.MinLen, f.MaxLen = min(f.MinLen, v), max(f.MaxLen, v)
			if v > 0 {
				f.Docs++
			}
		}
		return nil
	})
	f.MinLen = min(f.MinLen, f.MaxLen)
	if f.LenWidth = layout.LengthWidth(f.MaxLen); f.Coded() {
		f.LenWidth = 1
	}
	avg := 0.0 // over the documents that statistics count: without a schema, all
	if f.ID == 0 && docs > 0 {
		avg = float64(f.LengthSum) / float64(docs)
	} else if f.Docs > 0 {
		avg = float64(f.LengthSum) / float64(f.Docs)
	}
	f.model = newImpactModel(avg)
	return nil
}

// ofField names a field, if there are several.
func ofField(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" of field %q", name)
}

// BeginField begins field f of Options.Fields: the terms that follow are its terms. Fields come
// in their order; those without terms may be left out.
func (b *Builder) BeginField(f int) error {
	if b.o.Fields == nil && f == 0 { // it has begun
		return nil
	}
	if b.o.Fields == nil || f < b.field || f >= len(b.fields) || f == b.field && b.fields[f].Terms > 0 {
		return fmt.Errorf("segment: field %d begun after field %d", f, b.field)
	}
	if b.fields[f].Index == schema.IndexNone {
		return fmt.Errorf("segment: field %q is not indexed", b.fields[f].Name)
	}
	b.terms.endField()
	b.field = f
	return nil
}

// Fields returns the fields of the segment with what is known so far: Terms and Tokens are
// complete when all lists have been added. A segment without a schema has none.
func (b *Builder) Fields() []segment.Field {
	if b.o.Fields == nil {
		return nil
	}
	all := make([]segment.Field, len(b.fields))
	for i := range b.fields {
		all[i] = b.fields[i].described()
	}
	return all
}

// described returns f as FIELDS has it.
func (f *field) described() segment.Field {
	x := f.Field
	if !f.HasLengths() {
		x.Docs, x.Tokens, x.LengthSum, x.MinLen, x.MaxLen, x.LenWidth = 0, 0, 0, 0, 0, 0
	}
	return x
}

// endFields sets what META says of fields, and returns section FIELDS.
func (b ending) endFields() ([]byte, error) {
	m := &b.meta
	m.Fields, m.TermBlocks = uint32(len(b.fields)), b.terms.blocks
	m.LengthBytes = uint64(b.lengthBytes())
	for i := range b.fields {
		if f := &b.fields[i]; f.HasLengths() && !f.Coded() && f.Tokens != f.LengthSum {
			return nil, fmt.Errorf("segment: field %q: frequencies add up to %d, lengths to %d", f.Name, f.Tokens, f.LengthSum)
		}
	}
	section := segment.AppendFields(nil, b.Fields())
	if len(section) > layout.MaxFields {
		return nil, fmt.Errorf("segment: fields take %d bytes, at most %d are possible", len(section), layout.MaxFields)
	}
	return section, nil
}
