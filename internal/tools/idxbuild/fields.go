package idxbuild

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// documentFields returns what --map and --field name.
func (f *flags) documentFields() (exchange.Fields, error) {
	fields, err := exchange.ParseFields(f.fields)
	if err != nil {
		return fields, cli.Usage("--map: %w", err)
	}
	if fields, err = exchange.ParseFields(f.fields, f.keys...); err != nil {
		return fields, cli.Usage("--field: %w", err)
	}
	for _, name := range f.positions {
		if err := addPositions(&fields, name); err != nil {
			return fields, cli.Usage("--positions: %w", err)
		}
	}
	if f.autoID && fields.ID != "" {
		return fields, cli.Usage("--auto-id makes ids up, but --map names a field of ids")
	}
	fields.Unknown = exchange.Unknown(f.unknown.Value)
	return fields, nil
}

// addPositions makes positions kept of a field, which is a new key if none is there.
func addPositions(fields *exchange.Fields, name string) error {
	found := false
	for i := range fields.Keys {
		k := &fields.Keys[i]
		if k.Field.Name != name {
			continue
		}
		if found = true; k.Field.Kind != 0 && k.Field.Kind != schema.Text {
			return fmt.Errorf("field %q is of kind %v: positions are those of text", name, k.Field.Kind)
		}
		if k.Field.Index == schema.IndexNone {
			return fmt.Errorf("field %q is not indexed: positions are those of a field that is", name)
		}
		k.Field.Positions = true
	}
	if !found {
		k, err := exchange.ParseKey(name)
		if err != nil {
			return err
		}
		k.Field.Positions = true
		fields.Keys = append(fields.Keys, k)
	}
	return nil
}

// schema returns the schema of the run's documents, nil if they have no fields, and
// leaves to it in o what is a field's.
func (f *flags) schema(fields exchange.Fields, vectors *vectorFiles, inputs bool, o *writer.Options) (*schema.Schema, error) {
	base, err := f.baseSchema()
	if err != nil {
		return nil, err
	}
	if err := cli.CheckKeys(fields.Keys, base, f.analyzer, f.options, f.storeText); err != nil {
		return nil, err
	}
	switch {
	case base == nil && len(fields.Keys) == 0 && len(vectors.all) > 0 && inputs:
		return nil, cli.Usage("--vectors goes with documents that have fields: --field names that of the text, too")
	case base == nil && len(fields.Keys) == 0 && len(vectors.all) == 0:
		if fields.Unknown != exchange.UnknownIgnore {
			return nil, cli.Usage("--unknown goes with documents that have fields: see --field and --schema")
		}
		return nil, nil
	case len(fields.Contents) > 0:
		return nil, cli.Usage("--map contents goes with documents without fields: see --field")
	case len(fields.Keys) == 0 && f.analyzer != "":
		return nil, cli.Usage("--analyzer: in the schema, each field has its own")
	case len(fields.Keys) == 0 && f.storeText:
		return nil, cli.Usage("--store-text: the schema says what is stored")
	}
	usual := schema.Field{Stored: f.storeText}
	if f.analyzer != "" {
		usual.Analyzer, usual.Options = f.analyzer, f.options
	}
	fields.Keys = vectors.keys(fields.Keys, base)
	s, err := fields.WithSchema(base, usual)
	if err != nil {
		return nil, cli.Usage("--field: %w", err)
	}
	o.Schema = s
	return s, nil
}

// setOrder sets the order of documents: of those that are written, or in which the index is brought
// at the end.
func (f *flags) setOrder(b *build, o *writer.Options) error {
	order := writer.Order(f.order.Value)
	if err := order.Check(o.Schema); err != nil {
		return cli.Usage("--order: %w", err)
	}
	kept := !strings.HasPrefix(f.order.Value, "field:")
	if !kept && isIndex(f.out) {
		// An error returns when the writer opens the index.
		_ = latest(f.out, func(m *indexdir.Manifest) { kept = len(m.Segments) > 0 && cli.OrderOf(m) != order })
	}
	switch {
	case !kept:
		o.Order = order
	case order != writer.OrderInput:
		b.order = &writer.MergeOptions{Order: order, Seed: f.seed}
	}
	return nil
}

// baseSchema returns the schema of --schema, or that of the index, or nil.
func (f *flags) baseSchema() (s *schema.Schema, err error) {
	if f.schemaFile != "" {
		b, err := os.ReadFile(f.schemaFile)
		if err != nil {
			return nil, err
		}
		if s, err = schema.Parse(b); err != nil {
			return nil, cli.Usage("--schema %s: %w", f.schemaFile, err)
		}
		if err := cli.CheckSchema(s); err != nil {
			return nil, cli.Usage("--schema %s: %w", f.schemaFile, err)
		}
		return s, nil
	}
	if isIndex(f.out) {
		// An error returns when the writer opens the index.
		_ = latest(f.out, func(m *indexdir.Manifest) {
			if !m.Schema.IsImplicit() {
				s = m.Schema.Clone()
			}
		})
	}
	return s, nil
}

// listField returns the field into which inputs of posting lists go: the one that --field names,
// or the only one that is indexed.
func listField(s *schema.Schema, keys []exchange.Key, ins []input) (string, error) {
	i := slices.IndexFunc(ins, func(in input) bool { return in.format.Postings() })
	if s == nil || i < 0 {
		return "", nil
	}
	var names []string
	for _, k := range keys {
		names = append(names, k.Field.Name)
	}
	if len(names) == 0 {
		for i := range s.Fields {
			if s.Fields[i].Indexing() != schema.IndexNone {
				names = append(names, s.Fields[i].Name)
			}
		}
	}
	if len(names) != 1 {
		return "", cli.Usage("%s: posting lists go into one field: name it, alone, with --field", ins[i].path)
	}
	return names[0], nil
}

// keepsText reports whether hits of a new index can show something.
func (f *flags) keepsText(s *schema.Schema) bool {
	if s == nil {
		return f.storeText
	}
	for i := range s.Fields {
		if s.Fields[i].Stored {
			return true
		}
	}
	return false
}

// add adds the next document of src.
func (b *build) add(ctx context.Context, src *exchange.Documents) error {
	id, values, err := src.NextValues()
	if err == nil {
		values, err = b.vectors.join(id, values)
	}
	if err != nil {
		return err
	}
	return b.w.Add(ctx, writer.Doc{ID: id, Values: values})
}
