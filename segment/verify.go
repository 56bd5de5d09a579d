package segment

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
)

// verifyChunk is how many bytes are summed between looks at the context.
const verifyChunk = 4 << 20

// Verify checks every checksum and all content of the segment: that it obeys
// format/FORMAT.md and that what one part says about another is true. progress,
// if not nil, is called with a growing share of total, in no particular unit. The
// first fault found is returned.
func (s *Segment) Verify(ctx context.Context, progress func(done, total int64)) error {
	v := &verifier{s: s, ctx: ctx, progress: progress}
	v.total = s.h.FileLen + int64(s.meta.Postings) + 2*int64(s.meta.Docs)
	for _, check := range []func() error{v.checksums, v.lengths, v.lists, v.ids, v.idHash, v.stored} {
		if err := check(); err != nil {
			return err
		}
	}
	return v.step(v.total - v.done)
}

type verifier struct {
	s           *Segment
	ctx         context.Context
	progress    func(done, total int64)
	done, total int64
	lens        LengthTable
}

// step reports n more units done and returns the context's error.
func (v *verifier) step(n int64) error {
	v.done += n
	if v.progress != nil {
		v.progress(min(v.done, v.total), v.total)
	}
	return v.ctx.Err()
}

// checksums sums every section of the table, known or not.
func (v *verifier) checksums() error {
	for _, sec := range v.s.h.Sections {
		sum := xxhash.New()
		for off, left := sec.Offset, sec.PaddedLength(); left > 0; {
			n := min(left, verifyChunk)
			b, err := v.s.data.Range(off, n)
			if err != nil {
				return format.Locate(err, v.s.place(&section{Section: sec}))
			}
			sum.Write(b)
			off, left = off+n, left-n
			if err := v.step(n); err != nil {
				return err
			}
		}
		if sum.Sum64() != sec.Checksum {
			return v.s.corrupt(&section{Section: sec}, 0, "section checksum does not match")
		}
	}
	return nil
}

// lengths compares DOCLENGTHS with META.
func (v *verifier) lengths() error {
	s := v.s
	var err error
	if v.lens, err = s.DocLens(); err != nil {
		return err
	}
	var m Meta
	scanLengths(&m, v.lens)
	if m.Tokens != s.meta.Tokens || m.MinLen != s.meta.MinLen || m.MaxLen != s.meta.MaxLen {
		return s.corrupt(&s.docLengths, 0, "%d tokens, lengths %d to %d; META says %d, %d to %d",
			m.Tokens, m.MinLen, m.MaxLen, s.meta.Tokens, s.meta.MinLen, s.meta.MaxLen)
	}
	return nil
}

// ids reads every id and looks it up in IDHASH.
func (v *verifier) ids() error {
	s := v.s
	index, err := s.words(&s.idIndex, &s.idIndexView)
	if err != nil {
		return err
	}
	if index[0] != 0 || index[len(index)-1] != uint64(s.ids.Length) {
		return s.corrupt(&s.idIndex, 0, "blocks span %d to %d of %d bytes", index[0], index[len(index)-1], s.ids.Length)
	}
	hashes, err := s.IDHashes()
	if err != nil {
		return err
	}
	for i := 1; i < len(hashes); i++ {
		if hashes[i-1] >= hashes[i] {
			return s.corrupt(&s.idHash, int64(i)*8, "hashes are not ascending")
		}
	}
	return s.EachID(func(doc uint32, id []byte) error {
		key := idHashKey(id, doc)
		if i := searchHashes(hashes, key); i == len(hashes) || hashes[i] != key {
			return s.corrupt(&s.idHash, 0, "id %q of docID %d is missing", id, doc)
		}
		if doc%4096 == 0 {
			return v.step(min(4096, int64(s.meta.Docs-doc)))
		}
		return nil
	})
}

// idHash checks that equal hashes do not come from equal ids.
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
			return s.corrupt(&s.idHash, int64(i)*8, "docIDs %d and %d have the same id %q", uint32(hashes[i-1]), uint32(hashes[i]), a)
		}
	}
	return nil
}

// stored decompresses every block of text.
func (v *verifier) stored() error {
	s := v.s
	index, err := s.storedIndexOf()
	if index == nil {
		return err
	}
	var scratch []byte
	var next uint32
	var off int64
	blocks := len(index)/storedIndexEntry - 1
	for i := range blocks {
		b, err := s.storedBlockAt(index, i)
		if err != nil {
			return err
		}
		if b.first != next || b.off != off {
			return s.corrupt(&s.storedIndex, int64(i)*storedIndexEntry, "block %d does not follow the one before it", i)
		}
		text, err := s.readStored(b, &scratch)
		if err != nil {
			return err
		}
		pos := 0
		for range b.end - b.first {
			if _, pos = storedText(text, pos); pos < 0 {
				return s.corrupt(&s.stored, b.off, "block %d ends before its last text", i)
			}
		}
		if pos != len(text) {
			return s.corrupt(&s.stored, b.off, "%d bytes left over in block %d", len(text)-pos, i)
		}
		if err := v.step(int64(b.end - b.first)); err != nil {
			return err
		}
		next, off = b.end, b.off+b.size
	}
	end := index[blocks*storedIndexEntry:]
	if binary.LittleEndian.Uint32(end) != s.meta.Docs || next != s.meta.Docs || off != s.stored.Length ||
		binary.LittleEndian.Uint32(end[4:]) != 0 || binary.LittleEndian.Uint64(end[8:]) != uint64(off) {
		return s.corrupt(&s.storedIndex, int64(blocks)*storedIndexEntry, "blocks do not cover the documents and the section")
	}
	return nil
}
