package store

import (
	"encoding/binary"
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format"
)

// ReadDeletes decodes a deletes file: the deleted local docIDs of the segment
// that s describes. The caller owns the bitmap. The file holds the id of the
// segment and one of its own; the ids, the docIDs and their number must agree with s.
// name is for errors.
func ReadDeletes(name string, d Data, s *SegmentInfo) (*roaring.Bitmap, error) {
	h, b, off, err := readSection(name, d, format.KindDeletes, format.SectionDeletes)
	if err != nil {
		return nil, err
	}
	id, b, off, err := deletesID(h.Version, b, off)
	var bm *roaring.Bitmap
	if err == nil {
		bm, err = decodeDeletes(b, off, s.Docs)
	}
	switch {
	case err != nil:
	case h.ID != s.ID:
		err = format.Corrupt("the file belongs to segment %x, not to %x", h.ID, s.ID)
	case id != s.DeletesID:
		err = format.Corrupt("the file has id %x, the manifest names one with id %x", id, s.DeletesID)
	case bm.GetCardinality() != uint64(s.Deleted):
		err = format.Corrupt("%d documents are deleted, the manifest says %d", bm.GetCardinality(), s.Deleted)
	}
	if err != nil {
		return nil, format.Locate(err, format.Place{File: name, Section: format.SectionDeletes.String(), Block: format.NoBlock})
	}
	return bm, nil
}

// deletesID splits the content of a deletes file of version v, at offset off, into its random
// id, which is zero in version 0.2, and the bitmap.
func deletesID(v format.Version, b []byte, off int64) (id format.ID, bitmap []byte, at int64, err error) {
	if isFirst(v) {
		return id, b, off, nil
	}
	if len(b) < len(id) {
		return id, nil, off, format.Corrupt("%d bytes hold no id", len(b))
	}
	n := copy(id[:], b)
	return id, b[n:], off + int64(n), nil
}

// decodeDeletes decodes a bitmap, which keeps b.
func decodeDeletes(b []byte, off int64, docs uint32) (*roaring.Bitmap, error) {
	if err := checkRoaring(b, off, docs); err != nil {
		return nil, err
	}
	bm := roaring.New()
	if _, err := bm.FromBuffer(b); err != nil {
		e := format.Corrupt("roaring bitmap")
		e.Err = err
		return nil, e
	}
	return bm, nil
}

func appendDeletes(dst []byte, docs *roaring.Bitmap) ([]byte, error) {
	c := docs.Clone()
	c.RunOptimize()
	b, err := c.ToBytes()
	return append(dst, b...), err
}

// The portable serialization of roaring bitmaps
// (github.com/RoaringBitmap/RoaringFormatSpec): a cookie, for each container its
// key and cardinality, offsets, then the containers.
const (
	roaringCookieNoRuns  = 12346
	roaringCookie        = 12347
	roaringNoOffsetsFrom = 4 // with runs, there are offsets from this many containers on
	roaringArrayMax      = 4096
	roaringBitmapBytes   = 1 << 13
)

// checkRoaring checks a serialized bitmap in time linear in its length: the
// library's own reader trusts its input, and the library's validation is
// quadratic in the runs of a container. Every value must be below limit.
func checkRoaring(b []byte, base int64, limit uint32) error {
	r := format.NewBuffer(b, base)
	var size int
	var runs []byte
	switch cookie := r.Uint32(); {
	case cookie == roaringCookieNoRuns:
		size = int(min(r.Uint32(), 1<<16+1))
	case cookie&0xffff == roaringCookie:
		size = int(cookie>>16) + 1
		runs = r.Bytes((size + 7) / 8)
		if size%8 != 0 && len(runs) > 0 && runs[len(runs)-1]>>(size%8) != 0 {
			r.Fail("flags of roaring containers that do not exist are set")
		}
	default:
		r.Fail("roaring cookie %#x", cookie)
	}
	if size > 1<<16 {
		r.Fail("more than 65536 roaring containers")
	}
	keys := r.Bytes(4 * size)
	var offsets []byte
	if runs == nil || size >= roaringNoOffsetsFrom {
		offsets = r.Bytes(4 * size)
	}
	prev := -1
	for i := 0; i < size && r.Err() == nil; i++ {
		key := int(binary.LittleEndian.Uint16(keys[4*i:]))
		card := int(binary.LittleEndian.Uint16(keys[4*i+2:])) + 1
		if key <= prev {
			r.Fail("roaring containers are out of order")
			break
		}
		prev = key
		if offsets != nil && uint64(binary.LittleEndian.Uint32(offsets[4*i:])) != uint64(r.Pos()) {
			r.Fail("the offset of roaring container %d is wrong", i)
		}
		isRun := runs != nil && runs[i/8]>>(i%8)&1 != 0
		last := checkContainer(r, card, isRun)
		if r.Err() == nil && uint64(key)<<16|uint64(last) >= uint64(limit) {
			r.Fail("docID %d of a segment of %d documents", uint64(key)<<16|uint64(last), limit)
		}
	}
	return r.Done()
}

// checkContainer reads one container of card values and returns the largest
// value.
func checkContainer(r *format.Buffer, card int, isRun bool) (last int) {
	switch {
	case isRun:
		n, next := int(r.Uint16()), 0
		for i := 0; i < n && r.Err() == nil; i++ {
			start, more := int(r.Uint16()), int(r.Uint16())
			if start < next || start+more > 0xffff {
				r.Fail("roaring runs are out of order")
			}
			last, next = start+more, start+more+1
			card -= more + 1
		}
		if card != 0 || n == 0 {
			r.Fail("roaring runs do not sum to their cardinality")
		}
	case card > roaringArrayMax:
		b := r.Bytes(roaringBitmapBytes)
		for i := 0; i < len(b); i += 8 {
			if w := binary.LittleEndian.Uint64(b[i:]); w != 0 {
				card -= bits.OnesCount64(w)
				last = i*8 + 63 - bits.LeadingZeros64(w)
			}
		}
		if card != 0 {
			r.Fail("roaring bitmap does not have its cardinality")
		}
	default:
		b := r.Bytes(2 * card)
		last = -1
		for i := 0; i < len(b); i += 2 {
			v := int(binary.LittleEndian.Uint16(b[i:]))
			if v <= last {
				r.Fail("roaring array is out of order")
				break
			}
			last = v
		}
	}
	return last
}
