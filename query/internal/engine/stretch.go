package engine

import (
	"slices"

	"github.com/pinion-index/pinion/format"
)

// stretch is the postings of a list in a window.
type stretch struct {
	docs   []uint32
	scores []float32
	at     int // first posting in the sub-window
	end    int // first posting after it
}

func (s *stretch) reset() { s.docs, s.scores, s.at = s.docs[:0], s.scores[:0], 0 }

// read makes s the postings of l, an essential list, in the window: all postings of members, and
// the others unless the bound of their block is at most pass.
func (r *run) read(l *list, s *stretch, pass float32) {
	s.reset()
	hi, set := r.win.hi, &r.win.members
	doc := max(l.Doc(), l.from)
	for doc < hi && !r.stopped() {
		if b, n := r.row(l, doc, hi, pass); n > 1 {
			if !r.readRow(l, s, b, n, doc) {
				return
			}
			doc = s.docs[len(s.docs)-1] + 1
			continue
		}
		last := l.Shallow(doc)
		if last == end {
			doc = end
			break
		}
		if pass >= 0 && l.blockBound(r.s.scorer) <= pass {
			if m := set.next(doc); m > last {
				l.skipped(last)
			} else if !r.readFound(l, s, m) {
				return
			}
			doc = min(last+1, hi)
			continue
		}
		l.NextGEQ(doc)
		docs := l.Docs()
		if last >= hi {
			docs = docs[:lowerBound(docs, hi)]
		}
		if len(docs) > 0 && !r.readAll(l, s, docs) {
			return
		}
		doc = min(last+1, hi)
	}
	l.from = doc
}

// row returns how many blocks read may decode as a row, starting at doc, and the first of them:
// blocks that end before hi and have bounds above pass. It returns none unless a block begins at
// doc. Decoding blocks as a row makes a disjunction 0 to 5 % faster.
func (r *run) row(l *list, doc, hi uint32, pass float32) (block, n int) {
	if l.small || doc <= l.Doc() {
		return 0, 0 // the cursor is in the block and has decoded it
	}
	last := l.List().Docs.Last[:l.blocks()]
	b := l.row
	if b < len(last) && last[b] < doc {
		if b++; b < len(last) && last[b] < doc {
			b += lowerBound(last[b:], doc)
		}
		l.row = b
	}
	if b == 0 || last[b-1]+1 != doc {
		return 0, 0
	}
	e := b
	for e < len(last) && last[e] < hi && (pass < 0 || r.s.scorer.Bound(l.weight, l.List().Quads[e]) > pass) {
		e++
	}
	return b, e - b
}

var errRow = format.Corrupt("block does not hold the docIDs of the skip header")

// readRow adds the postings of n blocks of l, starting at block b, which is not the first, to s. None
// of them is before doc. It does not move the cursor. It returns false on damage.
func (r *run) readRow(l *list, s *stretch, b, n int, doc uint32) bool {
	from, room := len(s.docs), n*l.List().BlockLen
	s.docs = slices.Grow(s.docs, room)[:from+room]
	r.freqs = slices.Grow(r.freqs[:0], room+vectorSlack)[:room]
	docs, err := l.List().DecodeDocs(s.docs[from:], b, n)
	if err == nil {
		err = checkRow(s.docs[from:][:docs], l.List().Docs.Last[b:b+n], doc, l.List().BlockLen, b, r.part.seg.Docs())
	}
	freqs := docs
	if err == nil {
		freqs, err = l.List().DecodeFreqs(r.freqs, b, n)
	}
	if err == nil && freqs != docs {
		err = errShortFreqs
	}
	if err != nil {
		s.docs = s.docs[:from]
		r.fail(format.Locate(format.Locate(err, r.place(l)), format.Place{File: r.part.seg.Name(), Section: format.SectionPostings.String(), Block: b}))
		return false
	}
	s.docs, s.scores = s.docs[:from+docs], extend(s.scores, docs)
	r.scorePostings(l, s.scores[from:], s.docs[from:], r.freqs[:docs])
	l.decoded(b, n)
	return true
}

// checkRow checks what a Cursor checks of a block, for a row of blocks of size docIDs that starts
// at block b and document least. last holds their last docIDs. The segment has limit documents. It
// reads last once, since the file may change.
func checkRow(docs, last []uint32, least uint32, size, b int, limit uint32) error {
	for i, to := range last {
		block := docs[min(i*size, len(docs)):min((i+1)*size, len(docs))]
		if len(block) == 0 || block[0] < least || block[len(block)-1] != to || to >= limit {
			return format.Locate(errRow, format.Place{Block: b + i})
		}
		least = to + 1
	}
	return nil
}

// readAll adds the next postings of l, whose docIDs are docs, to s. It returns false on damage.
func (r *run) readAll(l *list, s *stretch, docs []uint32) bool {
	n := len(s.docs)
	s.docs = append(s.docs, docs...)
	s.scores = extend(s.scores, len(docs))
	dst := s.scores[n:]
	if l.small {
		copy(dst, l.scores[l.Pos():])
		return true
	}
	freqs := l.Freqs()
	if len(freqs) < len(docs) {
		s.docs, s.scores = s.docs[:n], s.scores[:n]
		return false
	}
	r.scorePostings(l, dst, docs, freqs[:len(docs)])
	return true
}

// readFound adds the postings of l whose documents are members to s, from member doc to the end of
// the block that contains it. It returns false at the end of the list.
func (r *run) readFound(l *list, s *stretch, doc uint32) bool {
	l.NextGEQ(doc)
	docs := l.Docs()
	if len(docs) == 0 {
		return false
	}
	found := r.win.members.match(docs)
	if len(found) == 0 {
		return true
	}
	freqs := l.Freqs()
	if len(freqs) < len(docs) {
		return false // damage
	}
	l.Found += uint64(len(found))
	n := len(s.docs)
	r.freqs = r.freqs[:0]
	for _, f := range found {
		s.docs = append(s.docs, docs[f])
		r.freqs = append(r.freqs, freqs[f])
	}
	s.scores = extend(s.scores, len(found))
	r.scorePostings(l, s.scores[n:], s.docs[n:], r.freqs)
	return true
}

// readMembers makes s the postings of l whose documents are members.
func (r *run) readMembers(l *list, s *stretch) {
	s.reset()
	set := &r.win.members
	for doc := set.next(r.win.lo); doc != end && !r.stopped() && r.readFound(l, s, doc); {
		docs := l.Docs() // the last is not before doc
		doc = set.next(docs[len(docs)-1] + 1)
	}
}

// extend returns v with n more elements, followed by vectorSlack elements of capacity.
func extend(v []float32, n int) []float32 {
	if cap(v) < len(v)+n+vectorSlack {
		v = append(make([]float32, 0, 2*(len(v)+n+vectorSlack)), v...)
	}
	return v[:len(v)+n]
}
