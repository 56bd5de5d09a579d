package stored

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/chunks"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

// A region is a run of blocks whose texts are compressed in the same way: with a dictionary
// that is drawn from the first of them, or else, if that is smaller, each as a whole.
const (
	blockSize    = 16 << 10  // bytes of text and lengths at which a block ends
	regionBlocks = 256       // blocks of a region
	sampleSize   = 512 << 10 // bytes of text that a dictionary is drawn from
	leastSample  = 128 << 10 // from less, at the end of a segment, none is
)

// builder writes STORED as documents are added, and STOREDINDEX.
type builder struct {
	w     io.Writer
	index io.Writer
	off   int64  // bytes written to STORED
	n     uint32 // documents added
	e     []byte // an entry of the index

	first   uint32 // the first document that is not written
	region  int    // blocks of the region; 0 before its dictionary is drawn
	chunked bool
	*room
}

// room is memory that one builder after the other uses.
type room struct {
	text   []byte // of the documents that are not written: a sample, or, in a region, the open block
	ends   []int
	whole  wholeEncoder
	chunks *chunkEncoder
}

// rooms are those of builders that have finished.
var rooms = sync.Pool{New: func() any { return new(room) }}

// maxRoom bounds the text that a room that is kept had room for.
const maxRoom = 4 * sampleSize

func build(o section.Options, out func(format.SectionID) io.Writer) section.Builder {
	if !o.Stored {
		return nil
	}
	return &builder{w: out(format.SectionStored), index: out(format.SectionStoredIndex), room: rooms.Get().(*room)}
}

// Add adds the text of the next document.
func (b *builder) Add(d *section.Doc) error { return b.add(d.Text) }

