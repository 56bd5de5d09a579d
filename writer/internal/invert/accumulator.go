package invert

import (
	"encoding/binary"
	"iter"

	"github.com/pinion-index/pinion/segment"
)

// Accumulator gathers inverted batches for the next segment.
type Accumulator struct {
	pool  *Pool
	pages []page // runs of all batches

	terms    keyArena // records, see below
	table    slots    // hash -> record
	termRefs chunks[uint32]

	ids     keyArena // of documents: length in two bytes, id
	idTable slots    // idHash -> docID, plus one
	docs    chunks[docInfo]
	fields  *Fields
	lens    chunks[uint32] // of each document, in each field that has lengths
	dead    int            // documents replaced or deleted since they were absorbed

	deletes chunks[deletion] // deletions of ids in earlier segments
	gone    keyArena         // ids in deletes: length in two bytes, id

	sets     map[string][]Set // changes of values, by id
	setBytes int              // of sets

	columns  []column   // of each field with one
	vectors  []vectors  // of each field of vectors
	gaps     [][]uint32 // of runs that do not hold them
	gapBytes int        // of gaps
	stored   storedText
	postings uint64
	tokens   uint64
	touched  byte // keeps the compiler from removing the reads of touch

	most int // the most contents at a Reset since memory was freed
	few  int // how many Resets in a row found less than most/fewShare
}

// Memory is freed after fewResets rounds in a row that needed less than 1/fewShare of it.
const (
	fewResets = 8
	fewShare  = 4
)

// A term's record: reference of its latest run, document frequency, length of the
// term (two bytes), term; unless documents are one text, the rank of its field (two bytes); with columns, room
// for its number in the dictionary of one (four bytes).
const (
	recLast = 0
	recDF   = 4
	recLen  = 8
	recTerm = 10
)

type docInfo struct {
	id     uint32 // reference in ids
	hash   uint32 // idHash
	isDead bool
}

type deletion struct{ id, hash uint32 }

// NewAccumulator returns an empty Accumulator for documents with values of f.
func (p *Pool) NewAccumulator(f *Fields) *Accumulator {
	return &Accumulator{pool: p, fields: f, columns: make([]column, f.columns), vectors: f.newVectors(), stored: storedText{pool: &p.texts}}
}

// Live returns the number of documents that have not been replaced or deleted.
func (a *Accumulator) Live() int { return a.docs.n - a.dead }

// Postings returns the number of postings, including those of replaced and deleted
// documents.
func (a *Accumulator) Postings() uint64 { return a.postings }

// Deletions returns how many ids Deleted yields.
func (a *Accumulator) Deletions() int { return a.deletes.n }

// Deleted yields the ids to delete from earlier segments. Ids may repeat.
func (a *Accumulator) Deleted() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := range a.deletes.n {
			if !yield(idAt(&a.gone, a.deletes.at(i).id)) {
				return
			}
		}
	}
}

// Memory that a flush needs in addition: 16 bytes to sort a term, 12 for an id's
// hash and a length, and half of every hash table while it grows.
const (
	termScratch = 16
	docScratch  = 12
)

// Bytes returns the memory in bytes that the accumulator holds and that writing it
// needs in addition.
func (a *Accumulator) Bytes() int {
	return a.contents() + a.table.bytes()*3/2 + a.idTable.bytes()*3/2
}

// contents is Bytes without the hash tables, which Reset leaves as large as they are. The 16 bytes of a document have room for the
// length of one text.
func (a *Accumulator) contents() int {
	lens := a.lens.n * 8
	if a.fields.text {
		lens = 0
	}
	return len(a.pages)*pageBytes +
		a.terms.bytes() + a.termRefs.n*(4+termScratch) +
		a.ids.bytes() + a.docs.n*(16+docScratch) + lens +
		a.gone.bytes() + a.deletes.n*8 + a.stored.bytes() + a.columnBytes() + a.vectorBytes() + a.gapBytes + a.setBytes
}

