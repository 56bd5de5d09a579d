package search

import (
	"testing"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query"
)

// Modes and algorithms have the same values here and in the engine.
func TestEngineValues(t *testing.T) {
	modes := []engine.Mode{query.ModeOr: engine.Or, query.ModeAnd: engine.And, query.ModeAndOr: engine.AndOr}
	if len(modes) != int(query.ModeAndOr)+1 {
		t.Error("a mode is missing here")
	}
	for m, x := range modes {
		if engine.Mode(m) != x {
			t.Errorf("%v is %d in the engine", query.Mode(m), x)
		}
	}
	algorithms := []algorithm.Name{Auto: algorithm.Auto, Exhaustive: algorithm.Exhaustive, Scan: algorithm.Scan, MaxScore: algorithm.MaxScore,
		WAND: algorithm.WAND, BlockMaxWAND: algorithm.BlockMaxWAND, BlockMaxMaxScore: algorithm.BlockMaxMaxScore,
		RangeMaxScore: algorithm.RangeMaxScore, FilterFirst: algorithm.FilterFirst, Leapfrog: algorithm.Leapfrog,
		SmallAdaptive: algorithm.SmallAdaptive, BlockMaxAnd: algorithm.BlockMaxAnd}
	if len(algorithms) != len(algorithm.Names) {
		t.Error("an algorithm is missing here")
	}
	for a, x := range algorithms {
		if algorithm.Name(a) != x || x.Conjunctive() != Algorithm(a).Conjunctive() {
			t.Errorf("%v is %d in the engine", Algorithm(a), x)
		}
	}
}
