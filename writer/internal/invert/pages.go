package invert

import "sync"

// Runs are stored in pages of 16-bit words. A run is the postings of one term in one
// batch:
//
//	words 0, 1  reference of the term's run in an earlier batch, 0 if none
//	words 2, 3  docID in the segment of the batch's first document
//	word 4      number of words that follow
//	words 5...  postings: (docID in batch)<<3 | tf for tf 1 to 7; for a larger
//	            tf, (docID in batch)<<3 and then tf in two words, low word first
//	then        in fields with positions, the gaps of the postings' places; if word 4 has
//	            gapsApart, two words, the number of them in Accumulator.gaps
//
// A run does not cross pages and begins at an even word. A reference is the page's
// number in the accumulator << pageShift | word/2. Word 0 of a page is unused, so
// that no reference is 0.
const (
	pageWords = 1 << 15
	pageBytes = 2 * pageWords
	pageShift = 14
	slabPages = 4
	runHeader = 5
	maxPages  = 1 << (32 - pageShift)
	gapsApart = 1 << 15 // beside the number of words
)

// maxBatchDocs is what 13 bits of docID and one page can hold: a run of that many
// postings of three words each must fit.
const maxBatchDocs = 1 << 13

type page = []uint16

// pagePool keeps pages that are not in use. It allocates memory in slabs.
type pagePool struct {
	mu    sync.Mutex
	free  []page
	taken int // pages allocated so far, since the last drop
}

func (p *pagePool) get() page {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		slab := make([]uint16, max(1, min(p.taken, slabPages))*pageWords)
		for i := 0; i < len(slab); i += pageWords {
			p.free = append(p.free, slab[i:i+pageWords:i+pageWords])
		}
		p.taken += len(slab) / pageWords
	}
	last := len(p.free) - 1
	pg := p.free[last]
	p.free = p.free[:last]
	return pg
}

func (p *pagePool) put(pages []page) {
	p.mu.Lock()
	p.free = append(p.free, pages...)
	p.mu.Unlock()
}

func (p *pagePool) drop() {
	p.mu.Lock()
	p.free, p.taken = nil, 0
	p.mu.Unlock()
}

// uint32At reads two words.
func uint32At(w []uint16) uint32 { return uint32(w[0]) | uint32(w[1])<<16 }

// putUint32 writes two words.
func putUint32(w []uint16, v uint32) {
	w[0], w[1] = uint16(v), uint16(v>>16)
}
