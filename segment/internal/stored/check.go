package stored

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
	"github.com/pinion-index/pinion/segment/internal/section"
)

// work is what a byte of STORED costs to check, in units of a byte's checksum.
const work = 8

// check decompresses every block of text.
func check(v section.Verifier) error {
	s := v.Segment()
	blocks, err := s.Raw().StoredBlocks()
	if err != nil {
		return v.Report(err, 0, [2]uint32{})
	}
	err = v.Each(blocks, 16, func(lo, hi int) error {
		texts, err := s.Texts()
		if err != nil {
			return v.Report(err, 0, [2]uint32{})
		}
		for i := lo; i < hi; i++ {
			b, err := s.Raw().StoredBlock(i)
			length, docs := int64(layout.StoredEntry), [2]uint32{}
			if err == nil {
				length, docs = b.Size, [2]uint32{b.First, b.End}
				err = checkBlock(s, i, b, texts)
			}
			if err := v.Report(err, length, docs); err != nil {
				return err
			}
			if err := v.Step(work * b.Size); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	docs, form, length, err := s.Raw().StoredEnd()
	stored, _ := s.Header().Section(format.SectionStored)
	whole := docs == s.Meta().Docs && form == 0 && length == uint64(stored.Length)
	if blocks == 0 {
		whole = whole && docs == 0 && length == 0
	}
	if err == nil && !whole {
		err = s.Raw().Corrupt(format.SectionStoredIndex, int64(blocks)*layout.StoredEntry, "blocks do not cover the documents and the section")
	}
	return v.Report(err, layout.StoredEntry, [2]uint32{})
}

// checkBlock checks block i of the stored text. Entries give where a block ends, too, so
// blocks follow each other if the first begins at 0 and each entry is in order.
func checkBlock(s *segment.Segment, i int, b segment.StoredBlock, texts *segment.Texts) error {
	if i == 0 && (b.First != 0 || b.Offset != 0) {
		return s.Raw().Corrupt(format.SectionStoredIndex, 0, "block 0 begins at document %d, byte %d", b.First, b.Offset)
	}
	return s.Raw().CheckStored(texts, b)
}