func (b *builder) add(text []byte) error {
	if len(text) > segment.MaxText {
		return fmt.Errorf("segment: text of %d bytes, at most %d are allowed", len(text), segment.MaxText)
	}
	if b.region > 0 && len(b.ends) > 0 && b.size()+len(text) > 2*blockSize {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.text = append(b.text, text...)
	b.ends = append(b.ends, len(b.text))
	b.n++
	if b.region == 0 && b.size() >= sampleSize || b.region > 0 && b.size() >= blockSize {
		return b.flush()
	}
	return nil
}

// size is how many bytes the documents take that are not written, about.
func (b *builder) size() int { return len(b.text) + len(b.ends) }

// flush writes the documents that are not written, and begins a region if they are a sample.
func (b *builder) flush() error {
	if len(b.ends) == 0 {
		return nil
	}
	out := &b.whole.encoder
	switch {
	case b.region == 0 && len(b.text) > maxRoom: // compressing it twice would take much memory
		if out = b.sample(b.text[:2*sampleSize], []int{2 * sampleSize}); b.chunked {
			b.chunks.count, b.chunks.dict = 0, 0
			out.bytes = slices.Grow(out.bytes, len(b.text)+len(b.text)/8)
		}
		b.all(out)
	case b.region == 0:
		out = b.sample(b.text, b.ends)
	case b.chunked:
		out = &b.chunks.encoder
		b.all(out)
	default:
		b.all(out)
	}
	from := 0
	for _, k := range out.blocks {
		if err := b.put(out.bytes[from:k.end], k.form, b.first); err != nil {
			return err
		}
		from = k.end
		b.first += uint32(k.docs)
	}
	if b.region += len(out.blocks); b.region >= regionBlocks {
		b.region = 0
	}
	b.text, b.ends = b.text[:0], b.ends[:0]
	if cap(b.text) > maxRoom { // of a large document
		b.text, out.bytes = nil, nil
	}
	return nil
}

// all makes the blocks of out, which is b.whole's or b.chunks'.
func (b *builder) all(out *encoder) {
	encode := b.whole.append
	if b.chunked {
		encode = b.chunks.append
	}
	out.all(b.text, b.ends, encode)
}

// sample compresses documents in both ways, with the dictionary that they give, and returns the shorter one, which is that
// of the region.
func (b *builder) sample(text []byte, ends []int) *encoder {
	b.whole.all(text, ends, b.whole.append)
	if b.chunked = len(text) >= leastSample; b.chunked {
		if b.chunks == nil {
			b.chunks = new(chunkEncoder)
		}
		b.chunks.reset(chunks.Draw(text[:min(len(text), 2*sampleSize)]))
		b.chunks.all(text, ends, b.chunks.append)
		b.chunked = len(b.chunks.bytes) < len(b.whole.bytes)
	}
	if b.chunked {
		return &b.chunks.encoder
	}
	return &b.whole.encoder
}

// endRegion writes the documents that are not written; the next one begins a region.
func (b *builder) endRegion() error {
	err := b.flush()
	b.region, b.first = 0, b.n
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
	if err := b.endRegion(); err != nil {
		return true, err
	}
	if cap(b.text) <= maxRoom {
		rooms.Put(b.room)
	}
	b.room = nil
	return true, b.entry(b.n, 0)
}

// AddAll adds all documents of s. It copies the blocks of whole regions that have a
// dictionary, and compresses the other documents anew: they may be few, or from before there
// were dictionaries.
func (b *builder) AddAll(s *segment.Segment) error {
	if !s.Meta().Stored && s.Meta().Docs > 0 {
		return fmt.Errorf("segment %s has no stored text to copy", s.Name())
	}
	blocks, err := s.Raw().StoredBlocks()
	if err != nil {
		return err
	}
	texts, err := s.Documents().Texts()
	if err != nil {
		return err
	}
	next := uint32(0)
	for i := 0; i < blocks; {
		n, err := regionAt(s, i, blocks)
		if err != nil {
			return err
		}
		if n >= regionBlocks {
			if err := b.endRegion(); err != nil {
				return err
			}
		}
		for end := i + n; i < end; i++ {
			blk, err := s.Raw().StoredBlock(i)
			if err != nil {
				return err
			}
			if blk.First != next {
				return s.Raw().Corrupt(format.SectionStoredIndex, int64(i)*layout.StoredEntry, "block begins at docID %d, not %d", blk.First, next)
			}
			if n >= regionBlocks {
				err = b.copyBlock(s, blk)
			} else {
				err = b.addBlock(texts, blk)
			}
			if err != nil {
				return err
			}
			next = blk.End
		}
	}
	if docs := s.Meta().Docs; next != docs {
		return s.Raw().Corrupt(format.SectionStoredIndex, 0, "text of %d documents, not %d", next, docs)
	}
	return nil
}

// regionAt returns how many blocks from block i on have its dictionary, at least 1.
func regionAt(s *segment.Segment, i, blocks int) (int, error) {
	blk, err := s.Raw().StoredBlock(i)
	if err != nil || blk.Form != segment.StoredDictionary {
		return 1, err
	}
	n := 1
	for ; i+n < blocks; n++ {
		blk, err := s.Raw().StoredBlock(i + n)
		if err != nil {
			return 0, err
		}
		if blk.Form != segment.StoredRaw && (blk.Form != segment.StoredChunks || blk.Back != n) {
			break
		}
	}
	return n, nil
}

// copyBlock adds a block of s as it is.
func (b *builder) copyBlock(s *segment.Segment, blk segment.StoredBlock) error {
	raw, err := s.Raw().SectionBytes(format.SectionStored, blk.Offset, blk.Size)
	if err != nil {
		return err
	}
	if err := b.put(raw, uint32(blk.Form)|uint32(blk.Back)<<layout.StoredFormBits, b.n); err != nil {
		return err
	}
	b.n += blk.End - blk.First
	b.first = b.n
	return nil
}

// addBlock adds the documents of a block.
func (b *builder) addBlock(texts *segment.Texts, blk segment.StoredBlock) error {
	for doc := blk.First; doc < blk.End; doc++ {
		text, err := texts.At(doc)
		if err != nil {
			return err
		}
		if err := b.add(text); err != nil {
			return err
		}
	}
	return nil
}
