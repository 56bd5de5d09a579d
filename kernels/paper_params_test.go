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
	}
	var got []uintptr
	for _, v := range emuPaperSizes() {
		got = append(got, uintptr(v))
	}
	if !slices.Equal(got, want) {
		t.Errorf("sizes and offsets in C++ are %v, in Go %v", got, want)
	}
}
