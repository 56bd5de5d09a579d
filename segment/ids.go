package segment

import (
	"bytes"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

// idIndexWords returns section IDINDEX: the offset of every block in IDS, and the end of
// the last block. Callers must touch what they use. It must not be modified.
func (ds Documents) idIndexWords() ([]uint64, error) {
	return ds.s.words(&ds.s.idIndex, &ds.s.views.idIndex)
}

// idBlock returns the bytes of block i of IDS, which must exist, and their offset in IDS:
// ids, front-coded as specified in format/FORMAT.md.
func (ds Documents) idBlock(i int) ([]byte, int64, error) {
	s := ds.s
	offs, err := ds.idIndexWords()
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
func (ds Documents) AppendID(dst []byte, doc uint32) ([]byte, error) {
	s := ds.s
	if doc >= s.meta.Docs {
		return dst, s.noDoc(doc)
	}
	b, off, err := ds.idBlock(int(doc / layout.IDsPerBlock))
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

// FindID returns the docID of the document with an external id; ok is false if there is
// none.
func (ds Documents) FindID(id []byte) (doc uint32, ok bool, err error) {
	s := ds.s
	if s.meta.Docs == 0 {
		return 0, false, nil
	}
	if !s.h.Version.PackedIDs() {
		return ds.findHashed(id)
	}
	t, err := ds.idTable()
	if err != nil {
		return 0, false, err
	}
	bucket, print := t.Place(layout.IDHash(id))
	in := t.Bucket(bucket)
	if err := s.touch(&s.idHash, in.Start, 4); err != nil {
		return 0, false, err
	}
	if err := s.touch(&s.idHash, in.Lo, in.Hi-in.Lo); err != nil {
		return 0, false, err
	}
	if in.N < 0 {
		return 0, false, s.corrupt(&s.idHash, in.Start, "bucket %d is not found", bucket)
	}
	if in.N == 0 {
		return 0, false, nil
	}
	lo, hi := t.Span(in.First, in.N)
	if err := s.touch(&s.idHash, lo, hi-lo); err != nil {
		return 0, false, err
	}
	for i, last := in.First, -1; i < in.First+in.N; i++ {
		p, block := t.Entry(i)
		if p != print || block == last {
			continue
		}
		last = block
		if doc, ok, err := ds.findInBlock(block, id); ok || err != nil {
			return doc, ok, err
		}
	}
	return 0, false, nil
}

// idTable returns section IDHASH of a version in which it is packed. Callers must touch what they use.
func (ds Documents) idTable() (*layout.IDTable, error) {
	s := ds.s
	if t := s.views.idTable.Load(); t != nil {
		return t, nil
	}
	b, err := s.peek(&s.idHash, 0, s.idHash.Length)
	if err != nil {
		return nil, err
	}
	t := layout.NewIDTable(b, s.meta.Docs)
	s.views.idTable.Store(t)
	return t, nil
}

// findInBlock is FindID for the ids of a block.
func (ds Documents) findInBlock(block int, id []byte) (doc uint32, ok bool, err error) {
	s := ds.s
	first := block * layout.IDsPerBlock
	if first >= int(s.meta.Docs) {
		return 0, false, s.corrupt(&s.idHash, 0, "block %d of %d documents", block, s.meta.Docs)
	}
	b, off, err := ds.idBlock(block)
	if err != nil {
		return 0, false, err
	}
	pos, n, same := 0, 0, 0 // same is how much the id of length n before pos has in common with id
	for j := range min(layout.IDsPerBlock, int(s.meta.Docs)-first) {
		lcp, suffix, next := layout.Head(b, pos, n)
		if next < 0 {
			return 0, false, s.corrupt(&s.ids, off+int64(pos), "malformed id")
		}
		pos, n = next, lcp+len(suffix)
		if lcp > same {
			continue
		}
		if same = lcp + layout.CommonPrefix(suffix, id[lcp:]); same == len(id) && n == len(id) {
			return uint32(first + j), true, nil
		}
	}
	return 0, false, nil
}

// findHashed is FindID of a version in which IDHASH is not packed.
func (ds Documents) findHashed(id []byte) (doc uint32, ok bool, err error) {
	s := ds.s
	hashes, err := s.words(&s.idHash, &s.views.idHash)
	if err != nil {
		return 0, false, err
	}
	key := layout.IDHashKey(layout.IDHash(id), 0)
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
		if buf, err = ds.AppendID(buf[:0], doc); err != nil {
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
func (ds Documents) EachID(f func(doc uint32, id []byte) error) error {
	s := ds.s
	id := layout.NewFrontCoded(nil)
	for i := range layout.IDBlocks(int(s.meta.Docs)) {
		b, off, err := ds.idBlock(i)
		if err != nil {
			return err
		}
		id.Set(0, nil)
		pos := 0
		for j := range min(layout.IDsPerBlock, int(s.meta.Docs)-i*layout.IDsPerBlock) {
			lcp, suffix, next := id.Head(b, pos)
			if next < 0 {
				return s.corrupt(&s.ids, off+int64(pos), "malformed id")
			}
			id.Set(lcp, suffix)
			pos = next
			if err := f(uint32(i*layout.IDsPerBlock+j), id.Bytes()); err != nil {
				return err
			}
		}
		if pos != len(b) {
			return s.corrupt(&s.ids, off+int64(pos), "%d bytes left over in block %d", len(b)-pos, i)
		}
	}
	return nil
}
