package ding

import (
	"testing"

	"github.com/pinion-index/pinion/papers/internal/paper"
)

// TestFigure3Kinds draws sizes of a small collection: PForDelta with one b a block links whole exceptions,
// as in table 1, which takes more room than NewPFD's arrays.
func TestFigure3Kinds(t *testing.T) {
	rows, err := figure3.CPU(t.Context(), &paper.Env{Scale: 1. / 512, Small: true})
	if err != nil {
		t.Fatal(err)
	}
	size := map[string]float64{}
	for _, r := range rows {
		size[r.At] = r.Value
	}
	if len(size) != len(schemes3) {
		t.Errorf("sizes of %d schemes, not of %d", len(size), len(schemes3))
	}
	if size[arrays3] <= 0 || size[linked3] < 1.1*size[arrays3] {
		t.Errorf("linked exceptions take %.2f bits a docID, arrays %.2f", size[linked3], size[arrays3])
	}
}
