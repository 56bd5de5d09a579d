package cli

import (
	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/reader"
)

// HasParts reports whether the words of the only field of an index have parts, so that a typed word is more than a term.
func HasParts(s *reader.Snapshot) bool {
	fields := s.Schema().Fields
	if len(fields) != 1 {
		return false
	}
	a, err := analysis.New(fields[0].Analysis())
	_, ok := a.(analysis.Compound)
	return err == nil && ok
}
