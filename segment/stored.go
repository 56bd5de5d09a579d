package segment

import (
	"encoding/binary"
	"fmt"
	"sort"
	"sync"

	"github.com/golang/snappy"
)

// storedIndexEntry is the size of an entry of STOREDINDEX: u32 first docID, u32
// form of the block, u64 offset in STORED. A last entry gives the ends.
const storedIndexEntry = 16

// Forms of a block of stored text.
const (
	storedSnappy = 0
	storedRaw    = 1
)

// maxInflated bounds what a compressed block may inflate to unless it is at most
// twice its compressed length, so that reading costs memory in proportion to the
// file.
const maxInflated = 512 << 10

// storedIndexOf returns STOREDINDEX, nil without stored text.
func (s *Segment) storedIndexOf() ([]byte, error) {
	if !s.meta.Stored {
		return nil, nil
	}
	if v := s.storedIndexView.Load(); v != nil {
		return *v, nil
	}
	b, err := s.rangeOf(&s.storedIndex, 0, s.storedIndex.Length)
	if err != nil {
		return nil, err
	}
	s.storedIndexView.Store(&b)
	return b, nil
}

// storedBlock is a located block of stored text.
type storedBlock struct {
	first, end uint32 // its docIDs
	form       uint32
	off, size  int64 // in STORED
}

// storedBlockAt reads entry i of index.
func (s *Segment) storedBlockAt(index []byte, i int) (storedBlock, error) {
	e := index[i*storedIndexEntry:]
	lo, hi := binary.LittleEndian.Uint64(e[8:]), binary.LittleEndian.Uint64(e[storedIndexEntry+8:])
	b := storedBlock{
		first: binary.LittleEndian.Uint32(e),
		end:   binary.LittleEndian.Uint32(e[storedIndexEntry:]),
		form:  binary.LittleEndian.Uint32(e[4:]),
		off:   int64(lo),
		size:  int64(hi - lo),
	}
	if b.first >= b.end || b.end > s.meta.Docs || lo > hi || hi > uint64(s.stored.Length) || b.form > storedRaw {
		return b, s.corrupt(&s.storedIndex, int64(i)*storedIndexEntry, "malformed entry of block %d", i)
	}
	return b, nil
}

var inflateScratch = sync.Pool{New: func() any { return new([]byte) }}

// readStored returns the text of block b, inflated into scratch if need be.
func (s *Segment) readStored(b storedBlock, scratch *[]byte) ([]byte, error) {
	raw, err := s.rangeOf(&s.stored, b.off, b.size)
	if err != nil || b.form == storedRaw {
		return raw, err
	}
	n, err := snappy.DecodedLen(raw)
	if err != nil || n > maxInflated && int64(n) > 2*b.size {
		return nil, s.corrupt(&s.stored, b.off, "compressed block of %d bytes inflates to %d", b.size, n)
	}
	if cap(*scratch) < n {
		*scratch = make([]byte, n)
	}
	text, err := snappy.Decode((*scratch)[:cap(*scratch)], raw)
	if err != nil {
		return nil, s.corrupt(&s.stored, b.off, "compressed block: %v", err)
	}
	return text, nil
}

// Stored returns the stored text of doc, appended to buf[:0]. Without stored text
// it returns nil.
func (s *Segment) Stored(doc uint32, buf []byte) ([]byte, error) {
	buf = buf[:0]
	if doc >= s.meta.Docs {
		return buf, fmt.Errorf("segment %s: docID %d of %d", s.name, doc, s.meta.Docs)
	}
	index, err := s.storedIndexOf()
	if index == nil {
		return nil, err
	}
	blocks := len(index)/storedIndexEntry - 1
	i := sort.Search(blocks, func(i int) bool { return binary.LittleEndian.Uint32(index[i*storedIndexEntry:]) > doc }) - 1
	if i < 0 {
		return buf, s.corrupt(&s.storedIndex, 0, "no block for docID %d", doc)
	}
	b, err := s.storedBlockAt(index, i)
	if err != nil {
		return buf, err
	}
	if doc >= b.end {
		return buf, s.corrupt(&s.storedIndex, int64(i)*storedIndexEntry, "no block for docID %d", doc)
	}
	scratch := inflateScratch.Get().(*[]byte)
	defer inflateScratch.Put(scratch)
	text, err := s.readStored(b, scratch)
	if err != nil {
		return buf, err
	}
	pos := 0
	for range doc - b.first {
		if _, pos = storedText(text, pos); pos < 0 {
			break
		}
	}
	var t []byte
	if pos >= 0 {
		t, pos = storedText(text, pos)
	}
	if pos < 0 {
		return buf, s.corrupt(&s.stored, b.off, "block ends before docID %d", doc)
	}
	return append(buf, t...), nil
}

// storedText returns the text at pos of a block and the position after it, or -1.
func storedText(b []byte, pos int) ([]byte, int) {
	n, pos := uvarint(b, pos)
	if pos < 0 || n > uint64(len(b)-pos) {
		return nil, -1
	}
	return b[pos : pos+int(n)], pos + int(n)
}
