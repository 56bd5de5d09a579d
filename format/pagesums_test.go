package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// crc is CRC-32C bit by bit.
func crc(b []byte) uint32 {
	v := ^uint32(0)
	for _, c := range b {
		v ^= uint32(c)
		for range 8 {
			v = v>>1 ^ 0x82f63b78&-(v&1)
		}
	}
	return ^v
}

// However the content is cut into writes, PAGESUMS has the sum of each page and group.
func TestPageSums(t *testing.T) {
	if got := PageSum([]byte("123456789")); got != 0xe3069283 || crc([]byte("123456789")) != got {
		t.Fatalf("%08x", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		f := &memFile{fail: -1}
		w := NewFileWriter(f, KindSegment, ID{7})
		for id := range SectionID(rapid.IntRange(0, 3).Draw(t, "sections")) {
			w.Begin(id+1, SectionRequired)
			for range rapid.IntRange(0, 4).Draw(t, "writes") {
				w.Write(bytes.Repeat([]byte{byte(id + 5)}, rapid.SampledFrom([]int{0, 1, 63, 4095, 4096, 4097, 9000}).Draw(t, "length")))
			}
			w.End()
		}
		h, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		sums := h.Sections[len(h.Sections)-1]
		pages := (sums.Offset + PageSize - 1) / PageSize
		if sums.ID != SectionPageSums || sums.Length != PageSumsLength(pages) || h.Version.Pages(h.FrontSize(), sums.Offset).SumsLength() != sums.Length {
			t.Fatalf("%v for %d pages", sums, pages)
		}
		got := f.b[sums.Offset : sums.Offset+sums.Length]
		for i := range pages {
			lo, hi := max(PageSize*i, h.FrontSize()), min(PageSize*(i+1), sums.Offset)
			if binary.LittleEndian.Uint32(got[4*i:]) != crc(f.b[lo:hi]) {
				t.Fatalf("page %d", i)
			}
		}
		if binary.LittleEndian.Uint32(got[4*pages:]) != crc(got[:4*pages]) {
			t.Fatal("group")
		}
	})
}

// A page and its place among the sums, of files in which sections begin anywhere in a page,
// and of those of version 0.2.
func TestPages(t *testing.T) {
	for _, c := range []struct {
		v          Version
		front, end int64
		page       int64
		lo, hi     int64
		group, at  int64
	}{
		{Current(), 768, 1024, 0, 768, 1024, 0, 0},
		{Current(), 768, 768, 0, 768, 768, 0, 0},
		{Current(), 4096, 8192, 0, 4096, 4096, 0, 0},
		{Current(), 4096, 8192, 1, 4096, 8192, 0, 4},
		{Current(), 768, 8256, 2, 8192, 8256, 0, 8},
		{Current(), 768, 2000 * 4096, 1022, 1022 * 4096, 1023 * 4096, 0, 1022 * 4},
		{Current(), 768, 2000 * 4096, 1023, 1023 * 4096, 1024 * 4096, 1, 0},
		{version02, 4096, 2000 * 4096, 1, 4096, 8192, 0, 0},
		{version02, 4096, 2000 * 4096, 1023, 1023 * 4096, 1024 * 4096, 0, 1022 * 4},
		{version02, 4096, 2000 * 4096, 1024, 1024 * 4096, 1025 * 4096, 1, 0},
	} {
		p := c.v.Pages(c.front, c.end)
		lo, hi := p.Bounds(c.page)
		group, at := p.Group(c.page)
		if lo != c.lo || hi != c.hi || group != c.group || at != c.at || c.page < p.First || c.page >= p.End {
			t.Errorf("%+v: %d to %d, group %d, %d", c, lo, hi, group, at)
		}
		if first, end := p.Of(group); c.page < first || c.page >= end || end > p.End {
			t.Errorf("%+v: group of pages %d to %d", c, first, end)
		}
	}
	if p := version02.Pages(4096, 4096); p.First != p.End || p.SumsLength() != 0 {
		t.Errorf("%+v", p)
	}
}

func TestPageGroups(t *testing.T) {
	f := &memFile{fail: -1}
	w := NewFileWriter(f, KindSegment, ID{7})
	w.Begin(1, SectionRequired)
	w.Write(make([]byte, 2*PageGroup*PageSize))
	w.End()
	h, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	sums, _ := h.Section(SectionPageSums)
	if want := int64(4 * (2*PageGroup + 1 + 3)); sums.Length != want || PageSumsLength(0) != 0 {
		t.Fatalf("%d bytes, want %d", sums.Length, want)
	}
	b := f.b[sums.Offset : sums.Offset+sums.Length]
	for _, n := range []int{4 * PageGroup, 4 * PageGroup, 4} {
		if binary.LittleEndian.Uint32(b[n:]) != crc(b[:n]) {
			t.Error("sum of a group")
		}
		b = b[n+4:]
	}
}

func TestOldVersion(t *testing.T) {
	b := good(t)
	b[10] = 1
	if _, err := parse(b); !errors.Is(err, ErrCorrupt) {
		t.Errorf("with a checksum that does not match: %v", err)
	}
	seal(b)
	if _, err := parse(b); !errors.Is(err, ErrTooOld) || err.Error() != "index format too old: file x.pin, section header, offset 8: file has version 0.1, this build reads 0.2 to 0.8" {
		t.Error(err)
	}
}
