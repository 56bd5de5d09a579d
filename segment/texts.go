package segment

import "fmt"

// Texts reads stored texts in ascending order of docIDs. It decompresses every block once,
// where AppendStored decompresses one for each document. It is not safe for concurrent use.
type Texts struct {
	s       *Segment
	index   []byte      // STOREDINDEX
	block   StoredBlock // the current block; End is 0 if there is none
	text    []byte      // its content
	scratch []byte
	next    uint32 // docID at pos of text
	pos     int
}

// Texts returns a reader of the stored texts. Without stored text all texts are empty.
func (s *Segment) Texts() (*Texts, error) {
	index, err := s.storedIndexOf()
	if err != nil {
		return nil, err
	}
	return &Texts{s: s, index: index}, nil
}

// At returns the text of doc, valid until the next call. Any order of docs works, but
// ascending order is fastest.
func (t *Texts) At(doc uint32) ([]byte, error) {
	if doc >= t.s.meta.Docs {
		return nil, fmt.Errorf("segment %s: docID %d of %d", t.s.name, doc, t.s.meta.Docs)
	}
	if t.index == nil {
		return nil, nil
	}
	if doc < t.next || doc >= t.block.End {
		if err := t.load(doc); err != nil {
			return nil, err
		}
	}
	for {
		text, pos := storedText(t.text, t.pos)
		if pos < 0 {
			return nil, t.s.corrupt(&t.s.stored, t.block.Offset, "block ends before docID %d", t.next)
		}
		t.pos = pos
		t.next++
		if t.next > doc {
			return text, nil
		}
	}
}

// load loads the block of doc.
func (t *Texts) load(doc uint32) error {
	b, err := t.s.storedBlockOf(t.index, doc)
	if err != nil {
		return err
	}
	t.block = StoredBlock{} // a block that does not decompress may overwrite text
	text, err := t.s.readStored(b, &t.scratch)
	if err != nil {
		return err
	}
	t.block, t.text, t.next, t.pos = b, text, b.First, 0
	return nil
}
