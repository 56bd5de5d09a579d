package segment

import (
	"fmt"
	"iter"
	"slices"

	"github.com/pinion-index/pinion/format"
)

// idsBuilder makes sections IDS, IDINDEX and IDHASH.
type idsBuilder struct {
	ids, index spool
	prev, head []byte
	n          uint32
	given      iter.Seq[[]uint64] // ready-made contents of IDHASH, or nil
	hashes     []uint64
}

// add appends the id of the next document.
func (b *idsBuilder) add(id []byte) error {
	if len(id) == 0 || len(id) > MaxID {
		return fmt.Errorf("segment: id of %d bytes, 1 to %d are allowed", len(id), MaxID)
	}
	lcp := 0
	if b.n%idsPerBlock == 0 {
		b.index.addUint64(uint64(b.ids.n))
	} else {
		lcp = commonPrefix(b.prev, id)
	}
	b.head = appendHead(b.head[:0], lcp, id)
	b.ids.add(b.head)
	b.prev = append(b.prev[:0], id...)
	if b.given == nil {
		b.hashes = append(b.hashes, idHashKey(id, b.n))
	}
	b.n++
	return nil
}

// copyFrom appends all ids of s. Most keep their bytes: only those that begin a
// block, here or there, do not.
func (b *idsBuilder) copyFrom(s *Segment) error {
	id := newFrontCoded(b.prev)
	for i := range (int(s.meta.Docs) + idsPerBlock - 1) / idsPerBlock {
		blk, off, err := s.idBlock(i)
		if err != nil {
			return err
		}
		pos, copied := 0, 0 // blk[copied:pos] is to be copied
		for j := range min(idsPerBlock, int(s.meta.Docs)-i*idsPerBlock) {
			lcp, suffix, next := id.head(blk, pos)
			if next < 0 || j == 0 && lcp > 0 {
				return s.corrupt(&s.ids, off+int64(pos), "malformed id")
			}
			begins := b.n%idsPerBlock == 0
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
				lcp = commonPrefix(id.bytes(), suffix)
				b.head = appendHead(b.head[:0], lcp, suffix)
				b.ids.add(b.head)
				lcp = 0
			}
			id.set(lcp, suffix)
			if j > 0 && begins {
				b.head = appendHead(b.head[:0], 0, id.bytes())
				b.ids.add(b.head)
			}
			if b.given == nil {
				b.hashes = append(b.hashes, idHashKey(id.bytes(), b.n))
			}
			b.n++
			pos = next
		}
		if pos != len(blk) {
			return s.corrupt(&s.ids, off+int64(pos), "%d bytes left over in block %d", len(blk)-pos, i)
		}
		b.ids.add(blk[copied:pos])
	}
	b.prev = append(b.prev[:0], id.bytes()...)
	return nil
}

// finish ends the index.
func (b *idsBuilder) finish() { b.index.addUint64(uint64(b.ids.n)) }

// writeHashes writes section IDHASH. That ids are unique is the caller's duty;
// Verify checks it.
func (b *idsBuilder) writeHashes(w *format.FileWriter) error {
	given := b.given
	if given == nil {
		slices.Sort(b.hashes)
		given = func(yield func([]uint64) bool) { yield(b.hashes) }
	}
	var n, prev uint64
	for hashes := range given {
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
