package build

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/golang/snappy"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

// storedBlockSize is the size of text, in bytes, at which a block ends.
const storedBlockSize = 16 << 10

// storedBuilder writes section STORED to w as documents are added, and collects
// STOREDINDEX.
type storedBuilder struct {
	w     io.Writer
	index stream
	off   int64  // bytes written to STORED
	text  []byte // of the open block
	first uint32 // its first docID
	n     uint32 // documents added
	comp  []byte
}

// add appends the text of the next document.
func (b *storedBuilder) add(text []byte) error {
	if len(text) > segment.MaxText {
		return fmt.Errorf("segment: text of %d bytes, at most %d are allowed", len(text), segment.MaxText)
	}
	if len(b.text) > 0 && len(b.text)+len(text) > 2*storedBlockSize {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.text = binary.AppendUvarint(b.text, uint64(len(text)))
	b.text = append(b.text, text...)
	b.n++
	if len(b.text) >= storedBlockSize {
		return b.flush()
	}
	return nil
}

// flush ends the open block.
func (b *storedBuilder) flush() error {
	if len(b.text) == 0 {
		return nil
	}
	b.comp = snappy.Encode(b.comp[:cap(b.comp)], b.text)
	block, form := b.comp, uint32(layout.StoredSnappy)
	if len(block) >= len(b.text) || len(b.text) > layout.MaxInflated && len(b.text) > 2*len(block) {
		block, form = b.text, layout.StoredRaw
	}
	err := b.put(block, form, b.first)
	b.text, b.first = b.text[:0], b.n
	return err
}

func (b *storedBuilder) put(block []byte, form, first uint32) error {
	b.entry(first, form)
	_, err := b.w.Write(block)
	b.off += int64(len(block))
	return err
}

func (b *storedBuilder) entry(first, form uint32) {
	b.index.addUint64(uint64(first) | uint64(form)<<32)
	b.index.addUint64(uint64(b.off))
}

// finish ends the last block and the index.
func (b *storedBuilder) finish() error {
	err := b.flush()
	b.entry(b.n, 0)
	return err
}

// copyFrom appends all documents of s by copying their compressed blocks.
func (b *storedBuilder) copyFrom(s *segment.Segment) error {
	if err := b.flush(); err != nil {
		return err
	}
	blocks, err := s.Raw().StoredBlocks()
	if err != nil {
		return err
	}
	next := uint32(0)
	for i := range blocks {
		blk, err := s.Raw().StoredBlock(i)
		if err != nil {
			return err
		}
		raw, err := s.Raw().SectionBytes(format.SectionStored, blk.Offset, blk.Size)
		if err != nil {
			return err
		}
		if blk.First != next {
			return s.Raw().Corrupt(format.SectionStoredIndex, int64(i)*layout.StoredEntry, "block begins at docID %d, not %d", blk.First, next)
		}
		form := uint32(layout.StoredSnappy)
		if blk.Raw {
			form = layout.StoredRaw
		}
		if err := b.put(raw, form, b.n+blk.First); err != nil {
			return err
		}
		next = blk.End
	}
	if docs := s.Meta().Docs; next != docs {
		return s.Raw().Corrupt(format.SectionStoredIndex, 0, "text of %d documents, not %d", next, docs)
	}
	b.n += next
	b.first = b.n
	return nil
}
