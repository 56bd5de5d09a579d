package indexdir_test

import (
	"testing"

	"github.com/pinion-index/pinion/format"
)

// flipped flips a bit.
func flipped(s string, at int) []byte {
	b := []byte(s)
	b[at] ^= 4
	return b
}

// blotted overwrites the n bytes at at, of which no other part of the file says what they
// were unless it knows them all.
func blotted(s string, at, n int) []byte {
	b := []byte(s)
	for i := range b[at : at+n] {
		b[at+i] ^= byte(0xa5 + 7*i)
	}
	return b
}

// lostIDs is blotted for the ids, which nothing else tells.
func lostIDs(t testing.TB, s string) []byte {
	t.Helper()
	h, err := format.ParseFile("", []byte(s))
	if err != nil {
		t.Fatal(err)
	}
	ids, _ := h.Section(format.SectionIDs)
	return blotted(s, int(ids.Offset)+1, 8)
}

// lostMeta is blotted for META.
func lostMeta(t testing.TB, s string) []byte {
	t.Helper()
	h, err := format.ParseFile("", []byte(s))
	if err != nil {
		t.Fatal(err)
	}
	meta, _ := h.Section(format.SectionMeta)
	return blotted(s, int(meta.Offset), int(meta.Length))
}

// front returns where the sections of a file begin.
func front(s string) int {
	h, err := format.ParseFile("", []byte(s))
	if err != nil {
		panic(err)
	}
	return int(h.FrontSize())
}
