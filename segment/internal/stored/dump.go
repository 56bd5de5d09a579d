package stored

import (
	"encoding/binary"
	"fmt"

	"github.com/golang/snappy"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
	"github.com/pinion-index/pinion/segment/internal/section"
)

func dump(c section.Cursor, s *segment.Segment, id format.SectionID) {
	if id == format.SectionStoredIndex {
		dumpIndex(c)
		return
	}
	// The blocks are those that the index names.
	for at := int64(0); c.More(); at += layout.StoredEntry {
		e, err := s.Raw().SectionBytes(format.SectionStoredIndex, at, 2*layout.StoredEntry)
		if err != nil {
			return
		}
		raw := binary.LittleEndian.Uint32(e[4:]) == layout.StoredRaw
		size := binary.LittleEndian.Uint64(e[layout.StoredEntry+8:]) - binary.LittleEndian.Uint64(e[8:])
		c.Field(size, fmt.Sprintf("text from document %d", binary.LittleEndian.Uint32(e)), func(b []byte) string {
			n, err := snappy.DecodedLen(b)
			switch {
			case raw:
				return "plain"
			case err != nil:
				return "MALFORMED"
			}
			return fmt.Sprintf("snappy, %s bytes of text", section.Count(n))
		})
	}
}

func dumpIndex(c section.Cursor) {
	for i := 0; c.More(); i++ {
		c.Fixed(4, fmt.Sprintf("block %d from document", i), "")
		c.Fixed(4, "  form", "%d (0: snappy, 1: plain)")
		c.Fixed(8, "  offset", "")
	}
}
