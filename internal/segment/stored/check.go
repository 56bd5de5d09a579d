package stored

import (
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
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
		texts, err := s.Documents().Texts()
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
	if err := s.Raw().CheckStored(texts, b); err != nil {
		return err
	}
	if _, ok := s.Header().Section(format.SectionFields); !ok {
		return nil
	}
	for doc := b.First; doc < b.End; doc++ {
		text, err := texts.At(doc)
		if err == nil {
			err = checkRecord(s, b, doc, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkRecord checks that a document's stored form is a record with values of stored fields.
func checkRecord(s *segment.Segment, b segment.StoredBlock, doc uint32, text []byte) error {
	for rest := text; len(rest) > 0; {
		var v record.Stored
		var err error
		if v, rest, err = record.Next(rest); err == nil {
			err = checkValue(s, &v)
		}
		if err != nil {
			return s.Raw().Corrupt(format.SectionStored, b.Offset, "document %d: %v", doc, err)
		}
	}
	return nil
}

func checkValue(s *segment.Segment, v *record.Stored) error {
	i, ok := s.FieldByID(v.ID)
	if !ok {
		return fmt.Errorf("value of field %d, which FIELDS does not have", v.ID)
	}
	f := &s.Fields()[i]
	if !f.Stored {
		return fmt.Errorf("value of field %q, which is not stored", f.Name)
	}
	_, err := v.Value(0, f.Kind)
	return err
}
