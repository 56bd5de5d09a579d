// Package positions has what checks, shows and derives sections POSITIONS and POSITIONINDEX: where in
// their documents terms occur. Package build writes them with the lists, package segment reads them,
// and package posblock codes their parts.
package positions

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

// Section is the row of POSITIONS and POSITIONINDEX.
var Section = section.Section{
	IDs:   []format.SectionID{format.SectionPositions, format.SectionPositionIndex},
	Check: check,
	Work:  work,
}

// Tools is what dumps and salvage do with it.
var Tools = section.Tools{
	Section: &Section,
	Dump:    dump,
	Derive:  derive,
}

// work is what a byte of POSITIONS costs to check, in units of a byte's checksum.
const work = 40

// hasPositions reports whether block i of the dictionary is of a field with positions.
func hasPositions(s *segment.Segment, i int) bool {
	return s.Field(s.FieldOf(segment.Entry{Ordinal: uint64(i) * layout.TermsPerBlock})).HasPositions()
}

// blocks returns the number of blocks of the dictionary.
func blocks(s *segment.Segment) int { return int(s.Meta().Counts().TermBlocks) }

// derive makes POSITIONINDEX: it walks through the blocks of POSITIONS from the last to the first.
func derive(s *segment.Segment, id format.SectionID, sound func(format.SectionID) bool) []byte {
	sec, ok := s.Header().Section(format.SectionPositions)
	if id != format.SectionPositionIndex || !ok || !sound(format.SectionPositions) {
		return nil
	}
	n := blocks(s)
	index, at := make([]byte, 8*(n+1)), sec.Length
	binary.LittleEndian.PutUint64(index[8*n:], uint64(at))
	for i := n - 1; i >= 0; i-- {
		if hasPositions(s, i) {
			if at, ok = before(s, i, at); !ok {
				return nil
			}
		}
		binary.LittleEndian.PutUint64(index[8*i:], uint64(at))
	}
	return index
}

// before returns where block i of POSITIONS begins, which ends at end.
func before(s *segment.Segment, i int, end int64) (int64, bool) {
	n := min(end, int64(s.Raw().TermsIn(i))*layout.MaxPartLength)
	b, err := s.Raw().SectionBytes(format.SectionPositions, end-n, n)
	if err != nil {
		return 0, false
	}
	sum, pos := uint64(0), len(b)
	for range s.Raw().TermsIn(i) {
		var length uint64
		if length, pos = layout.UvarintBefore(b, pos); pos < 0 {
			return 0, false
		}
		sum += length
	}
	at := end - int64(len(b)-pos) - int64(sum)
	return at, at >= 0
}
