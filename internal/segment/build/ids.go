package build

import (
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

// idsBuilder makes sections IDS and IDINDEX, and what IDHASH is made of. The caller must ensure that ids are unique; package
// check verifies it.
type idsBuilder struct {
	ids, index stream
	prev, head []byte
	n          uint32
	hashes     []uint32 // by docID
}

// add appends the id of the next document.
func (b *idsBuilder) add(id []byte) error {
	if len(id) == 0 || len(id) > segment.MaxID {
		return fmt.Errorf("segment: id of %d bytes, 1 to %d are allowed", len(id), segment.MaxID)
	}
	lcp := 0
	if b.n%layout.IDsPerBlock == 0 {
		b.index.addUint64(uint64(b.ids.n))
	} else {
		lcp = layout.CommonPrefix(b.prev, id)
	}
	b.head = layout.AppendHead(b.head[:0], lcp, id)
	b.ids.add(b.head)
	b.prev = append(b.prev[:0], id...)
	b.hashes = append(b.hashes, layout.IDHash(id))
	b.n++
	return nil
}

// copyFrom appends all ids of s. It copies the bytes of all but those that begin a block in
// s or here.
func (b *idsBuilder) copyFrom(s *segment.Segment) error {
	id, docs := layout.NewFrontCoded(b.prev), s.Meta().Docs
	for i := range layout.IDBlocks(int(docs)) {
		blk, off, err := s.Raw().IDBlock(i)
		if err != nil {
			return err
		}
		pos, copied := 0, 0 // blk[copied:pos] has not been copied yet
		for j := range min(layout.IDsPerBlock, int(docs)-i*layout.IDsPerBlock) {
			lcp, suffix, next := id.Head(blk, pos)
			if next < 0 || j == 0 && lcp > 0 {
				return s.Raw().Corrupt(format.SectionIDs, off+int64(pos), "malformed id")
			}
			begins := b.n%layout.IDsPerBlock == 0
			if begins || j == 0 {
				b.ids.add(blk[copied:pos])
				copied = pos
			}
			if begins {
				b.index.addUint64(uint64(b.ids.n))
			}
			if begins != (j == 0) {
				copied = next
			}
			if j == 0 && !begins {
				lcp = layout.CommonPrefix(id.Bytes(), suffix)
				b.head = layout.AppendHead(b.head[:0], lcp, suffix)
				b.ids.add(b.head)
				lcp = 0
			}
			id.Set(lcp, suffix)
			if j > 0 && begins {
				b.head = layout.AppendHead(b.head[:0], 0, id.Bytes())
				b.ids.add(b.head)
			}
			b.hashes = append(b.hashes, layout.IDHash(id.Bytes()))
			b.n++
			pos = next
		}
		if pos != len(blk) {
			return s.Raw().Corrupt(format.SectionIDs, off+int64(pos), "%d bytes left over in block %d", len(blk)-pos, i)
		}
		b.ids.add(blk[copied:pos])
	}
	b.prev = append(b.prev[:0], id.Bytes()...)
	return nil
}

// finish ends the index.
func (b *idsBuilder) finish() { b.index.addUint64(uint64(b.ids.n)) }
