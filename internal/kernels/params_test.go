//go:build emu && cgo

package kernels

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pinion-index/pinion/kernels"
)

func TestStructsMatch(t *testing.T) {
	var l ListDesc
	var q QueryDesc
	var s Select
	want := []uintptr{
		unsafe.Sizeof(l), unsafe.Sizeof(Tile{}), unsafe.Sizeof(DecodeJob{}), unsafe.Sizeof(DecodeParams{}),
		unsafe.Sizeof(CheckParams{}), unsafe.Sizeof(q), unsafe.Sizeof(Term{}), unsafe.Sizeof(IntersectParams{}),
		unsafe.Sizeof(Range{}), unsafe.Sizeof(DisjunctParams{}), unsafe.Sizeof(Goal{}), unsafe.Sizeof(s), unsafe.Sizeof(SelectParams{}),
		unsafe.Sizeof(NormParams{}), unsafe.Sizeof(GatherParams{}), unsafe.Sizeof(RankParams{}), unsafe.Offsetof(l.LRInv), unsafe.Offsetof(l.N),
		unsafe.Offsetof(l.DocsCodec), unsafe.Offsetof(l.MaxDoc), unsafe.Offsetof(q.Cap), unsafe.Offsetof(s.Out),
		unsafe.Sizeof(MergeJob{}), unsafe.Sizeof(MergeParams{}), unsafe.Sizeof(CollectParams{}),
		unsafe.Offsetof(l.Presence), unsafe.Sizeof(PresenceJob{}), unsafe.Sizeof(PresenceParams{}),
		unsafe.Sizeof(CheckJob{}), unsafe.Sizeof(CheckStatus{}), unsafe.Offsetof(CheckJob{}.Kth), unsafe.Sizeof(RecodeJob{}), unsafe.Sizeof(RecodeParams{}), unsafe.Offsetof(RecodeJob{}.Head),
		unsafe.Sizeof(TileParams{}), unsafe.Sizeof(FieldScore{}), unsafe.Offsetof(FieldScore{}.Coded),
		unsafe.Sizeof(SetList{}), unsafe.Sizeof(MarkSetParams{}), unsafe.Sizeof(Operand{}), unsafe.Offsetof(Operand{}.Flags), unsafe.Sizeof(CombineParams{}),
		unsafe.Sizeof(ImpactQuery{}), unsafe.Sizeof(ImpactTerm{}), unsafe.Sizeof(ImpactSegment{}), unsafe.Sizeof(ImpactParams{}), unsafe.Sizeof(ImpactCheckParams{}),
		unsafe.Sizeof(SpanJob{}), unsafe.Sizeof(SpanParams{}), unsafe.Sizeof(Clause{}), unsafe.Sizeof(RankClausesParams{}), unsafe.Sizeof(Test{}), unsafe.Offsetof(Test{}.Want), unsafe.Offsetof(DisjunctParams{}.Sums), unsafe.Offsetof(s.Total),
		unsafe.Sizeof(NearQuery{}), unsafe.Offsetof(NearQuery{}.Filter), NearTermsSize, unsafe.Sizeof(NearParams{}),
	}
	var got []uintptr
	for _, v := range kernels.Sizes() {
		got = append(got, uintptr(v))
	}
	if !slices.Equal(got, want) {
		t.Errorf("sizes and offsets in C++ are %v, in Go %v", got, want)
	}
}
