package residency

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// pair is a posting of a tile.
type pair struct {
	doc    uint16
	weight uint8
}

// An extent writes each of its postings once, and beside them only what adds nothing.
func TestExtentKeepsPostings(t *testing.T) {
	var x extent // used again
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 7, 8, 9, 31, 200, 255, 256, 257, 700, 3000}).Draw(t, "postings")
		step := rapid.SampledFrom([]int{1, 2, 3, 32, 64}).Draw(t, "step")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var want []pair
		x.units = (n + unitPostings - 1) / unitPostings
		for i := range n {
			p := pair{uint16(i * step % (1 << 16)), uint8(1 + r.IntN(255))}
			want = append(want, p)
			x.add(p.doc, p.weight)
		}
		units := x.units
		docs, weights := make([]uint16, unitPostings*units), make([]byte, unitPostings*units)
		x.write(docs, weights)
		var got []pair
		for i, w := range weights {
			if w > 0 {
				got = append(got, pair{docs[i], w})
			} else if docs[i] >= 32 {
				t.Fatalf("document %d of a posting that adds nothing", docs[i])
			}
		}
		order := func(a, b pair) int { return (int(a.doc)-int(b.doc))<<8 + int(a.weight) - int(b.weight) }
		slices.SortFunc(want, order)
		slices.SortFunc(got, order)
		if !slices.Equal(got, want) {
			t.Fatalf("%d postings, want %d, or others", len(got), len(want))
		}
	})
}

// Of random documents, 32 that are added together fall into 3.5 rounds of different banks on average, if they are in any
// order. An extent needs half of that.
func TestExtentSpreadsBanks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	rounds, rows := 0, 0
	for range 50 {
		x := extent{units: 2000 / unitPostings}
		for range 2000 {
			x.add(uint16(r.IntN(27648)), 1)
		}
		docs, weights := make([]uint16, 2000), make([]byte, 2000)
		x.write(docs, weights)
		for unit := 0; unit+32 <= len(docs)/unitPostings; unit += 32 {
			for slot := range unitPostings {
				var of [banks]int
				for i := range 32 {
					of[docs[(unit+i)*unitPostings+slot]%banks]++
				}
				rounds, rows = rounds+slices.Max(of[:]), rows+1
			}
		}
	}
	if mean := float64(rounds) / float64(rows); mean > 1.75 {
		t.Errorf("%.2f rounds", mean)
	} else {
		t.Logf("%.2f rounds", mean)
	}
}
