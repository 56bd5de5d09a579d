//go:build emu && cgo

package gpuload

import (
	"slices"
	"testing"

	"github.com/pinion-index/pinion/kernels"
)

// TestKernels checks what is loaded ahead: no kernel for codecs that the index lacks.
func TestKernels(t *testing.T) {
	s := openSnapshot(t)
	defer s.Close()
	segments, err := segmentsOf(s)
	if err != nil {
		t.Fatal(err)
	}
	x := &Executor{segments: segments}
	ks := x.kernels()
	for _, k := range []kernels.Kernel{kernels.CheckLists, kernels.RankPacked, kernels.SelectBest, kernels.MarkDocs} {
		if !slices.Contains(ks, k) {
			t.Errorf("%v is not loaded", k)
		}
	}
	if slices.Contains(ks, kernels.None) || slices.Contains(ks, kernels.Rank) {
		t.Errorf("loads %v", ks)
	}
}
