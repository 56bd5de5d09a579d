package check

import (
	"bytes"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

// lengths compares DOCLENGTHS with META.
func (v *verifier) lengths() error {
	s := v.s
	var err error
	if v.lens, err = s.DocLens(); err != nil {
		return err
	}
	tokens, least, most := uint64(0), uint32(math.MaxUint32), uint32(0)
	for doc := range uint32(v.lens.Len()) {
		n := v.lens.Get(doc)
		tokens, least, most = tokens+uint64(n), min(least, n), max(most, n)
	}
	least = min(least, most)
	if m := s.Meta(); tokens != m.Tokens || least != m.MinLen || most != m.MaxLen {
		return s.Raw().Corrupt(format.SectionDocLengths, 0, "%d tokens, lengths %d to %d; META says %d, %d to %d",
			tokens, least, most, m.Tokens, m.MinLen, m.MaxLen)
	}
	return nil
}

// ids reads every id and looks it up in IDHASH.
func (v *verifier) ids() error {
	s := v.s
	index, err := s.Raw().IDIndex()
	if err != nil {
		return err
	}
	ids, _ := s.Header().Section(format.SectionIDs)
	if first, last := index[0], index[len(index)-1]; first != 0 || last != uint64(ids.Length) {
		return s.Raw().Corrupt(format.SectionIDIndex, 0, "blocks span %d to %d of %d bytes", first, last, ids.Length)
	}
	hashes, err := s.IDHashes()
	if err != nil {
		return err
	}
	for i := 1; i < len(hashes); i++ {
		if hashes[i-1] >= hashes[i] {
			return s.Raw().Corrupt(format.SectionIDHash, int64(i)*8, "hashes are not ascending")
		}
	}
	return s.EachID(func(doc uint32, id []byte) error {
		key := layout.IDHashKey(xxhash.Sum64(id), doc)
		if i, _, _ := layout.SearchHashes(hashes, key); i == len(hashes) || hashes[i] != key {
			return s.Raw().Corrupt(format.SectionIDHash, 0, "id %q of docID %d is missing", id, doc)
		}
		if doc%4096 == 0 {
			return v.step(min(4096, int64(s.Meta().Docs-doc)))
		}
		return nil
	})
}

// idHash checks that ids with equal hashes differ.
func (v *verifier) idHash() error {
	s := v.s
	hashes, err := s.IDHashes()
	if err != nil {
		return err
	}
	var a, b []byte
	for i := 1; i < len(hashes); i++ {
		if hashes[i]>>32 != hashes[i-1]>>32 {
			continue
		}
		if a, err = s.ID(uint32(hashes[i-1]), a); err != nil {
			return err
		}
		if b, err = s.ID(uint32(hashes[i]), b); err != nil {
			return err
		}
		if bytes.Equal(a, b) {
			return s.Raw().Corrupt(format.SectionIDHash, int64(i)*8, "docIDs %d and %d have the same id %q", uint32(hashes[i-1]), uint32(hashes[i]), a)
		}
	}
	return nil
}

// stored decompresses every block of text.
func (v *verifier) stored() error {
	s := v.s
	if !s.Meta().Stored {
		return nil
	}
	blocks, err := s.Raw().StoredBlocks()
	if err != nil {
		return err
	}
	var scratch []byte
	var next uint32
	var off int64
	for i := range blocks {
		b, err := s.Raw().StoredBlock(i)
		if err != nil {
			return err
		}
		if b.First != next || b.Offset != off {
			return s.Raw().Corrupt(format.SectionStoredIndex, int64(i)*layout.StoredEntry, "block %d does not follow the one before it", i)
		}
		text, err := s.Raw().StoredContent(b, &scratch)
		if err != nil {
			return err
		}
		pos := 0
		for range b.End - b.First {
			n, after := layout.Uvarint(text, pos)
			if after < 0 || n > uint64(len(text)-after) {
				return s.Raw().Corrupt(format.SectionStored, b.Offset, "block %d ends before its last text", i)
			}
			pos = after + int(n)
		}
		if pos != len(text) {
			return s.Raw().Corrupt(format.SectionStored, b.Offset, "%d bytes left over in block %d", len(text)-pos, i)
		}
		if err := v.step(int64(b.End - b.First)); err != nil {
			return err
		}
		next, off = b.End, b.Offset+b.Size
	}
	docs, form, length, err := s.Raw().StoredEnd()
	if err != nil {
		return err
	}
	stored, _ := s.Header().Section(format.SectionStored)
	if docs != s.Meta().Docs || next != docs || off != stored.Length || form != 0 || length != uint64(off) {
		return s.Raw().Corrupt(format.SectionStoredIndex, int64(blocks)*layout.StoredEntry, "blocks do not cover the documents and the section")
	}
	return nil
}