// Full reports whether a lacks the docIDs or references to absorb b.
func (a *Accumulator) Full(b *Batch) bool {
	return a.docs.n+len(b.ops) > segment.MaxDocs || len(a.pages)+len(b.pages) > maxPages ||
		a.terms.page > 1<<15 || a.ids.page > 1<<15 || a.gone.page > 1<<15
}

// Empty reports whether nothing has been absorbed.
func (a *Accumulator) Empty() bool { return a.docs.n == 0 && a.deletes.n == 0 && len(a.sets) == 0 }

// Absorb adds the runs and documents of b.
func (a *Accumulator) Absorb(b *Batch) {
	base := uint32(a.docs.n)
	a.absorbOps(b)
	firstPage := uint32(len(a.pages))
	a.pages = append(a.pages, b.pages...)
	a.table.reserve(len(b.terms))
	for from := 0; from < len(b.terms); from += lookAhead {
		group := b.terms[from:min(from+lookAhead, len(b.terms))]
		a.touch(group)
		for i := range group {
			t := &group[i]
			ref, rec := a.record(b, t)
			pg, at := b.pages[t.last>>pageShift], (t.last&(1<<pageShift-1))*2
			putUint32(pg[at:], binary.LittleEndian.Uint32(rec[recLast:]))
			if n := uint32(pg[at+4]); n >= gapsApart {
				index := pg[at+runHeader+n-gapsApart:]
				putUint32(index, uint32At(index)+uint32(len(a.gaps)))
			}
			putUint32(pg[at+2:], base)
			binary.LittleEndian.PutUint32(rec[recLast:], t.last+firstPage<<pageShift)
			binary.LittleEndian.PutUint32(rec[recDF:], binary.LittleEndian.Uint32(rec[recDF:])+t.df)
			a.postings += uint64(t.df)
			t.doc = ref
		}
	}
	for _, g := range b.gaps {
		a.gaps = append(a.gaps, g)
		a.gapBytes += 4 * len(g)
	}
	a.absorbColumns(b, base)
	a.absorbVectors(b, base)
	a.tokens += b.tokens
	a.stored.take(b)
	b.pages = b.pages[:0]
}

// lookAhead is how many terms are looked up together.
const lookAhead = 16

// touch reads the slots and records in which the terms of group will probably be
// found. No read depends on another term's, so their cache misses overlap.
func (a *Accumulator) touch(group []localTerm) {
	var refs [lookAhead]uint32
	mask := a.table.mask()
	for i := range group {
		e := a.table.slot[group[i].hash&mask]
		refs[i] = uint32(e)
	}
	var sum byte
	for _, ref := range refs[:len(group)] {
		if ref != 0 {
			sum += a.terms.at(ref)[recLen]
		}
	}
	a.touched = sum
}

// record returns the record of term t of b and the reference of it, creating it if necessary.
func (a *Accumulator) record(b *Batch, t *localTerm) (uint32, []byte) {
	term := b.bytes[t.at : t.at+t.n&(1<<fieldShift-1)]
	more := 0 // bytes behind the term
	if !a.fields.text {
		more = 2
	}
	if len(a.columns) > 0 {
		more += ordinalBytes
	}
	mask := a.table.mask()
	at := t.hash & mask
	for ; a.table.slot[at] != 0; at = (at + 1) & mask {
		e := a.table.slot[at]
		if uint32(e>>32) != t.hash {
			continue
		}
		if rec := a.terms.at(uint32(e)); string(termOf(rec)) == string(term) && (more == 0 || fieldOf(rec) == t.n>>fieldShift) {
			return uint32(e), rec
		}
	}
	ref, rec := a.terms.alloc(recTerm + len(term) + more)
	clear(rec[:recLen])
	binary.LittleEndian.PutUint16(rec[recLen:], uint16(len(term)))
	copy(rec[recTerm:], term)
	if more > 0 {
		binary.LittleEndian.PutUint16(rec[recTerm+len(term):], uint16(t.n>>fieldShift))
	}
	a.table.slot[at] = uint64(t.hash)<<32 | uint64(ref)
	a.table.used++
	a.termRefs.append(ref)
	return ref, rec
}

