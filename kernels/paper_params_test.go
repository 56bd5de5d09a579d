//go:build emu && paper && cgo

package kernels

import (
	"slices"
	"testing"
	"unsafe"
)

func TestPaperStructsMatch(t *testing.T) {
	var l RawList
	var b RawBucket
	var s PaperSearchParams
	want := []uintptr{
		unsafe.Sizeof(l), unsafe.Offsetof(l.Slope), unsafe.Offsetof(l.Step), unsafe.Sizeof(RawLine{}), unsafe.Sizeof(b),
		unsafe.Offsetof(b.Width), unsafe.Sizeof(RawQuery{}), unsafe.Sizeof(s), unsafe.Offsetof(s.NTiles),
		unsafe.Sizeof(PaperFindParams{}), unsafe.Offsetof(PaperFindParams{}.NA), unsafe.Sizeof(PaperKeepParams{}), unsafe.Offsetof(PaperKeepParams{}.NA),
		unsafe.Sizeof(PaperHeadParams{}), unsafe.Sizeof(PaperBlockParams{}), unsafe.Offsetof(PaperBlockParams{}.N), unsafe.Sizeof(PaperWithinParams{}),
		unsafe.Sizeof(PaperScoreParams{}), unsafe.Offsetof(PaperScoreParams{}.N), unsafe.Sizeof(PaperBestParams{}), unsafe.Offsetof(PaperBestParams{}.N),
		unsafe.Sizeof(PaperRadixParams{}), unsafe.Sizeof(PaperBucketState{}), unsafe.Offsetof(PaperBucketState{}.Bucket), unsafe.Sizeof(PaperBucketParams{}),
		unsafe.Sizeof(PrefixTile{}), unsafe.Sizeof(PaperPrefixParams{}), unsafe.Offsetof(PaperPrefixParams{}.NTiles),
	}
	var got []uintptr
	for _, v := range emuPaperSizes() {
		got = append(got, uintptr(v))
	}
	if !slices.Equal(got, want) {
		t.Errorf("sizes and offsets in C++ are %v, in Go %v", got, want)
	}
}
