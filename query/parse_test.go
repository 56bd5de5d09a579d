package query

import (
	"errors"
	"testing"

	"github.com/pinion-index/pinion/analysis"
)

func TestParseUnknownAnalyzer(t *testing.T) {
	s := &Searcher{parser: newParser(nil, "nosuch", "")}
	if _, err := s.Parse("text"); !errors.Is(err, analysis.ErrUnknown) {
		t.Errorf("error %v, want analysis.ErrUnknown", err)
	}
}
