package check

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

// ids reads every id and looks it up in IDHASH.
func (v *verifier) ids() error {
	s := v.s
	docs := int(s.Meta().Docs)
	index, err := s.Raw().IDIndex()
	if err == nil {
		ids, _ := s.Header().Section(format.SectionIDs)
		if first, last := index[0], index[len(index)-1]; first != 0 || last != uint64(ids.Length) {
			err = s.Raw().Corrupt(format.SectionIDIndex, 0, "blocks span %d to %d of %d bytes", first, last, ids.Length)
		}
	}
	if err := v.report(err, Damage{}); err != nil {
		return err
	}
	if s.Header().Version.PackedIDs() {
		return v.packedIDs()
	}
	hashes, err := s.Raw().IDHashes()
	if err := v.report(err, Damage{}); err != nil {
		return err
	}
	if v.sameIDs(hashes) {
		if err := v.Step(docWork * int64(docs)); err != nil {
			return err
		}
		return v.idHash(hashes)
	}
	err = v.eachID(func(doc uint32, id []byte) error {
		if hashes == nil {
			return nil
		}
		key := layout.IDHashKey(layout.IDHash(id), doc)
		if i, _, _ := layout.SearchHashes(hashes, key); i == len(hashes) || hashes[i] != key {
			return missing(s, id, doc)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.idHash(hashes)
}

// missing returns the error that IDHASH lacks an id.
func missing(s *segment.Segment, id []byte, doc uint32) error {
	return s.Raw().Corrupt(format.SectionIDHash, 0, "id %q of docID %d is missing", id, doc)
}

// eachID calls f with every id, on several goroutines, and reports its errors and those of the ids.
func (v *verifier) eachID(f func(doc uint32, id []byte) error) error {
	docs := int(v.s.Meta().Docs)
	return v.Each(layout.IDBlocks(docs), idRange, func(lo, hi int) error {
		room := layout.NewFrontCoded(nil)
		for i := lo; i < hi; i++ {
			first := uint32(i * layout.IDsPerBlock)
			end := uint32(min(docs, (i+1)*layout.IDsPerBlock))
			err := idBlock(v.s, i, end-first, &room, func(j uint32, id []byte) error { return f(first+j, id) })
			if err := v.report(err, Damage{Docs: [2]uint32{first, end}}); err != nil {
				return err
			}
		}
		return v.Step(docWork * int64(min(docs, hi*layout.IDsPerBlock)-lo*layout.IDsPerBlock))
	})
}

// idRange is how many blocks of ids a goroutine checks at a time.
const idRange = 4096 / layout.IDsPerBlock

// sameIDs reports whether all ids can be read and hashes, if ascending, are theirs: whether
// both add up to the same, in any order.
func (v *verifier) sameIDs(hashes []uint64) bool {
	scramble := newScrambler()
	docs := int(v.s.Meta().Docs)
	sum, err := v.sumIDs(func(doc uint32, id []byte) uint64 { return scramble.of(layout.IDHashKey(layout.IDHash(id), doc)) })
	for _, h := range hashes {
		sum -= scramble.of(h)
	}
	return err == nil && len(hashes) == docs && sum == 0
}

// scrambler scrambles numbers in a way that is drawn anew each time, so that no file can be made in which other ones add up to the same.
type scrambler uint64

func newScrambler() scrambler { return scrambler(rand.Uint64()) }

func (s scrambler) of(key uint64) uint64 {
	hi, lo := bits.Mul64(key^uint64(s), 0x9e3779b97f4a7c15)
	x := (hi ^ lo) + uint64(s)
	hi, lo = bits.Mul64(x, x|1)
	return hi ^ lo
}

// sumIDs returns the sum of f of every id, or the first error.
func (v *verifier) sumIDs(f func(doc uint32, id []byte) uint64) (uint64, error) {
	docs := int(v.s.Meta().Docs)
	var sum atomic.Uint64
	err := v.Each(layout.IDBlocks(docs), idRange, func(lo, hi int) error {
		x, room := uint64(0), layout.NewFrontCoded(nil)
		for i := lo; i < hi; i++ {
			first := i * layout.IDsPerBlock
			err := idBlock(v.s, i, uint32(min(docs-first, layout.IDsPerBlock)), &room, func(j uint32, id []byte) error {
				x += f(uint32(first)+j, id)
				return nil
			})
			if err != nil {
				return err
			}
		}
		sum.Add(x)
		return v.ctx.Err()
	})
	return sum.Load(), err
}

// idBlock calls f with the n ids of block i of IDS, which it decodes to id.
func idBlock(s *segment.Segment, i int, n uint32, id *layout.FrontCoded, f func(j uint32, id []byte) error) error {
	b, off, err := s.Raw().IDBlock(i)
	if err != nil {
		return err
	}
	id.Set(0, nil)
	pos := 0
	for j := range n {
		lcp, suffix, next := id.Head(b, pos)
		if next < 0 {
			return s.Raw().Corrupt(format.SectionIDs, off+int64(pos), "malformed id")
		}
		id.Set(lcp, suffix)
		pos = next
		if err := f(j, id.Bytes()); err != nil {
			return err
		}
	}
	if pos != len(b) {
		return s.Raw().Corrupt(format.SectionIDs, off+int64(pos), "%d bytes left over in block %d", len(b)-pos, i)
	}
	return nil
}

// idHash checks that IDHASH ascends, and that ids with equal hashes differ.
func (v *verifier) idHash(hashes []uint64) error {
	return v.Each(len(hashes), 1<<16, func(lo, hi int) error {
		for i := max(lo, 1); i < hi; i++ {
			if hashes[i]>>32 > hashes[i-1]>>32 {
				continue
			}
			if err := v.report(hashPair(v.s, hashes, i), Damage{Length: 8}); err != nil {
				return err
			}
		}
		return v.ctx.Err()
	})
}

// hashPair compares entry i of IDHASH with the one before it, whose hash is not below its own.
func hashPair(s *segment.Segment, hashes []uint64, i int) error {
	x, y := hashes[i-1], hashes[i]
	if x >= y {
		return s.Raw().Corrupt(format.SectionIDHash, int64(i)*8, "hashes are not ascending")
	}
	if doc := uint32(y); doc >= s.Meta().Docs { // above that of x, as the hashes are equal
		return s.Raw().Corrupt(format.SectionIDHash, int64(i)*8, "docID %d of %d", doc, s.Meta().Docs)
	}
	a, err := s.Documents().AppendID(nil, uint32(x))
	if err != nil {
		return err
	}
	b, err := s.Documents().AppendID(nil, uint32(y))
	if err != nil {
		return err
	}
	if bytes.Equal(a, b) {
		return s.Raw().Corrupt(format.SectionIDHash, int64(i)*8, "docIDs %d and %d have the same id %q", uint32(x), uint32(y), a)
	}
	return nil
}
