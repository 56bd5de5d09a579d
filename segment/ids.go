package segment

import (
	"bytes"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/segment/internal/layout"
)

// idHashKey returns the word of section IDHASH for id and doc.
func idHashKey(id []byte, doc uint32) uint64 { return layout.IDHashKey(xxhash.Sum64(id), doc) }

// idIndexWords returns section IDINDEX: the offset of every block in IDS, and the end of
// the last block. Callers must touch what they use. It must not be modified.
func (s *Segment) idIndexWords() ([]uint64, error) { return s.words(&s.idIndex, &s.views.idIndex) }

// idBlock returns the bytes of block i of IDS, which must exist, and their offset in IDS:
// ids, front-coded as specified in format/FORMAT.md.
func (s *Segment) idBlock(i int) ([]byte, int64, error) {
	offs, err := s.idIndexWords()
	if err == nil {
		err = s.touch(&s.idIndex, 8*int64(i), 16)
	}
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

// AppendID appends the external id of doc to dst. On an error it returns dst unchanged.
func (s *Segment) AppendID(dst []byte, doc uint32) ([]byte, error) {
	if doc >= s.meta.Docs {
		return dst, fmt.Errorf("segment %s: docID %d of %d", s.name, doc, s.meta.Docs)
	}
	b, off, err := s.idBlock(int(doc / layout.IDsPerBlock))
	if err != nil {
		return dst, err
	}
	start, pos := len(dst), 0
	for range doc%layout.IDsPerBlock + 1 {
		lcp, suffix, next := layout.Head(b, pos, len(dst)-start)
		if next < 0 {
			return dst[:start], s.corrupt(&s.ids, off+int64(pos), "malformed id")
		}
		dst = append(dst[:start+lcp], suffix...)
		pos = next
	}
	return dst, nil
}

// IDHashes returns section IDHASH, ascending: for every document, the high 32 bits of the
// xxhash64 of its id in the high half and its docID in the low half. It must not be
// modified.
func (s *Segment) IDHashes() ([]uint64, error) {
	h, err := s.words(&s.idHash, &s.views.idHash)
	if err == nil {
		err = s.touch(&s.idHash, 0, s.idHash.Length)
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// FindID returns the docID of the document with an external id; ok is false if there is
// none.
func (s *Segment) FindID(id []byte) (doc uint32, ok bool, err error) {
	hashes, err := s.words(&s.idHash, &s.views.idHash)
	if err != nil {
		return 0, false, err
	}
	key := idHashKey(id, 0)
	var room [128]byte
	buf := room[:0]
	i, lo, hi := layout.SearchHashes(hashes, key)
	if err := s.touch(&s.idHash, 8*int64(lo), 8*int64(hi-lo)); err != nil {
		return 0, false, err
	}
	for ; i < len(hashes); i++ {
		if err := s.touch(&s.idHash, 8*int64(i), 8); err != nil {
			return 0, false, err
		}
		if hashes[i]>>32 != key>>32 {
			break
		}
		doc := uint32(hashes[i])
		if doc >= s.meta.Docs {
			return 0, false, s.corrupt(&s.idHash, int64(i)*8, "docID %d of %d", doc, s.meta.Docs)
		}
		if buf, err = s.AppendID(buf[:0], doc); err != nil {
			return 0, false, err
		}
		if bytes.Equal(buf, id) {
			return doc, true, nil
		}
	}
	return 0, false, nil
}

// EachID calls f with every docID and external id, in docID order. The id is valid until f
// returns. An error of f stops EachID and is returned.
func (s *Segment) EachID(f func(doc uint32, id []byte) error) error {
	var id []byte
	for i := range layout.IDBlocks(int(s.meta.Docs)) {
		b, off, err := s.idBlock(i)
		if err != nil {
			return err
		}
		id = id[:0]
		pos := 0
		for j := range min(layout.IDsPerBlock, int(s.meta.Docs)-i*layout.IDsPerBlock) {
			lcp, suffix, next := layout.Head(b, pos, len(id))
			if next < 0 {
				return s.corrupt(&s.ids, off+int64(pos), "malformed id")
			}
			id = append(id[:lcp], suffix...)
			pos = next
			if err := f(uint32(i*layout.IDsPerBlock+j), id); err != nil {
				return err
			}
		}
		if pos != len(b) {
			return s.corrupt(&s.ids, off+int64(pos), "%d bytes left over in block %d", len(b)-pos, i)
		}
	}
	return nil
}
