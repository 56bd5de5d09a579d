package segment

import (
	"encoding/binary"
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
	given      iter.Seq[uint64] // ready-made contents of IDHASH, or nil
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

// finish ends the index.
func (b *idsBuilder) finish() { b.index.addUint64(uint64(b.ids.n)) }

// writeHashes writes section IDHASH. That ids are unique is the caller's duty;
// Verify checks it.
func (b *idsBuilder) writeHashes(w *format.FileWriter) error {
	hashes := b.given
	if hashes == nil {
		slices.Sort(b.hashes)
		hashes = slices.Values(b.hashes)
	}
	var buf []byte
	var n uint32
	var prev uint64
	for h := range hashes {
		if n > 0 && h <= prev || uint32(h) >= b.n {
			return fmt.Errorf("segment: id hashes are out of order or of unknown documents")
		}
		prev = h
		n++
		if buf = binary.LittleEndian.AppendUint64(buf, h); len(buf) >= 64<<10 {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	if n != b.n {
		return fmt.Errorf("segment: %d id hashes for %d documents", n, b.n)
	}
	_, err := w.Write(buf)
	return err
}
