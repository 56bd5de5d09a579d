package invert

import (
	"slices"

	"github.com/pinion-index/pinion/analysis"
)

// Inverter turns batches into runs, one at a time. Each worker has its own.
type Inverter struct {
	Piece int // for tests: bytes of a piece of a Large, if not 0

	pool   *Pool
	fields *fieldInverter

	scratch  []byte // for compressing text
	tokens   analysis.Tokens
	table    slots // hash -> index in batch.terms, plus one
	postings []posting
	docEnds  []uint32 // end of each document's postings
	sorted   []uint64 // by term, then document: document<<32 | tf
	places   places
	weights  []uint8 // of a value of impacts
}

type posting struct{ term, tf uint32 }

// NewInverter returns an Inverter for documents with values of f. All inverters of an Accumulator must have the same seed.
func (p *Pool) NewInverter(seed uint64, f *Fields) *Inverter {
	return &Inverter{pool: p, fields: f.inverter(seed)}
}

// Invert inverts the documents of b.
func (v *Inverter) Invert(b *Batch) {
	v.table.reset(maxInverterSlots)
	v.postings, v.docEnds = v.postings[:0], v.docEnds[:0]
	v.places.reset()
	for i := range b.ops {
		b.hashes = append(b.hashes, idHash(b.id(i)))
		if b.ops[i].kind != opAdd {
			continue
		}
		if v.values(b, i, uint32(len(v.docEnds))) {
			v.docEnds = append(v.docEnds, uint32(len(v.postings)))
		}
	}
	v.sort(b)
	v.write(b)
	if x := v.fields; x.stored {
		contents := x.records
		if x.text {
			contents = b.text
		}
		v.scratch = v.pool.texts.compress(b, contents, v.scratch)
		x.records = x.records[:0]
	}
	if b.Slots > 1 { // free what a huge document needed
		v.tokens, v.postings, v.sorted, v.places = analysis.Tokens{}, nil, nil, places{}
		v.fields.records = nil
	}
}

// maxInverterSlots bounds the hash table that an inverter keeps between batches.
const maxInverterSlots = 1 << 18

// tokenPiece is how many tokens count makes room for at a time, as if each were a
// new term.
const tokenPiece = 1 << 13

// termSpace tells the terms of a field from those of others.
type termSpace struct {
	seed  uint64 // of hashes
	field uint32 // its rank << fieldShift, which is added to the lengths of terms
	keep  bool   // the places of its terms
}

// fieldShift is the number of bits of the length of a term in localTerm.n. The field's rank is in
// those above.
const fieldShift = 16

// document counts tokens of one document, and returns how many: a term counts once at a place. at
// is the place of the last token before them, and then that of the last one.
func (v *Inverter) document(b *Batch, doc uint32, in termSpace, at *int64) (tokens uint32) {
	text, spans := v.tokens.Raw()
	x := &v.places
	x.on = in.keep || isStacked(&v.tokens)
	for text, i := text[:cap(text)], 0; i < len(spans); {
		n := min(tokenPiece, len(spans)-i)
		x.of = x.of[:0]
		v.count(b, doc, text, spans[i:i+n], in)
		tokens += uint32(n)
		if x.on {
			tokens -= v.place(i, in.keep, at)
		}
		i += n
	}
	return tokens
}

// count counts the tokens of one document, which are at spans in text. A term
// records the last document in which it occurred, and its posting there.
func (v *Inverter) count(b *Batch, doc uint32, text []byte, spans []analysis.Span, in termSpace) {
	v.table.reserve(len(spans))
	v.postings = slices.Grow(v.postings, len(spans))
	postings, mask, placing := v.postings, v.table.mask(), v.places.on
	for _, s := range spans {
		x := head(text, s.Start, s.End)
		h := hashTerm(in.seed, x, text, s.Start, s.End)
		at := h & mask
		var term uint32
		for {
			e := v.table.slot[at]
			if e == 0 {
				term = v.newTerm(b, x, h, at, text[s.Start:s.End], in.field)
				break
			}
			if uint32(e>>32) == h {
				term = uint32(e) - 1
				t := &b.terms[term]
				if n := s.End - s.Start; t.head == x && t.n == n|in.field &&
					(n <= 8 || string(b.bytes[t.at:t.at+n]) == string(text[s.Start:s.End])) {
					break
				}
			}
			at = (at + 1) & mask
		}
		t := &b.terms[term]
		if t.doc == doc+1 {
			postings[t.last].tf++
		} else {
			t.doc = doc + 1
			t.last = uint32(len(postings))
			t.df++
			postings = append(postings, posting{term, 1})
		}
		if placing {
			v.places.of = append(v.places.of, t.last)
		}
	}
	v.postings = postings
}

