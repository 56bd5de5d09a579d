package query

import (
	"testing"

	"github.com/pinion-index/pinion/query/internal/engine"
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
	algorithms := []engine.Algorithm{Auto: engine.Auto, Exhaustive: engine.Exhaustive, Scan: engine.Scan, MaxScore: engine.MaxScore,
		WAND: engine.WAND, BlockMaxWAND: engine.BlockMaxWAND, BlockMaxMaxScore: engine.BlockMaxMaxScore,
		RangeMaxScore: engine.RangeMaxScore, FilterFirst: engine.FilterFirst, Leapfrog: engine.Leapfrog,
		SmallAdaptive: engine.SmallAdaptive, BlockMaxAnd: engine.BlockMaxAnd}
	if len(algorithms) != len(algorithmNames) {
		t.Error("an algorithm is missing here")
	}
	for a, x := range algorithms {
		if engine.Algorithm(a) != x || x.Conjunctive() != Algorithm(a).Conjunctive() {
			t.Errorf("%v is %d in the engine", Algorithm(a), x)
		}
	}
}
