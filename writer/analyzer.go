package writer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/store"
)

// ErrAnalyzer is matched by the errors for an index or a segment that was made with
// a different analyzer.
var ErrAnalyzer = errors.New("analyzers differ")

// Analyzer returns the analyzer of the index. The fields of a Schema have their own.
func (w *Writer) Analyzer() analysis.Analyzer { return w.opts.Analyzer }

// analyzer returns what segments and manifests name: nothing if the fields have analyzers.
func (w *Writer) analyzer() (name, options string) {
	if w.opts.Schema != nil {
		return "", ""
	}
	return w.opts.Analyzer.Name(), w.opts.Analyzer.Options()
}

// setAnalyzer determines the analyzer of the index whose newest commit is m.
func (w *Writer) setAnalyzer(m *store.Manifest) (err error) {
	asked := w.opts.Analyzer
	switch {
	case w.opts.Schema != nil:
		w.opts.Analyzer, err = analysis.New("standard", "")
		return err
	case len(m.Segments) == 0 && asked != nil: // an index without documents takes any
		return nil
	case asked == nil || asked.Name() == m.Analyzer && hasDefaults(asked):
		w.opts.Analyzer, err = analysis.New(m.Analyzer, m.AnalyzerOptions)
		return err
	}
	return sameAnalyzer("the index", m.Analyzer, m.AnalyzerOptions, asked)
}

// hasDefaults reports whether the options of a are the defaults.
func hasDefaults(a analysis.Analyzer) bool {
	d, err := analysis.New(a.Name(), "")
	return err == nil && d.Options() == a.Options()
}

// sameAnalyzer returns ErrAnalyzer unless what was made with a. The error names the
// options that only one of them has.
func sameAnalyzer(what, name, options string, a analysis.Analyzer) error {
	if name == a.Name() && options == a.Options() {
		return nil
	}
	err := fmt.Errorf("%w: %s was made with %s(%s), not %s(%s)", ErrAnalyzer, what, name, options, a.Name(), a.Options())
	if name != a.Name() {
		return err
	}
	had, asked := strings.Split(options, ","), strings.Split(a.Options(), ",")
	lacks := func(in []string) func(string) bool {
		return func(o string) bool { return o == "" || slices.Contains(in, o) }
	}
	only := append(slices.DeleteFunc(slices.Clone(had), lacks(asked)), slices.DeleteFunc(asked, lacks(had))...)
	return fmt.Errorf("%w: they differ in %s", err, strings.Join(only, " and "))
}
