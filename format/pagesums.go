package format

import (
	"encoding/binary"
	"hash/crc32"
)

// Section PAGESUMS, the last of a segment, holds a CRC-32C of every page of the sections
// before it (see Pages), so that readers can check what they touch. It checks itself: its sums form
// groups, each followed by a sum of its own.
const (
	// PageGroup is the number of pages whose sums form a group. The last group may be
	// shorter.
	PageGroup = 1023
	// PageSumSize is the size of a sum in bytes.
	PageSumSize = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// PageSum returns the sum of a page, or of the sums of a group: the CRC-32C of b (RFC 3720,
// appendix B.4).
func PageSum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// PageSumsLength returns the length of PAGESUMS for sections of the given number of pages.
func PageSumsLength(pages int64) int64 {
	return PageSumSize * (pages + (pages+PageGroup-1)/PageGroup)
}

// pageSummer computes the sums of pages that are written one after another.
type pageSummer struct {
	sums []byte // of the full pages
	sum  uint32 // of the bytes of the next page
	n    int    // where the next byte is in its page
}

// begin sets where the first page begins.
func (s *pageSummer) begin(front int64) {
	s.n = int(front)
	s.turn()
}

func (s *pageSummer) add(p []byte) {
	for len(p) > 0 {
		k := min(PageSize-s.n, len(p))
		s.sum = crc32.Update(s.sum, castagnoli, p[:k])
		s.n += k
		s.turn()
		p = p[k:]
	}
}

// turn ends a page that is full.
func (s *pageSummer) turn() {
	if s.n == PageSize {
		s.sums = binary.LittleEndian.AppendUint32(s.sums, s.sum)
		s.sum, s.n = 0, 0
	}
}

// finish ends the last page and returns all sums.
func (s *pageSummer) finish() []byte {
	if s.n > 0 {
		s.n = PageSize
		s.turn()
	}
	return s.sums
}
