package segment

import (
	"fmt"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/chunks"
)

// Texts reads stored texts, most quickly in ascending order of docIDs: nothing is inflated
// twice then. It is not safe for concurrent use.
type Texts struct {
	s     *Segment
	index []byte      // STOREDINDEX
	block StoredBlock // the current block; End is 0 if there is none
	out   []byte      // what At has returned

	chunks chunks.Block // of a block with chunks

	text    []byte // content of another block
	scratch []byte
	next    uint32 // docID at pos of text
	pos     int
}

// Texts returns a reader of the stored texts. Without stored text all texts are empty.
func (ds Documents) Texts() (*Texts, error) {
	t := new(Texts)
	return t, t.open(ds.s)
}

func (t *Texts) open(s *Segment) (err error) {
	t.s, t.block = s, StoredBlock{}
	t.index, err = s.Documents().storedIndexOf()
	return err
}

// close lets go of the segment.
func (t *Texts) close() {
	t.s, t.index, t.text = nil, nil, nil
	t.chunks.Close()
}

// At returns the text of doc, valid until the next call.
func (t *Texts) At(doc uint32) ([]byte, error) {
	text, err := t.Append(t.out[:0], doc)
	t.out = text
	return text, err
}

// Append appends the text of doc to dst. On an error it returns dst unchanged.
func (t *Texts) Append(dst []byte, doc uint32) ([]byte, error) {
	text, err := t.appendWritten(dst, doc)
	if err == nil && t.index != nil {
		text, err = t.s.changeRecord(text, len(dst), doc)
	}
	if err != nil {
		return dst, err
	}
	return text, nil
}

// appendWritten is Append of what the file has.
func (t *Texts) appendWritten(dst []byte, doc uint32) ([]byte, error) {
	if doc >= t.s.meta.Docs {
		return dst, t.s.noDoc(doc)
	}
	if t.index == nil {
		return dst, nil
	}
	if err := t.load(doc); err != nil {
		return dst, err
	}
	if t.block.Form >= StoredChunks {
		text, err := t.chunks.Append(dst, doc-t.block.First)
		if err != nil {
			return dst, t.s.corrupt(&t.s.stored, t.block.Offset, "docID %d: %v", doc, err)
		}
		return text, nil
	}
	if doc < t.next {
		t.next, t.pos = t.block.First, 0
	}
	for {
		text, pos := storedText(t.text, t.pos)
		if pos < 0 {
			return dst, t.s.corrupt(&t.s.stored, t.block.Offset, "block ends before docID %d", t.next)
		}
		t.pos = pos
		t.next++
		if t.next > doc {
			return append(dst, text...), nil
		}
	}
}

// check inflates all of a block, and checks that it has its documents and nothing else.
func (t *Texts) check(b StoredBlock) error {
	if err := t.loadBlock(b); err != nil {
		return err
	}
	if b.Form >= StoredChunks {
		if err := t.chunks.Check(); err != nil {
			return t.s.corrupt(&t.s.stored, b.Offset, "%v", err)
		}
		return nil
	}
	pos := 0
	for range b.End - b.First {
		if _, pos = storedText(t.text, pos); pos < 0 {
			return t.s.corrupt(&t.s.stored, b.Offset, "block ends before its last text")
		}
	}
	if pos != len(t.text) {
		return t.s.corrupt(&t.s.stored, b.Offset, "%d bytes left over in the block", len(t.text)-pos)
	}
	return nil
}

// appendValues appends the values in the fields with ids of the record of doc to dst. On an error
// it returns dst unchanged.
func (t *Texts) appendValues(dst []byte, doc uint32, ids []uint32) ([]byte, error) {
	if doc >= t.s.meta.Docs || t.index == nil || t.s.meta.Fields == 0 {
		return t.Append(dst, doc)
	}
	if err := t.load(doc); err != nil {
		return dst, err
	}
	changes, err := t.s.Changes()
	if err != nil {
		return dst, err
	}
	if t.block.Form < StoredChunks || changes.has(doc) {
		if t.out, err = t.Append(t.out[:0], doc); err != nil {
			return dst, err
		}
		return t.values(dst, doc, ids, 0, int64(len(t.out)), func(dst []byte, from, to int64) ([]byte, error) {
			return append(dst, t.out[from:to]...), nil
		})
	}
	from, to, err := t.chunks.Range(doc - t.block.First)
	if err != nil {
		return dst, t.s.corrupt(&t.s.stored, t.block.Offset, "docID %d: %v", doc, err)
	}
	return t.values(dst, doc, ids, from, to, t.chunks.AppendRange)
}