func termOf(rec []byte) []byte {
	n := int(binary.LittleEndian.Uint16(rec[recLen:]))
	return rec[recTerm : recTerm+n]
}

// fieldOf returns the rank of a term's field.
func fieldOf(rec []byte) uint32 {
	n := int(binary.LittleEndian.Uint16(rec[recLen:]))
	return uint32(binary.LittleEndian.Uint16(rec[recTerm+n:]))
}

// absorbOps absorbs documents, deletions and changes of values. A document replaces an earlier one
// with the same id.
func (a *Accumulator) absorbOps(b *Batch) {
	a.idTable.reserve(len(b.ops))
	doc, bad := 0, b.Bad
	for i := range b.ops {
		if len(bad) > 0 && bad[0].op == i {
			bad = bad[1:]
			continue
		}
		id, hash := b.id(i), b.hashes[i]
		if b.ops[i].kind == opSet {
			a.setValues(b, i)
			continue
		}
		a.forgetSets(id)
		slot := a.findID(id, hash)
		old := int(uint32(*slot)) - 1
		if old >= 0 && !a.docs.at(old).isDead {
			a.docs.at(old).isDead = true
			a.dead++
		}
		if b.ops[i].kind == opDelete {
			a.deletes.append(deletion{appendID(&a.gone, id), hash})
			continue
		}
		if old < 0 {
			a.idTable.used++
		}
		*slot = uint64(hash)<<32 | uint64(a.docs.n+1)
		a.docs.append(docInfo{id: appendID(&a.ids, id), hash: hash})
		for _, n := range b.lens[doc*a.fields.lengths:][:a.fields.lengths] {
			a.lens.append(n)
		}
		doc++
	}
}

// findID returns the slot of id: that of the last document with that id, or an
// empty one.
func (a *Accumulator) findID(id []byte, hash uint32) *uint64 {
	mask := a.idTable.mask()
	at := hash & mask
	for ; a.idTable.slot[at] != 0; at = (at + 1) & mask {
		e := a.idTable.slot[at]
		if uint32(e>>32) == hash && string(a.id(int(uint32(e))-1)) == string(id) {
			break
		}
	}
	return &a.idTable.slot[at]
}

// id returns the id of a document.
func (a *Accumulator) id(doc int) []byte { return idAt(&a.ids, a.docs.at(doc).id) }

func appendID(arena *keyArena, id []byte) uint32 {
	ref, b := arena.alloc(2 + len(id))
	binary.LittleEndian.PutUint16(b, uint16(len(id)))
	copy(b[2:], id)
	return ref
}

func idAt(arena *keyArena, ref uint32) []byte {
	b := arena.at(ref)
	return b[2 : 2+int(binary.LittleEndian.Uint16(b))]
}

// Free empties a and frees its memory and what the pool has.
func (a *Accumulator) Free() {
	*a = *a.pool.NewAccumulator(a.fields)
	a.pool.Free()
}

// Reset empties a. It keeps its memory; that of the runs goes back to the pool. If a and the
// pool have needed little of it for some time, it frees all and returns true.
func (a *Accumulator) Reset() (freed bool) {
	n := a.contents()
	a.most = max(a.most, n)
	if a.few++; n >= a.most/fewShare {
		a.few = 0
	}
	if a.few == fewResets {
		a.Free()
		return true
	}
	a.pool.pages.put(a.pages)
	clear(a.pages)
	a.pages = a.pages[:0]
	a.terms.reset()
	a.ids.reset()
	a.gone.reset()
	a.table.reset(maxSlots)
	a.idTable.reset(maxSlots)
	a.termRefs.reset()
	a.docs.reset()
	a.lens.reset()
	a.deletes.reset()
	for i := range a.columns {
		a.columns[i].reset()
	}
	for i := range a.vectors {
		a.vectors[i].reset()
	}
	a.stored.reset()
	clear(a.gaps)
	a.gaps, a.gapBytes = a.gaps[:0], 0
	a.dead, a.postings, a.tokens = 0, 0, 0
	a.sets, a.setBytes = nil, 0
	return false
}

const maxSlots = 1 << 40
