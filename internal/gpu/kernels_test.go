//go:build emu && cgo

package gpu

import (
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/kernels"
)

// TestKernels checks what is loaded ahead: what lists of the index and their queries need, and
// no module for codecs that the index lacks.
func TestKernels(t *testing.T) {
	newpfd := gputrial.Shape{Docs: 2000, Segments: 1, Terms: 12, MaxDF: 0.9, MinDF: 300, DocsCodec: "newpfd", FreqsCodec: "newpfd"}
	bp128, lrc, wide, joined := newpfd, newpfd, newpfd, newpfd
	bp128.DocsCodec, bp128.FreqsCodec = "bp128", "bp128"
	lrc.DocsCodec, wide.DocsCodec, wide.FreqsCodec = "lrc", "vbyte1024", "vbyte1024"
	joined.Segments = 3
	always := []kernels.Kernel{kernels.CheckLists, kernels.SelectBest}
	for name, v := range map[string]struct {
		shape    gputrial.Shape
		asStored bool
		field    string
		want     []kernels.Kernel
	}{
		"bp128":  {bp128, false, "", []kernels.Kernel{kernels.CutTiles, kernels.CheckPacked, kernels.RankPacked, kernels.MarkPacked}},
		"newpfd": {newpfd, false, "", []kernels.Kernel{kernels.CutTiles, kernels.CheckNewPFD, kernels.MeasureNewPFD, kernels.RankPacked, kernels.MarkPacked}},
		"joined": {joined, false, "", []kernels.Kernel{kernels.CutTiles, kernels.CheckPacked, kernels.RankPacked, kernels.MarkPacked}},
		"stored": {newpfd, true, "", []kernels.Kernel{kernels.CutTiles, kernels.CheckNewPFD, kernels.RankNewPFD, kernels.MarkDocs}},
		"lrc":    {lrc, false, "", []kernels.Kernel{kernels.CutTiles, kernels.CheckBlocks, kernels.MeasureBlocks, kernels.RankPacked, kernels.MarkPacked}},
		"fields": {bp128, false, "title", []kernels.Kernel{kernels.CutTilesFields, kernels.CheckPacked, kernels.RankPackedFields, kernels.MarkPacked}},
		"wide":   {wide, false, "", []kernels.Kernel{kernels.CutTiles, kernels.CheckBlocks, kernels.Rank, kernels.MarkDocs}},
	} {
		c, _ := newCollection(t, v.shape)
		segments := viewsIn(c)
		x := &Executor{docs: docs.New(segments, []docs.Field{{Name: v.field}}, v.asStored), options: Options{AsStored: v.asStored}}
		got, want := x.modules().kernels(), append(v.want, always...)
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s: loads %v, want %v", name, got, want)
		}
	}
}
