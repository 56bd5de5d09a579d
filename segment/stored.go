package segment

import (
	"encoding/binary"
	"sort"

	"github.com/golang/snappy"

	"github.com/pinion-index/pinion/internal/segment/chunks"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// storedIndexOf returns STOREDINDEX, or nil without stored text.
func (ds Documents) storedIndexOf() ([]byte, error) {
	s := ds.s
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
func (ds Documents) storedBlockAt(index []byte, i int) (StoredBlock, error) {
	s := ds.s
	e := index[i*layout.StoredEntry:]
	lo, hi := binary.LittleEndian.Uint64(e[8:]), binary.LittleEndian.Uint64(e[layout.StoredEntry+8:])
	b := StoredBlock{
		First:  binary.LittleEndian.Uint32(e),
		End:    binary.LittleEndian.Uint32(e[layout.StoredEntry:]),
		Offset: int64(lo),
		Size:   int64(hi - lo),
	}
	form := binary.LittleEndian.Uint32(e[4:])
	b.Form, b.Back = StoredForm(form&(1<<layout.StoredFormBits-1)), int(form>>layout.StoredFormBits)
	bad := b.First >= b.End || b.End > s.meta.Docs || lo > hi || hi > uint64(s.stored.Length) ||
		b.Form > StoredDictionary || (b.Form == StoredChunks) != (b.Back > 0) || b.Back > i
	if b.Form == StoredChunks && !bad {
		e := index[(i-b.Back)*layout.StoredEntry:]
		b.dict = int64(binary.LittleEndian.Uint64(e[8:]))
		bad = binary.LittleEndian.Uint32(e[4:]) != layout.StoredDictionary || b.dict < 0 || b.dict > b.Offset
	}
	if bad {
		return b, s.corrupt(&s.storedIndex, int64(i)*layout.StoredEntry, "malformed entry of block %d", i)
	}
	return b, nil
}

// storedBlockOf returns the block of doc.
func (ds Documents) storedBlockOf(index []byte, doc uint32) (StoredBlock, error) {
	s := ds.s
	blocks := len(index)/layout.StoredEntry - 1
	i := sort.Search(blocks, func(i int) bool { return binary.LittleEndian.Uint32(index[i*layout.StoredEntry:]) > doc }) - 1
	if i < 0 {
		return StoredBlock{}, s.corrupt(&s.storedIndex, 0, "no block for docID %d", doc)
	}
	b, err := ds.storedBlockAt(index, i)
	if err == nil && doc >= b.End {
		err = s.corrupt(&s.storedIndex, int64(i)*layout.StoredEntry, "no block for docID %d", doc)
	}
	return b, err
}

// readStored returns the content of block b, which has no chunks, decompressed into scratch
// if necessary.
func (ds Documents) readStored(b StoredBlock, scratch *[]byte) ([]byte, error) {
	s := ds.s
	raw, err := s.rangeOf(&s.stored, b.Offset, b.Size)
	if err != nil || b.Form == StoredRaw {
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

// openChunks begins to read block b, which has chunks, with c.
func (ds Documents) openChunks(b StoredBlock, c *chunks.Block) error {
	s := ds.s
	block, err := s.rangeOf(&s.stored, b.Offset, b.Size)
	if err != nil {
		return err
	}
	var dict []byte
	if b.Form == StoredDictionary {
		if dict, block, _ = chunks.SplitDictionary(block); dict == nil {
			return s.corrupt(&s.stored, b.Offset, "malformed dictionary")
		}
	} else if dict, err = ds.dictionary(b.dict, b.Offset); err != nil {
		return err
	}
	if err := c.Open(block, b.End-b.First, dict); err != nil {
		return s.corrupt(&s.stored, b.Offset, "%v", err)
	}
	return nil
}

// dictionary returns the dictionary at offset off of STORED, which ends before offset end.
func (ds Documents) dictionary(off, end int64) ([]byte, error) {
	s := ds.s
	for n := min(3, end-off); ; {
		b, err := s.rangeOf(&s.stored, off, n)
		if err != nil {
			return nil, err
		}
		dict, _, more := chunks.SplitDictionary(b)
		if dict != nil {
			return dict, nil
		}
		if int64(more) <= n || int64(more) > end-off {
			return nil, s.corrupt(&s.stored, off, "malformed dictionary")
		}
		n = int64(more)
	}
}

// storedText returns the text at pos of a block and the position after it, or -1.
func storedText(b []byte, pos int) ([]byte, int) {
	n, pos := layout.Uvarint(b, pos)
	if pos < 0 || n > uint64(len(b)-pos) {
		return nil, -1
	}
	return b[pos : pos+int(n)], pos + int(n)
}

// StoredForm is the form of a block of stored text.
type StoredForm uint8

// The forms.
const (
	StoredSnappy     StoredForm = layout.StoredSnappy     // compressed by snappy as a whole
	StoredRaw        StoredForm = layout.StoredRaw        // the content itself
	StoredChunks     StoredForm = layout.StoredChunks     // chunks, with the dictionary of another block
	StoredDictionary StoredForm = layout.StoredDictionary // a dictionary and chunks
)

// StoredBlock locates a block of stored text.
type StoredBlock struct {
	First, End   uint32 // docIDs from First up to, but not including, End
	Form         StoredForm
	Back         int   // of StoredChunks: how many blocks before it the one with the dictionary is
	Offset, Size int64 // in section STORED
	dict         int64 // of StoredChunks: where that block is in STORED
}
