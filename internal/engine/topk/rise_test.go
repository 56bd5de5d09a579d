package topk

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// What a sum must be above to pass is not above that of any document that passes, and scores rise with sums and with what they get.
func TestRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float32Range(0, 20), rapid.Float32Range(0, math.MaxFloat32/2), rapid.Just(float32(0)), rapid.Just(float32(math.SmallestNonzeroFloat32)))
		most := Rise{By: number.Draw(t, "most"), Multiply: rapid.Bool().Draw(t, "multiply")}
		own := Rise{By: min(most.By, number.Draw(t, "own")), Multiply: most.Multiply}
		sum, other := number.Draw(t, "sum"), number.Draw(t, "other")
		score := own.Of(sum)
		if !(score >= sum && score <= math.MaxFloat32 && float64(score) <= most.Bound(float64(sum))*(1+0x1p-23)+math.SmallestNonzeroFloat32) {
			t.Fatalf("%v scores %v with %+v, the bound is %v", sum, score, own, most.Bound(float64(sum)))
		}
		if most.Of(sum) < score || own.Of(max(sum, other)) < score {
			t.Fatalf("%+v: the score %v does not rise with the sum %v", own, score, sum)
		}
		var top TopK
		top.Reset(1, 2)
		top.Leave(most)
		top.Raise(score) // a tie must pass
		if sum <= top.Prune {
			t.Fatalf("%+v, at most %+v: the sum %v is pruned by %v at the threshold %v", own, most, sum, top.Prune, score)
		}
		if top.Leave(Rise{Multiply: most.Multiply}); top.Prune != top.Proven() {
			t.Fatalf("%v is pruned by where nothing is left, not %v", top.Prune, top.Proven())
		}
	})
}
