package writer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
)

// ErrAnalyzer is matched by the errors for an index or a segment that was made with
// a different analyzer.
var ErrAnalyzer = errors.New("analyzers differ")

// analyzerIn returns what segments and manifests of a schema name: nothing if the fields have analyzers.
func analyzerIn(s *schema.Schema) (name, options string) {
	return (&indexdir.Manifest{Schema: s}).Analyzer()
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