func (v *Inverter) newTerm(b *Batch, x uint64, h, at uint32, term []byte, field uint32) uint32 {
	n := uint32(len(b.terms))
	v.table.slot[at] = uint64(h)<<32 | uint64(n+1)
	v.table.used++
	b.terms = append(b.terms, localTerm{head: x, at: uint32(len(b.bytes)), n: uint32(len(term)) | field, hash: h})
	b.bytes = append(b.bytes, term...)
	return n
}

// sort orders postings by term and keeps the order of documents. It is a counting
// sort.
func (v *Inverter) sort(b *Batch) {
	end := uint32(0)
	for i := range b.terms {
		t := &b.terms[i]
		t.last = end
		end += t.df
	}
	v.sorted = slices.Grow(v.sorted[:0], int(end))[:end]
	placed := len(v.places.gaps) > 0
	from := uint32(0)
	for doc, to := range v.docEnds {
		for _, p := range v.postings[from:to] {
			t := &b.terms[p.term]
			v.sorted[t.last] = uint64(doc)<<32 | uint64(p.tf)
			if placed {
				v.places.rank = append(v.places.rank, t.last)
			}
			t.last++
		}
		from = to
	}
	if placed {
		v.sortPlaces(b)
	}
}

// write packs the sorted postings into runs and sets terms.last to their
// references.
func (v *Inverter) write(b *Batch) {
	var pg page
	used, from := pageWords, uint32(0)
	gaps := v.places.sorted
	for i := range b.terms {
		t := &b.terms[i]
		run := v.sorted[from : from+t.df]
		from += t.df
		var of []uint32
		if len(gaps) > 0 && v.fields.keepsPlaces(t.n>>fieldShift) {
			of, gaps = cutGaps(gaps, run)
		}
		words, apart := gapWords(of), false
		if words > maxGapWords {
			words, apart = 2, true
		}
		if used+runHeader+3*len(run)+words > pageWords {
			// The bound is loose for long runs: count before starting a new page.
			if used+runHeader+runWords(run)+words > pageWords {
				pg = v.pool.pages.get()
				b.pages = append(b.pages, pg)
				used = 2
			}
		}
		t.last = uint32(len(b.pages)-1)<<pageShift | uint32(used/2)
		n := packRun(pg[used+runHeader:], run)
		pg[used+4] = uint16(n)
		if used += runHeader + n; apart {
			pg[used-n-1] |= gapsApart
			putUint32(pg[used:], uint32(len(b.gaps)))
			b.gaps = append(b.gaps, slices.Clone(of))
		} else {
			packGaps(pg[used:], of)
		}
		used = (used + words + 1) &^ 1
	}
}

// runWords returns the number of words that the postings of run take.
func runWords(run []uint64) int {
	n := len(run)
	for _, p := range run {
		if tf := uint32(p); tf > 7 {
			if n++; tf > maxShortTF {
				n++
			}
		}
	}
	return n
}

// maxShortTF is the greatest frequency that takes one word beside that of the document. A greater one, below 2^31, takes
// two: the high bit of the first says so, and its others are the low ones.
const maxShortTF = 1<<15 - 1

// packRun stores the postings of a run, and returns the words that they take: one each, with the document and a frequency
// up to 7, or 0 there and words of the frequency behind it.
func packRun(dst []uint16, run []uint64) int {
	n := 0
	for _, p := range run {
		doc, tf := uint16(p>>32), uint32(p)
		switch {
		case tf <= 7:
			dst[n] = doc<<3 | uint16(tf)
			n++
		case tf <= maxShortTF:
			dst[n], dst[n+1] = doc<<3, uint16(tf)
			n += 2
		default:
			dst[n], dst[n+1], dst[n+2] = doc<<3, uint16(tf)|(maxShortTF+1), uint16(tf>>15)
			n += 3
		}
	}
	return n
}
