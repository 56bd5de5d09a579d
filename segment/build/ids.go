package build

import (
	"fmt"
	"iter"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

// idsBuilder writes sections IDS, IDINDEX and IDHASH.
type idsBuilder struct {
	ids, index stream
	prev, head []byte
	n          uint32
	given      iter.Seq2[[]uint64, error] // Options.IDHashes
	hashes     []uint64
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
	if b.given == nil {
		b.hashes = append(b.hashes, hashKey(id, b.n))
	}
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
			if b.given == nil {
				b.hashes = append(b.hashes, hashKey(id.Bytes(), b.n))
			}
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

// hashKey returns the word of IDHASH for id and doc.
func hashKey(id []byte, doc uint32) uint64 { return layout.IDHashKey(xxhash.Sum64(id), doc) }

// writeHashes writes section IDHASH. The caller must ensure that ids are unique; package
// check verifies it.
func (b *idsBuilder) writeHashes(w *format.FileWriter) error {
	given := b.given
	if given == nil {
		slices.Sort(b.hashes)
		given = func(yield func([]uint64, error) bool) { yield(b.hashes, nil) }
	}
	var n, prev uint64
	for hashes, err := range given {
		if err != nil {
			return err
		}
		for _, h := range hashes {
			if n > 0 && h <= prev || uint32(h) >= b.n {
				return fmt.Errorf("segment: id hashes are out of order or of unknown documents")
			}
			prev = h
			n++
		}
		if _, err := w.Write(format.BytesOf(hashes)); err != nil {
			return err
		}
	}
	if n != uint64(b.n) {
		return fmt.Errorf("segment: %d id hashes for %d documents", n, b.n)
	}
	return nil
}
