package query

import (
	"testing"

	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
)

// Modes and algorithms have the same values here and in the engine.
func TestEngineValues(t *testing.T) {
	modes := []engine.Mode{Or: engine.Or, And: engine.And, AndOr: engine.AndOr}
	if len(modes) != len(modeNames) {
		t.Error("a mode is missing here")
	}
	for m, x := range modes {
		if engine.Mode(m) != x {
			t.Errorf("%v is %d in the engine", Mode(m), x)
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
