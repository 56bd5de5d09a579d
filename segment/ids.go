package segment

import (
	"bytes"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

const idsPerBlock = 16

// idHashKey is the word of section IDHASH for id and doc.
func idHashKey(id []byte, doc uint32) uint64 {
	return xxhash.Sum64(id)&^0xffffffff | uint64(doc)
}

// idBlock returns the bytes of block i of IDS and their offset.
func (s *Segment) idBlock(i int) ([]byte, int64, error) {
	offs, err := s.words(&s.idIndex, &s.idIndexView)
	if err != nil {
		return nil, 0, err
	}
	lo, hi := offs[i], offs[i+1]
	if lo > hi || hi > uint64(s.ids.Length) {
		return nil, 0, s.corrupt(&s.idIndex, int64(i)*8, "block %d spans %d to %d", i, lo, hi)
	}
	b, err := s.rangeOf(&s.ids, int64(lo), int64(hi-lo))
	return b, int64(lo), err
}

// ID returns the external id of doc, appended to buf[:0].
func (s *Segment) ID(doc uint32, buf []byte) ([]byte, error) {
	buf = buf[:0]
	if doc >= s.meta.Docs {
		return buf, fmt.Errorf("segment %s: docID %d of %d", s.name, doc, s.meta.Docs)
	}
	b, off, err := s.idBlock(int(doc / idsPerBlock))
	if err != nil {
		return buf, err
	}
	pos := 0
	for range doc%idsPerBlock + 1 {
		lcp, suffix, next := termHead(b, pos, len(buf))
		if next < 0 {
			return buf[:0], s.corrupt(&s.ids, off+int64(pos), "malformed id")
		}
		buf = append(buf[:lcp], suffix...)
		pos = next
	}
	return buf, nil
}

// IDHashes returns section IDHASH: for every document the high 32 bits of the
// xxhash64 of its id above its docID, ascending.
func (s *Segment) IDHashes() ([]uint64, error) { return s.words(&s.idHash, &s.idHashView) }

// FindID returns the docID of the document whose external id is id.
func (s *Segment) FindID(id []byte) (doc uint32, ok bool, err error) {
	hashes, err := s.IDHashes()
	if err != nil {
		return 0, false, err
	}
	key := idHashKey(id, 0)
	var room [128]byte
	buf := room[:0]
	for i := searchHashes(hashes, key); i < len(hashes) && hashes[i]>>32 == key>>32; i++ {
		doc := uint32(hashes[i])
		if doc >= s.meta.Docs {
			return 0, false, s.corrupt(&s.idHash, int64(i)*8, "docID %d of %d", doc, s.meta.Docs)
		}
		if buf, err = s.ID(doc, buf); err != nil {
			return 0, false, err
		}
		if bytes.Equal(buf, id) {
			return doc, true, nil
		}
	}
	return 0, false, nil
}

// searchHashes returns the index of the first hash that is at least key. Hashes
// are uniform, so it starts where key would stand and widens from there.
func searchHashes(hashes []uint64, key uint64) int {
	n := len(hashes)
	if n == 0 {
		return 0
	}
	guess := int(key >> 32 * uint64(n) >> 32)
	lo, hi := guess, guess
	for step := 8; lo > 0 && hashes[lo-1] >= key; step *= 2 {
		hi, lo = lo, max(lo-step, 0)
	}
	if lo == guess {
		for step := 8; hi < n && hashes[hi] < key; step *= 2 {
			lo, hi = hi, min(hi+step, n)
		}
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if hashes[mid] < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// EachID calls f with every docID and external id in order. The id is valid
// until f returns. An error of f ends the walk and is returned.
func (s *Segment) EachID(f func(doc uint32, id []byte) error) error {
	var id []byte
	for i := range (int(s.meta.Docs) + idsPerBlock - 1) / idsPerBlock {
		b, off, err := s.idBlock(i)
		if err != nil {
			return err
		}
		id = id[:0]
		pos := 0
		for j := range min(idsPerBlock, int(s.meta.Docs)-i*idsPerBlock) {
			lcp, suffix, next := termHead(b, pos, len(id))
			if next < 0 {
				return s.corrupt(&s.ids, off+int64(pos), "malformed id")
			}
			id = append(id[:lcp], suffix...)
			pos = next
			if err := f(uint32(i*idsPerBlock+j), id); err != nil {
				return err
			}
		}
		if pos != len(b) {
			return s.corrupt(&s.ids, off+int64(pos), "%d bytes left over in block %d", len(b)-pos, i)
		}
	}
	return nil
}
