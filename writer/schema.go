package writer

import (
	"cmp"
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

// schema returns the schema that is asked for, which is the implicit one by default.
func (o *Options) schema() *schema.Schema {
	if o.Schema != nil {
		return o.Schema
	}
	return schema.Implicit("", "", false)
}

// canonical returns s with the analyzers' options as an index records them. Those that are empty stay so: they are the index's, and
// complete sets what is left of them.
func canonical(s *schema.Schema) (*schema.Schema, error) {
	return withOptions(s, func(f *schema.Field, a analysis.Analyzer) {
		if f.Options != "" {
			f.Analyzer, f.Options = a.Name(), a.Options()
		}
	})
}

// complete returns s, in which Adopt has set what an index has, with the defaults for what is empty still.
func complete(s *schema.Schema) (*schema.Schema, error) {
	return withOptions(s, func(f *schema.Field, a analysis.Analyzer) { f.Analyzer, f.Options = a.Name(), a.Options() })
}

// withOptions checks s and returns a copy, each text of which set has been called with, and its analyzer.
func withOptions(s *schema.Schema, set func(*schema.Field, analysis.Analyzer)) (*schema.Schema, error) {
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
		a, err := analysis.New(f.Analysis())
		if err != nil {
			return nil, fmt.Errorf("%w: field %q: %w", schema.ErrInvalid, f.Name, err)
		}
		set(f, a)
	}
	return s, nil
}

// setSchema determines the schema of the index whose newest commit is m.
func (w evolving) setSchema(m *indexdir.Manifest) (err error) {
	old, asked := m.Schema, w.opts.Schema
	if asked == nil {
		asked = old
	}
	s, err := asked.Adopt(old)
	switch {
	case asked.IsImplicit() && !old.IsImplicit(): // it is the index's field "text"
	case len(m.Segments) == 0 && (err != nil || asked.NextID == 0 && asked.Extends(old) != nil): // an index without documents takes any
		s, err = first(asked, old.NextID)
	case err != nil && asked.IsImplicit():
		want, bad := complete(asked)
		if bad != nil {
			return bad
		}
		name, options := m.Analyzer()
		wantName, wantOptions := analyzerIn(want)
		return cmp.Or(sameAnalyzer("the index", name, options, wantName, wantOptions), err)
	}
	if err == nil {
		w.opts.Schema, err = complete(s)
	}
	return err
}

// first returns the schema asked for as that of an index without documents, in which the next
// new field gets an id of next or above. Ids that it has, of another index, stay.
func first(asked *schema.Schema, next uint32) (*schema.Schema, error) {
	old := &schema.Schema{NextID: next}
	if asked.NextID != 0 {
		old = asked
	}
	s, err := asked.Adopt(old)
	if err != nil {
		return nil, err
	}
	return complete(s)
}
