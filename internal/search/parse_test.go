package search

import (
	"errors"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/schema"
)

func TestParseUnknownAnalyzer(t *testing.T) {
	s := &Searcher{parser: NewParserFor(schema.Implicit("nosuch", "", false))}
	if _, err := s.Parse("text"); !errors.Is(err, analysis.ErrUnknown) {
		t.Errorf("error %v, want analysis.ErrUnknown", err)
	}
}
