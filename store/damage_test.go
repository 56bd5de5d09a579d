package store_test

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
	h, err := format.ParseHeader("", int64(len(s)), []byte(s[:format.PageSize]), []byte(s[len(s)-format.FooterSize:]))
	if err != nil {
		t.Fatal(err)
	}
	ids, _ := h.Section(format.SectionIDs)
	return blotted(s, int(ids.Offset)+1, 8)
}

// lostMeta is blotted for META, which is the last section but PAGESUMS.
func lostMeta(s string) []byte {
	return blotted(s, len(s)-format.FooterSize-2*format.PageSize, 100)
}
