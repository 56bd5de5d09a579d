package segment

import (
	"encoding/binary"
	"fmt"
	"sort"
	"sync"

	"github.com/golang/snappy"

	"github.com/pinion-index/pinion/segment/internal/layout"
)

// storedIndexOf returns STOREDINDEX, or nil without stored text.
func (s *Segment) storedIndexOf() ([]byte, error) {
	if !s.meta.Stored {
		return nil, nil
	}
	if v := s.views.storedIndex.Load(); v != nil {
		return *v, nil
	}
	b, err := s.rangeOf(&s.storedIndex, 0, s.storedIndex.Length)
	if err != nil {
		return nil, err
	}
	s.views.storedIndex.Store(&b)
	return b, nil
}

// storedBlockAt reads entry i of index.
func (s *Segment) storedBlockAt(index []byte, i int) (StoredBlock, error) {
	e := index[i*layout.StoredEntry:]
	lo, hi := binary.LittleEndian.Uint64(e[8:]), binary.LittleEndian.Uint64(e[layout.StoredEntry+8:])
	b := StoredBlock{
		First:  binary.LittleEndian.Uint32(e),
		End:    binary.LittleEndian.Uint32(e[layout.StoredEntry:]),
		Offset: int64(lo),
		Size:   int64(hi - lo),
	}
	form := binary.LittleEndian.Uint32(e[4:])
	b.Raw = form == layout.StoredRaw
	if b.First >= b.End || b.End > s.meta.Docs || lo > hi || hi > uint64(s.stored.Length) || form > layout.StoredRaw {
		return b, s.corrupt(&s.storedIndex, int64(i)*layout.StoredEntry, "malformed entry of block %d", i)
	}
	return b, nil
}

// storedBlockOf returns the block of doc.
func (s *Segment) storedBlockOf(index []byte, doc uint32) (StoredBlock, error) {
	blocks := len(index)/layout.StoredEntry - 1
	i := sort.Search(blocks, func(i int) bool { return binary.LittleEndian.Uint32(index[i*layout.StoredEntry:]) > doc }) - 1
	if i < 0 {
		return StoredBlock{}, s.corrupt(&s.storedIndex, 0, "no block for docID %d", doc)
	}
	b, err := s.storedBlockAt(index, i)
	if err == nil && doc >= b.End {
		err = s.corrupt(&s.storedIndex, int64(i)*layout.StoredEntry, "no block for docID %d", doc)
	}
	return b, err
}

var inflateScratch = sync.Pool{New: func() any { return new([]byte) }}

// readStored returns the text of block b, decompressed into scratch if necessary.
func (s *Segment) readStored(b StoredBlock, scratch *[]byte) ([]byte, error) {
	raw, err := s.rangeOf(&s.stored, b.Offset, b.Size)
	if err != nil || b.Raw {
		return raw, err
	}
	n, err := snappy.DecodedLen(raw)
	if err != nil || n > layout.MaxInflated && int64(n) > 2*b.Size {
		return nil, s.corrupt(&s.stored, b.Offset, "compressed block of %d bytes inflates to %d", b.Size, n)
	}
	if cap(*scratch) < n {
		*scratch = make([]byte, n)
	}
	text, err := snappy.Decode((*scratch)[:cap(*scratch)], raw)
	if err != nil {
		return nil, s.corrupt(&s.stored, b.Offset, "compressed block: %v", err)
	}
	return text, nil
}

// AppendStored appends the stored text of doc to dst: nothing if Meta().Stored is false. On an
// error it returns dst unchanged.
func (s *Segment) AppendStored(dst []byte, doc uint32) ([]byte, error) {
	if doc >= s.meta.Docs {
		return dst, fmt.Errorf("segment %s: docID %d of %d", s.name, doc, s.meta.Docs)
	}
	index, err := s.storedIndexOf()
	if index == nil {
		return dst, err
	}
	b, err := s.storedBlockOf(index, doc)
	if err != nil {
		return dst, err
	}
	scratch := inflateScratch.Get().(*[]byte)
	defer inflateScratch.Put(scratch)
	text, err := s.readStored(b, scratch)
	if err != nil {
		return dst, err
	}
	pos := 0
	for range doc - b.First {
		if _, pos = storedText(text, pos); pos < 0 {
			break
		}
	}
	var t []byte
	if pos >= 0 {
		t, pos = storedText(text, pos)
	}
	if pos < 0 {
		return dst, s.corrupt(&s.stored, b.Offset, "block ends before docID %d", doc)
	}
	return append(dst, t...), nil
}

// storedText returns the text at pos of a block and the position after it, or -1.
func storedText(b []byte, pos int) ([]byte, int) {
	n, pos := layout.Uvarint(b, pos)
	if pos < 0 || n > uint64(len(b)-pos) {
		return nil, -1
	}
	return b[pos : pos+int(n)], pos + int(n)
}

// StoredBlock locates a block of stored text.
type StoredBlock struct {
	First, End   uint32 // docIDs from First up to, but not including, End
	Raw          bool   // whether the bytes are the content; otherwise they are compressed by snappy
	Offset, Size int64  // in section STORED
}
