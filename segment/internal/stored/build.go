package stored

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/golang/snappy"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
	"github.com/pinion-index/pinion/segment/internal/section"
)

// blockSize is the size of text, in bytes, at which a block ends.
const blockSize = 16 << 10

// builder writes STORED as documents are added, and STOREDINDEX.
type builder struct {
	w     io.Writer
	index io.Writer
	off   int64  // bytes written to STORED
	text  []byte // of the open block
	first uint32 // its first docID
	n     uint32 // documents added
	comp  []byte
	e     []byte // an entry of the index
}

func build(o section.Options, out func(format.SectionID) io.Writer) section.Builder {
	if !o.Stored {
		return nil
	}
	return &builder{w: out(format.SectionStored), index: out(format.SectionStoredIndex)}
}

// Add adds the text of the next document.
func (b *builder) Add(d *section.Doc) error {
	text := d.Text
	if len(text) > segment.MaxText {
		return fmt.Errorf("segment: text of %d bytes, at most %d are allowed", len(text), segment.MaxText)
	}
	if len(b.text) > 0 && len(b.text)+len(text) > 2*blockSize {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.text = binary.AppendUvarint(b.text, uint64(len(text)))
	b.text = append(b.text, text...)
	b.n++
	if len(b.text) >= blockSize {
		return b.flush()
	}
	return nil
}

// flush ends the open block.
func (b *builder) flush() error {
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

func (b *builder) put(block []byte, form, first uint32) error {
	if err := b.entry(first, form); err != nil {
		return err
	}
	_, err := b.w.Write(block)
	b.off += int64(len(block))
	return err
}

func (b *builder) entry(first, form uint32) error {
	b.e = binary.LittleEndian.AppendUint64(b.e[:0], uint64(first)|uint64(form)<<32)
	b.e = binary.LittleEndian.AppendUint64(b.e, uint64(b.off))
	_, err := b.index.Write(b.e)
	return err
}

// Finish ends the last block and the index.
func (b *builder) Finish() (bool, error) {
	if err := b.flush(); err != nil {
		return true, err
	}
	return true, b.entry(b.n, 0)
}

// AddAll adds all documents of s by copying their compressed blocks.
func (b *builder) AddAll(s *segment.Segment) error {
	if !s.Meta().Stored && s.Meta().Docs > 0 {
		return fmt.Errorf("segment %s has no stored text to copy", s.Name())
	}
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
