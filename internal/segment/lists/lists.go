// Package lists has what checks, shows and derives section LISTS: for each block of the
// dictionary, where its extents begin in POSTINGS. Package build writes it with the
// dictionary, and package segment reads it.
package lists

import (
	"encoding/binary"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

// Section is the row of LISTS.
var Section = section.Section{
	IDs:   []format.SectionID{format.SectionLists},
	Check: check,
	Work:  1,
}

// Tools is what dumps and salvage do with it.
var Tools = section.Tools{
	Section: &Section,
	Dump:    dump,
	Derive:  derive,
}

// grain is how many blocks a goroutine checks at a time.
const grain = 64

// check compares each offset with the first extent at or behind its block.
func check(v section.Verifier) error {
	s := v.Segment()
	want, err := content(s)
	if err != nil {
		return nil // the check of the dictionary reports it
	}
	return v.Each(len(want), grain, func(lo, hi int) error {
		b, err := s.Raw().SectionBytes(format.SectionLists, 8*int64(lo), 8*int64(hi-lo))
		if err != nil {
			return v.Report(err, 0, [2]uint32{})
		}
		for i, w := range want[lo:hi] {
			if is := binary.LittleEndian.Uint64(b[8*i:]); is != w {
				err := s.Raw().Corrupt(format.SectionLists, 8*int64(lo+i), "extents of block %d begin at %d, not %d", lo+i, w, is)
				if err := v.Report(err, 8, [2]uint32{}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// content returns what LISTS must be, as the dictionary says.
func content(s *segment.Segment) ([]uint64, error) {
	postings, _ := s.Header().Section(format.SectionPostings)
	all := make([]uint64, s.Meta().Counts().TermBlocks+1)
	all[len(all)-1] = uint64(postings.Length)
	for i := len(all) - 2; i >= 0; i-- {
		all[i] = all[i+1]
		b, err := s.Raw().TermBlock(i)
		if err != nil {
			return nil, err
		}
		pos := b.Entries
		for j := range b.Terms {
			e, next := s.Raw().ParseEntry(&b, j, pos)
			if next < 0 {
				return nil, s.Raw().Corrupt(format.SectionTerms, b.Offset+int64(pos), "malformed entry in block %d", i)
			}
			if pos = next; e.Kind == segment.KindExtent {
				all[i] = uint64(e.Offset)
				break
			}
		}
	}
	return all, nil
}

func dump(c section.Cursor, _ *segment.Segment, _ format.SectionID) {
	for i := 0; c.More(); i++ {
		c.Fixed(8, fmt.Sprintf("extents of block %d", i), "")
	}
}

func derive(s *segment.Segment, _ format.SectionID, sound func(format.SectionID) bool) (b []byte) {
	if !sound(format.SectionTerms) || !sound(format.SectionTermIndex) {
		return nil
	}
	all, err := content(s)
	if err != nil {
		return nil
	}
	for _, w := range all {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}
