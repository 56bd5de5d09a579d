package writer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
)

// ErrAnalyzer is matched by the errors for an index or a segment that was made with
// a different analyzer.
var ErrAnalyzer = errors.New("analyzers differ")

// Analyzer returns the analyzer of the index. The fields of a Schema have their own.
func (w *Writer) Analyzer() analysis.Analyzer { return w.opts.Analyzer }

// analyzerIn returns what segments and manifests of a schema name: nothing if the fields have analyzers.
func analyzerIn(s *schema.Schema) (name, options string) {
	return (&indexdir.Manifest{Schema: s}).Analyzer()
}

// analyzerOf returns the analyzer of a field of a schema: Options.Analyzer where that is meant, which need not be registered.
func (o *Options) analyzerOf(f *schema.Field) (analysis.Analyzer, error) {
	name, options := f.Analysis()
	if a := o.Analyzer; a != nil && a.Name() == name && (options == a.Options() || options == "" && f.Name == "" && !hasDefaults(a)) {
		return a, nil
	}
	return analysis.New(name, options)
}

// asksText reports whether the options ask for the implicit schema otherwise than by Schema.
func (o *Options) asksText() bool { return o.Schema == nil && (o.Analyzer != nil || o.Stored) }

// asked returns the schema that is asked for, or nil: Analyzer and Stored alone ask for the implicit one.
func (o *Options) asked() *schema.Schema {
	if !o.asksText() {
		return o.Schema
	}
	s := schema.Implicit("", "", o.Stored)
	if a := o.Analyzer; a != nil {
		cutBy(&s.Fields[0], a)
	}
	return s
}

// cutBy has the field cut by a. With the default options it stands for those that the index has.
func cutBy(f *schema.Field, a analysis.Analyzer) {
	f.Analyzer = a.Name()
	if !hasDefaults(a) {
		f.Options = a.Options()
	}
}

// schema returns the schema that is asked for, which is the implicit one by default.
func (o *Options) schema() *schema.Schema {
	if s := o.asked(); s != nil {
		return s
	}
	return schema.Implicit("", "", false)
}

// hasDefaults reports whether the options of a are the defaults.
func hasDefaults(a analysis.Analyzer) bool {
	d, err := analysis.New(a.Name(), "")
	return err == nil && d.Options() == a.Options()
}

// sameAnalyzer returns ErrAnalyzer unless what was made with the wanted analyzer. The error names the
// options that only one of them has.
func sameAnalyzer(what, name, options, wantName, wantOptions string) error {
	if name == wantName && options == wantOptions {
		return nil
	}
	err := fmt.Errorf("%w: %s was made with %s(%s), not %s(%s)", ErrAnalyzer, what, name, options, wantName, wantOptions)
	if name != wantName {
		return err
	}
	had, asked := strings.Split(options, ","), strings.Split(wantOptions, ",")
	lacks := func(in []string) func(string) bool {
		return func(o string) bool { return o == "" || slices.Contains(in, o) }
	}
	only := append(slices.DeleteFunc(slices.Clone(had), lacks(asked)), slices.DeleteFunc(asked, lacks(had))...)
	return fmt.Errorf("%w: they differ in %s", err, strings.Join(only, " and "))
}
