package writer

import (
	"fmt"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
)

// Schema returns a copy of the schema of the index, whose order of fields that of
// Options.Schema is.
func (w *Writer) Schema() *schema.Schema { return w.now().Clone() }

// now returns the schema of the index, which a zero Writer has too.
func (w *Writer) now() *schema.Schema {
	if s := w.current.Load(); s != nil {
		return s
	}
	return schema.Implicit("", "", false)
}

// canonical returns s with the analyzers' options as an index records them. Those that are empty stay so: they are the index's, and
// complete sets what is left of them.
func (o *Options) canonical(s *schema.Schema) (*schema.Schema, error) {
	return o.withOptions(s, func(f *schema.Field, a analysis.Analyzer) {
		if f.Options != "" {
			f.Analyzer, f.Options = a.Name(), a.Options()
		}
	})
}

// complete returns s, in which Adopt has set what an index has, with the defaults for what is empty still.
func (o *Options) complete(s *schema.Schema) (*schema.Schema, error) {
	return o.withOptions(s, func(f *schema.Field, a analysis.Analyzer) { f.Analyzer, f.Options = a.Name(), a.Options() })
}

// withOptions checks s and returns a copy, each text of which set has been called with, and its analyzer.
func (o *Options) withOptions(s *schema.Schema, set func(*schema.Field, analysis.Analyzer)) (*schema.Schema, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	s = s.Clone()
	name, ok := analysis.ForLanguage(s.Language)
	if !ok && s.Language != "" {
		return nil, fmt.Errorf("%w: language %q: there is no analyzer for it; without, texts are cut by standard", schema.ErrInvalid, s.Language)
	}
	s.Language = ""
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind != schema.Text {
			continue
		}
		if f.Analyzer == "" && f.Options == "" {
			f.Analyzer = name // or none
		}
		a, err := o.analyzerOf(f)
		if err != nil {
			return nil, fmt.Errorf("%w: field %q: %w", schema.ErrInvalid, f.Name, err)
		}
		set(f, a)
	}
	return s, nil
}

// checkSchema checks Options.Schema, and brings it in the form in which an index records it.
func (o *Options) checkSchema() (err error) {
	switch {
	case o.Schema == nil:
		return nil
	case o.Analyzer != nil && !o.Schema.IsImplicit():
		return fmt.Errorf("%w: with a schema, each field has its analyzer", ErrInvalid)
	case o.Stored:
		return fmt.Errorf("%w: with a schema, each field says whether it is stored", ErrInvalid)
	}
	if a := o.Analyzer; a != nil {
		o.Schema = o.Schema.Clone()
		f := &o.Schema.Fields[0]
		switch {
		case f.Analyzer == "" && f.Options == "" && o.Schema.Language == "":
			cutBy(f, a)
		case f.Analyzer != a.Name():
			return fmt.Errorf("%w: the analyzer is %q, in the schema %q", ErrInvalid, a.Name(), f.Analyzer)
		}
	}
	o.Schema, err = o.canonical(o.Schema)
	return err
}

// setSchema determines the schema of the index whose newest commit is m.
func (w *Writer) setSchema(m *indexdir.Manifest) (err error) {
	old, asked := m.Schema, w.opts.asked()
	if asked == nil {
		asked = old
	}
	w.opts.Schema, err = asked.Adopt(old)
	switch {
	case w.opts.asksText() && !old.IsImplicit(): // it has a text of this name, or a program of another kind has it
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	case len(m.Segments) == 0 && (err != nil || asked.NextID == 0 && asked.Extends(old) != nil): // an index without documents takes any
		w.opts.Schema, err = w.opts.first(asked, old.NextID)
	case err != nil && asked.IsImplicit() && old.IsImplicit():
		var want *schema.Schema
		if want, err = w.opts.complete(asked); err == nil {
			name, options := m.Analyzer()
			err = sameAnalyzer("the index", name, options, want.Fields[0].Analyzer, want.Fields[0].Options)
		}
		return err
	}
	if err == nil {
		w.opts.Schema, err = w.opts.complete(w.opts.Schema)
	}
	return err
}

// first returns the schema asked for as that of an index without documents, in which the next
// new field gets an id of next or above. Ids that it has, of another index, stay.
func (o *Options) first(asked *schema.Schema, next uint32) (*schema.Schema, error) {
	old := &schema.Schema{NextID: next}
	if asked.NextID != 0 {
		old = asked
	}
	s, err := asked.Adopt(old)
	if err != nil {
		return nil, err
	}
	return o.complete(s)
}
