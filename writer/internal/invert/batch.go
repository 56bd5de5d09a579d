package invert

import (
	"bytes"

	"github.com/cespare/xxhash/v2"
)

// Batch is a number of documents, deletions and changes of values in the order in which they were
// added and, once inverted, their postings. Batches are reused.
type Batch struct {
	Seq   uint64 // for the caller: the batch's number
	Slots int    // for the caller: more than 1 if the batch is for one huge document
	Bare  uint32 // set by the inverter: documents without terms
	Bad   []Bad  // set by the inverter: documents that are not added

	text []byte // contents of all documents, followed by slack bytes
	ids  []byte
	ops  []op

	// Set by the inverter.
	lens   []uint32 // tokens of every document in each field that has lengths
	hashes []uint32 // idHash of every op's id
	terms  []localTerm
	bytes  []byte // of all terms, followed by slack bytes
	pages  []page // runs; references in terms number pages from 0
	stored []byte // texts or records, compressed, if documents are stored
	tokens uint64

	storedEnds []uint32       // of each document's record or text in what is stored
	columns    []batchColumn  // of each field with a column
	vectors    []batchVectors // of each field of vectors
	gaps       [][]uint32     // of runs that do not hold them
}

// op is one document, or what becomes of the one with an id.
type op struct {
	idEnd, textEnd uint32
	kind           opKind
}

// opKind is what an op does.
type opKind uint8

const (
	opAdd opKind = iota
	opDelete
	opSet // values of a field
)

// Bad is a document that its content keeps out of the index.
type Bad struct {
	ID  []byte
	Err error
	op  int
}

// refuse makes op i, a document, one that does nothing.
func (b *Batch) refuse(i int, err error) {
	b.Bad = append(b.Bad, Bad{bytes.Clone(b.id(i)), err, i})
}

// localTerm is one term of a batch.
type localTerm struct {
	head uint64 // first eight bytes, little-endian, zero-padded
	at   uint32 // offset in batch.bytes
	n    uint32 // its length, and above fieldShift the rank of its field
	doc  uint32 // while inverting: the last document that it occurred in, plus one; once absorbed: its record
	last uint32 // while inverting: its latest posting; afterwards: reference of its run
	df   uint32
	hash uint32
}

// Size returns the size of the batch's input in bytes.
func (b *Batch) Size() int { return len(b.text) + len(b.ids) + len(b.ops)*opBytes }

// sizeOf returns what a document or deletion adds to Size.
func sizeOf(id []byte, contents int) int { return len(id) + contents + opBytes }

// SizeOfDelete returns what Delete adds to Size.
func SizeOfDelete(id []byte) int { return sizeOf(id, 0) }

// Full reports whether b cannot hold another document, however small.
func (b *Batch) Full() bool { return len(b.ops) == maxBatchDocs }

// opBytes is the size of a document in a batch besides id and text.
const opBytes = 24

// Delete adds a deletion of the document with this id.
func (b *Batch) Delete(id []byte) { b.add(id, opDelete) }

// add adds an op, whose contents are what is at the end of b.text.
func (b *Batch) add(id []byte, kind opKind) {
	b.ids = append(b.ids, id...)
	b.ops = append(b.ops, op{uint32(len(b.ids)), uint32(len(b.text)), kind})
}

// id returns the id of op i.
func (b *Batch) id(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = b.ops[i-1].idEnd
	}
	return b.ids[from:b.ops[i].idEnd]
}

// term returns the bytes of term i.
func (b *Batch) term(i int) []byte {
	t := &b.terms[i]
	return b.bytes[t.at:][:t.n&(1<<fieldShift-1)]
}

// contents returns the text of op i.
func (b *Batch) contents(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = b.ops[i-1].textEnd
	}
	return b.text[from:b.ops[i].textEnd]
}

// idHash is the hash by which segments order ids.
func idHash(id []byte) uint32 { return uint32(xxhash.Sum64(id) >> 32) }

// Reset empties b for new documents. It frees the memory that one huge document
// needed; usual is the usual size of a batch.
func (b *Batch) Reset(usual int) {
	if cap(b.text) > 2*usual {
		*b = Batch{}
		return
	}
	b.text, b.ids, b.ops = b.text[:0], b.ids[:0], b.ops[:0]
	b.lens, b.hashes, b.storedEnds = b.lens[:0], b.hashes[:0], b.storedEnds[:0]
	b.terms, b.bytes, b.pages, b.stored = b.terms[:0], b.bytes[:0], b.pages[:0], nil
	for i := range b.columns {
		b.columns[i].reset()
	}
	for i := range b.vectors {
		b.vectors[i].reset()
	}
	clear(b.gaps)
	b.tokens, b.Bare, b.gaps, b.Bad = 0, 0, b.gaps[:0], nil
}