// values is appendValues of a record that begins at from and ends at to in what part appends.
func (t *Texts) values(dst []byte, doc uint32, ids []uint32, from, to int64, part func(dst []byte, from, to int64) ([]byte, error)) ([]byte, error) {
	out := dst
	for from < to {
		// What Head reads is appended first, and is part of the value if that is wanted.
		begin, next := len(out), min(from+record.MaxHead, to)
		var id uint32
		var size uint64
		var err error
		if out, err = part(out, from, next); err == nil {
			id, size, err = record.Head(out[begin:])
		}
		if err == nil && size > uint64(to-from) {
			err = fmt.Errorf("value of field %d ends behind the record", id)
		}
		if err == nil {
			from += int64(size)
			switch {
			case !slices.Contains(ids, id):
				out = out[:begin]
			case from <= next:
				out = out[:begin+int(size)]
			default:
				out, err = part(out, next, from)
			}
		}
		if err != nil {
			return dst, t.s.corrupt(&t.s.stored, t.block.Offset, "docID %d: %v", doc, err)
		}
	}
	return out, nil
}

// load loads the block of doc, unless it is the current one.
func (t *Texts) load(doc uint32) error {
	if doc >= t.block.First && doc < t.block.End {
		return nil
	}
	b, err := t.s.Documents().storedBlockOf(t.index, doc)
	if err != nil {
		return err
	}
	return t.loadBlock(b)
}

func (t *Texts) loadBlock(b StoredBlock) (err error) {
	t.block = StoredBlock{} // a block that does not decompress may overwrite text
	if b.Form >= StoredChunks {
		err = t.s.Documents().openChunks(b, &t.chunks)
	} else {
		t.text, err = t.s.Documents().readStored(b, &t.scratch)
		t.next, t.pos = b.First, 0
	}
	if err != nil {
		return err
	}
	t.block = b
	return nil
}

// AppendStored appends the stored text of doc to dst: nothing if Meta.Stored is false. On an
// error it returns dst unchanged.
func (ds Documents) AppendStored(dst []byte, doc uint32) ([]byte, error) {
	t := textsPool.Get().(*Texts)
	defer textsPool.Put(t)
	defer t.close()
	if err := t.open(ds.s); err != nil {
		return dst, err
	}
	return t.Append(dst, doc)
}

// AppendTexts appends the stored texts of docs to dst, and to ends where each of them ends in
// it. It is fastest if the docIDs ascend. On an error it returns both unchanged.
func (ds Documents) AppendTexts(dst []byte, ends []int, docs []uint32) ([]byte, []int, error) {
	return ds.appendEach(dst, ends, docs, (*Texts).Append)
}

// AppendValues is AppendTexts, but in a segment with fields records have only the values in those
// with ids. Of the other values it inflates and checks little.
func (ds Documents) AppendValues(dst []byte, ends []int, docs, ids []uint32) ([]byte, []int, error) {
	return ds.appendEach(dst, ends, docs, func(t *Texts, dst []byte, doc uint32) ([]byte, error) {
		return t.appendValues(dst, doc, ids)
	})
}

func (ds Documents) appendEach(dst []byte, ends []int, docs []uint32, one func(t *Texts, dst []byte, doc uint32) ([]byte, error)) ([]byte, []int, error) {
	t := textsPool.Get().(*Texts)
	defer textsPool.Put(t)
	defer t.close()
	if err := t.open(ds.s); err != nil {
		return dst, ends, err
	}
	out, outEnds := dst, ends
	for _, doc := range docs {
		var err error
		if out, err = one(t, out, doc); err != nil {
			return dst, ends, err
		}
		outEnds = append(outEnds, len(out))
	}
	return out, outEnds, nil
}

var textsPool = sync.Pool{New: func() any { return new(Texts) }}
