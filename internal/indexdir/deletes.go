package indexdir

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/store"
)

// ReadDeletes decodes a deletes file: the deleted local docIDs of the segment
// that s describes. The caller owns them. The file holds the id of the
// segment and one of its own; the ids, the docIDs and their number must agree with s.
// name is for errors.
func ReadDeletes(name string, d store.Data, s *SegmentInfo) (*docset.Bits, error) {
	h, b, off, err := readSection(name, d, format.KindDeletes, format.SectionDeletes)
	if err != nil {
		return nil, err
	}
	id, b, off, err := deletesID(h.Version, b, off)
	var bm *docset.Bits
	if err == nil {
		bm, err = decodeDeletes(b, off, s.Docs)
	}
	switch {
	case err != nil:
	case h.ID != s.ID:
		err = format.Corrupt("the file belongs to segment %x, not to %x", h.ID, s.ID)
	case id != s.DeletesID:
		err = format.Corrupt("the file has id %x, the manifest names one with id %x", id, s.DeletesID)
	case bm.Len() != s.Deleted:
		err = format.Corrupt("%d documents are deleted, the manifest says %d", bm.Len(), s.Deleted)
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

// decodeDeletes decodes a set of some of docs documents.
func decodeDeletes(b []byte, off int64, docs uint32) (*docset.Bits, error) {
	s, err := docset.FromPortable(b, off, docs)
	if err != nil {
		return nil, err
	}
	return docset.NewBits(s), nil
}
