package ao

import (
	"context"
	"math"
	"testing"

	"github.com/pinion-index/pinion/internal/linefit"
	"github.com/pinion-index/pinion/papers/internal/corpus"
)

// TestLocality draws lists of GOV at a hundredth of its size: those of one order are local as Ao
// 2011, table 1, has it.
func TestLocality(t *testing.T) {
	groups := []float64{0, 1e5, 2e5, 4e5, 6e5, 8e5}
	names := []string{"GOV", "GOVPR", "GOVR"}
	local := map[string]float64{}
	err := corpus.Lists(context.Background(), names, 0.01, groups, 4, func(name string, docs []uint32) {
		if len(docs) > 1000 {
			local[name] += linefit.Of(docs).Range() / float64(len(docs))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if !(local["GOVR"] < 0.7*local["GOV"] && local["GOVR"] < 0.7*local["GOVPR"]) {
		t.Errorf("contraction ratios are %.3f in crawl order, %.3f by score and %.3f at random", local["GOV"], local["GOVPR"], local["GOVR"])
	}
}

// TestRandomLists holds the median of GOV's lists against the row of Ao 2011, table 1, that
// it is derived from.
func TestRandomLists(t *testing.T) {
	sum, n := 0.0, 0.0
	err := corpus.Lists(context.Background(), []string{"GOVR"}, 1, []float64{0, 1e5}, 24, func(_ string, docs []uint32) {
		if len(docs) > 0 && len(docs) < 1e5 {
			sum, n = sum+linefit.Of(docs).Range()/float64(len(docs)), n+1
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := sum / n; math.Abs(got-0.1338) > 0.2*0.1338 {
		t.Errorf("the contraction ratio of %g short lists at random is %.4f, the paper's 0.1338", n, got)
	}
}
