package stored

import (
	"encoding/binary"
	"fmt"

	"github.com/golang/snappy"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/chunks"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
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
		form := binary.LittleEndian.Uint32(e[4:]) & (1<<layout.StoredFormBits - 1)
		size := binary.LittleEndian.Uint64(e[layout.StoredEntry+8:]) - binary.LittleEndian.Uint64(e[8:])
		docs := binary.LittleEndian.Uint32(e[layout.StoredEntry:]) - binary.LittleEndian.Uint32(e)
		dumpBlock(c, form, size, binary.LittleEndian.Uint32(e), docs)
	}
}

// dumpBlock shows a block of docs documents from document first on.
func dumpBlock(c section.Cursor, form uint32, size uint64, first, docs uint32) {
	name := fmt.Sprintf("text from document %d", first)
	switch form {
	case layout.StoredRaw:
		c.Field(size, name, func([]byte) string { return "plain" })
	case layout.StoredSnappy:
		c.Field(size, name, func(b []byte) string {
			n, err := snappy.DecodedLen(b)
			if err != nil {
				return "MALFORMED"
			}
			return fmt.Sprintf("snappy, %s bytes of text", section.Count(n))
		})
	case layout.StoredDictionary:
		n := c.Uvarint("length of a dictionary", "")
		used := uint64(len(binary.AppendUvarint(nil, n)))
		if n > size || used > size-n {
			return
		}
		c.Field(n, "dictionary", func([]byte) string { return "" })
		size -= n + used
		fallthrough
	default:
		c.Field(size, name, func(b []byte) string {
			var x chunks.Block
			if x.Open(b, docs, nil) != nil {
				return "MALFORMED"
			}
			return fmt.Sprintf("chunks, %s bytes of text", section.Count(x.Size()))
		})
	}
}

func dumpIndex(c section.Cursor) {
	for i := 0; c.More(); i++ {
		c.Fixed(4, fmt.Sprintf("block %d from document", i), "")
		c.Field(4, "  form", func(b []byte) string {
			form := binary.LittleEndian.Uint32(b)
			switch back := form >> layout.StoredFormBits; form & (1<<layout.StoredFormBits - 1) {
			case layout.StoredChunks:
				return fmt.Sprintf("%d: chunks, the dictionary is %d blocks before", form, back)
			case layout.StoredDictionary:
				return fmt.Sprintf("%d: dictionary and chunks", form)
			}
			return fmt.Sprintf("%d (0: snappy, 1: plain)", form)
		})
		c.Fixed(8, "  offset", "")
	}
}
