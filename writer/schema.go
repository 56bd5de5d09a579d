package writer

import (
	"fmt"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// Schema returns a copy of the schema of the index, whose order of fields that of
// Options.Schema is, or nil if the index has none.
func (w *Writer) Schema() *schema.Schema { return w.opts.Schema.Clone() }

// canonical returns s with the analyzers' options as an index records them.
func canonical(s *schema.Schema) (*schema.Schema, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	s = s.Clone()
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind != schema.KindText {
			continue
		}
		name, options := f.Analysis()
		a, err := analysis.New(name, options)
		if err != nil {
			return nil, fmt.Errorf("%w: field %q: %w", schema.ErrInvalid, f.Name, err)
		}
		f.Analyzer, f.Options = a.Name(), a.Options()
	}
	return s, nil
}

// checkSchema checks Options.Schema, and brings it in the form in which an index records it.
func (o *Options) checkSchema() (err error) {
	switch {
	case o.Schema == nil:
		return nil
	case o.Analyzer != nil:
		return fmt.Errorf("%w: with a schema, each field has its analyzer", ErrInvalid)
	case o.Stored:
		return fmt.Errorf("%w: with a schema, each field says whether it is stored", ErrInvalid)
	}
	o.Schema, err = canonical(o.Schema)
	return err
}

// setSchema determines the schema of the index whose newest commit is m.
func (w *Writer) setSchema(m *store.Manifest) (err error) {
	old, asked := m.Schema, w.opts.Schema
	switch {
	case asked == nil:
		if old != nil && (w.opts.Analyzer != nil || w.opts.Stored) {
			return fmt.Errorf("%w: the index has a schema, which says what is stored and the analyzer of each field", ErrInvalid)
		}
		w.opts.Schema = old
		return nil
	case old == nil && len(m.Segments) == 0:
		old = &schema.Schema{}
	}
	w.opts.Schema, err = asked.Adopt(old)
	if err != nil && len(m.Segments) == 0 { // an index without documents takes any
		w.opts.Schema, err = first(asked, old.NextID)
	}
	return err
}

// first returns the schema asked for as that of an index without documents, in which the next
// new field gets an id of next or above. Ids that it has, of another index, stay.
func first(asked *schema.Schema, next uint32) (*schema.Schema, error) {
	if asked.NextID != 0 {
		return asked.Adopt(asked)
	}
	return asked.Adopt(&schema.Schema{NextID: next})
}

// sameSchema reports whether two schemas say the same, in the same order.
func sameSchema(a, b *schema.Schema) bool {
	if a == nil || b == nil || a.NextID != b.NextID || len(a.Fields) != len(b.Fields) {
		return a == b
	}
	for i := range a.Fields {
		if a.Fields[i] != b.Fields[i] {
			return false
		}
	}
	return true
}
