package synth

import (
	"context"
	"math"
	"testing"

	"github.com/pinion-index/pinion/format"
)

// TestRegions compares the postings of common terms in the phases of a crawl with what
// Even asks for, and the variation between regions with Drift.
func TestRegions(t *testing.T) {
	for _, even := range []float64{0, 1} {
		s := Spec{Docs: 80000, Terms: 20000, Length: 100, Topics: 4, Seed: 5, RegionDocs: 1250, Drift: 1, Phases: 4, Even: even, Boost: 1, Burst: 1, SiteDocs: 10}
		c := collection(t, s)
		ranks := []int{300, 301, 302, 303, 304, 305, 306, 307} // in about one document in 40
		off, spread, most := 0.0, 0.0, float64(0)
		err := c.Draw(context.Background(), ranks, 1, func(_ int, p format.Postings) {
			var phases [4]float64
			regions := make([]float64, len(c.regions)-1)
			for _, d := range p.Docs {
				phases[int(d)*4/s.Docs]++
				regions[c.Region(int(d))]++
			}
			for _, n := range phases {
				off += math.Abs(4*n/float64(p.Len())-1) / float64(len(phases)*len(ranks))
			}
			mean := float64(p.Len()) / float64(len(regions))
			for _, n := range regions {
				spread += (n/mean - 1) * (n/mean - 1) / float64(len(regions)*len(ranks))
			}
			most = max(most, float64(p.Len()))
		})
		if err != nil {
			t.Fatal(err)
		}
		if limit := 5 / math.Sqrt(most/4); (off < limit) != (even == 1) {
			t.Errorf("even %g: phases are %.3f off their share on average, chance would leave less than %.3f", even, off, limit)
		}
		if spread < 0.5 {
			t.Errorf("even %g: the squared variation between regions is %.2f, that of a lognormal is %.2f", even, spread, math.E-1)
		}
	}
}

// TestExpect compares the expected number of documents with drawn lists.
func TestExpect(t *testing.T) {
	c := collection(t, Spec{Docs: 50000, Terms: 20000, Length: 100, Topics: 1, Seed: 5, Burst: 1})
	err := c.Draw(context.Background(), []int{0, 3, 20, 200}, 1, func(i int, p format.Postings) {
		want := c.Expect([]int{0, 3, 20, 200}[i])
		if got := float64(p.Len()); math.Abs(got-want) > 0.05*want {
			t.Errorf("list %d has %.0f documents, expected %.0f", i, got, want)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
