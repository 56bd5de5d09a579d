package invert

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// What is in a keyArena or in chunks stays while they grow, also after a reset.
func TestGrowth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var arena keyArena
	var numbers chunks[int]
	for round := range 3 {
		refs := map[uint32][]byte{}
		for i := range 3*chunkLen + 7 {
			n := 1 + r.IntN(20)
			if i%1000 == 999 {
				n = 1 + r.IntN(65535)
			}
			ref, b := arena.alloc(n)
			if ref == 0 || refs[ref] != nil || len(b) != n {
				t.Fatalf("round %d: reference %d again, or %d bytes of %d", round, ref, len(b), n)
			}
			b[0], b[n-1] = byte(i), byte(i)
			refs[ref] = bytes.Clone(b)
			numbers.append(i + round)
		}
		for ref, want := range refs {
			if got := arena.at(ref)[:len(want)]; got[0] != want[0] || got[len(got)-1] != want[len(want)-1] {
				t.Fatalf("round %d: reference %d has other bytes", round, ref)
			}
		}
		for i := range numbers.n {
			if *numbers.at(i) != i+round {
				t.Fatalf("round %d: element %d is %d", round, i, *numbers.at(i))
			}
		}
		arena.reset()
		numbers.reset()
	}
}
