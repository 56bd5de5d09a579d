//go:build emu && cgo

package kernels

import (
	"slices"
	"testing"
	"unsafe"
)

func TestStructsMatch(t *testing.T) {
	var l RawList
	var b RawBucket
	var s SearchParams
	want := []uintptr{
		unsafe.Sizeof(l), unsafe.Offsetof(l.Slope), unsafe.Offsetof(l.Step), unsafe.Sizeof(RawLine{}), unsafe.Sizeof(b),
		unsafe.Offsetof(b.Width), unsafe.Sizeof(RawQuery{}), unsafe.Sizeof(s), unsafe.Offsetof(s.NTiles),
		unsafe.Sizeof(FindParams{}), unsafe.Offsetof(FindParams{}.NA), unsafe.Sizeof(KeepParams{}), unsafe.Offsetof(KeepParams{}.NA),
		unsafe.Sizeof(HeadParams{}), unsafe.Sizeof(BlockParams{}), unsafe.Offsetof(BlockParams{}.N), unsafe.Sizeof(WithinParams{}),
		unsafe.Sizeof(ScoreParams{}), unsafe.Offsetof(ScoreParams{}.N), unsafe.Sizeof(BestParams{}), unsafe.Offsetof(BestParams{}.N),
		unsafe.Sizeof(RadixParams{}), unsafe.Sizeof(BucketState{}), unsafe.Offsetof(BucketState{}.Bucket), unsafe.Sizeof(BucketParams{}),
		unsafe.Sizeof(PrefixTile{}), unsafe.Sizeof(PrefixParams{}), unsafe.Offsetof(PrefixParams{}.NTiles),
	}
	var got []uintptr
	for _, v := range emuSizes() {
		got = append(got, uintptr(v))
	}
	if !slices.Equal(got, want) {
		t.Errorf("sizes and offsets in C++ are %v, in Go %v", got, want)
	}
}
