package algorithm

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// walk goes through the postings of a list in a window, a block at a time.
type walk struct {
	*posting.List
	stop    *stop
	doc, hi uint32      // postings from doc up to hi are left
	pass    float32     // of blocks whose bounds are at most that, if it is not negative, only members count
	members *bitset.Set // nil if there are none
	docs    []uint32    // where it is: the next postings of the list
	only    bool        // of these, only members count
}

// onlyMembers is the pass of walks for nothing but members.
var onlyMembers = float32(math.Inf(1))

// walk returns a walk through l from document lo, or from what has been read of l before, up to hi.
func (r reading) walk(l *posting.List, lo, hi uint32, pass float32, members *bitset.Set) walk {
	return walk{List: l, stop: &r.stop, doc: max(lo, l.Doc(), l.From), hi: hi, pass: pass, members: members}
}

// passOf returns the pass of walks for what scores more than need, unless that is negative.
func passOf(need float64) float32 {
	if need < 0 {
		return -1
	}
	return float32Below(need)
}

// next goes to the next postings. It returns false if there are none, or if the query must end.
func (w *walk) next() bool {
	for w.doc < w.hi && !w.stop.Stopped() {
		if !w.step() {
			return false
		}
		if len(w.docs) > 0 {
			return true
		}
	}
	return false
}

// step is next within a block, which may have none. It returns false if no later block has any.
func (w *walk) step() bool {
	at, ok := w.enter()
	if !ok {
		w.docs = nil
		return true
	}
	return w.decode(at)
}

// enter returns where the block that has w.doc is to be read from, if it is. Otherwise it goes on behind the block, undecoded.
func (w *walk) enter() (at uint32, ok bool) {
	l, at := w.List, w.doc
	if w.only = w.pass >= 0; w.pass == onlyMembers {
		if at = w.members.Next(at); at >= w.hi {
			w.doc = w.hi
			return at, false
		}
	} else if w.only {
		last := l.Shallow(at)
		if w.only = last != posting.End && l.BlockBound() <= w.pass; w.only {
			if at = w.hi; w.members != nil {
				at = w.members.Next(w.doc)
			}
			if at > last || at >= w.hi {
				l.Skipped(last)
				w.doc = min(last+1, w.hi)
				return at, false
			}
		}
	}
	return at, true
}

// decode makes docs the postings from document at on of the block that has it. It returns false if there are none.
func (w *walk) decode(at uint32) bool {
	w.NextGEQ(at)
	if w.docs = w.Docs(); len(w.docs) == 0 {
		w.doc = posting.End // or damage
		return false
	}
	if w.doc = w.docs[len(w.docs)-1] + 1; w.doc > w.hi {
		w.doc, w.docs = w.hi, w.docs[:posting.LowerBound(w.docs, w.hi)]
	}
	return true
}

// row returns how many blocks may be decoded as a row, and the first of them: blocks that begin where w goes on, end before its end and
// have bounds above its pass. It returns none unless a block begins there. Decoding blocks as a row makes a disjunction 0 to 5 % faster.
func (w *walk) row() (block, n int) {
	l, doc := w.List, w.doc
	if doc <= l.Doc() || l.Small || w.pass == onlyMembers {
		return 0, 0 // or the cursor is in the block and has decoded it
	}
	last := l.List().Docs.Last[:l.Blocks()]
	b := l.Row
	if b < len(last) && last[b] < doc {
		if b++; b < len(last) && last[b] < doc {
			b += posting.LowerBound(last[b:], doc)
		}
		l.Row = b
	}
	if b == 0 || last[b-1]+1 != doc {
		return 0, 0
	}
	e := b
	for e < len(last) && last[e] < w.hi && (w.pass < 0 || l.In.Scorer.Bound(l.Weight, l.List().Quads[e]) > w.pass) {
		e++
	}
	return b, e - b
}

// reading is a Run that reads postings.
type reading struct{ *Run }

// what says what is read of postings beside docIDs.
type what uint8

const (
	docsOnly   what = iota
	withPlaces      // where they are in the list
	withScores      // the bounds of lists must have been summed
)

// read adds the postings of a walk, which has not begun, to s.
func (r reading) read(s *stretch, w walk, as what) {
	for w.doc < w.hi && !r.Stopped() {
		if b, n := w.row(); n > 0 {
			if !r.readRow(s, &w, b, n, as) {
				break
			}
			w.doc = s.docs[len(s.docs)-1] + 1
		} else if !w.step() || len(w.docs) > 0 && !r.readBlock(s, &w, as) {
			break
		}
	}
	w.From = max(w.From, w.doc)
}

// readRow adds the postings of n blocks, starting at block b, where w goes on, to s. It does not move the cursor. It returns false on
// damage.
func (r reading) readRow(s *stretch, w *walk, b, n int, as what) bool {
	l, from, room := w.List, len(s.docs), n*w.List.List().BlockLen
	s.docs = slices.Grow(s.docs, room)[:from+room]
	var freqs []uint32
	if as == withScores {
		r.freqs = slices.Grow(r.freqs[:0], room+bm25.Slack)[:room]
		freqs = r.freqs
	}
	docs, ok := r.decodeRow(l, s.docs[from:], freqs, b, n, w.doc)
	switch s.docs = s.docs[:from+docs]; as {
	case withPlaces:
		s.addPlaces(b * l.List().BlockLen)
	case withScores:
		if s.scores = extend(s.scores, docs); ok {
			r.scorePostings(l, s.scores[from:], s.docs[from:], freqs[:docs])
		}
	}
	return ok
}

// decodeRow decodes n blocks of l, starting at block b, none of whose documents is before least, and returns how many postings
// they have. Unless freqs is nil it decodes frequencies too. It does not move the cursor. It returns false on damage.
func (r reading) decodeRow(l *posting.List, docs, freqs []uint32, b, n int, least uint32) (postings int, ok bool) {
	list := l.List()
	postings, err := list.DecodeDocs(docs, b, n)
	if err == nil {
		err = checkRow(docs[:postings], list.Docs.Last[b:b+n], least, list.BlockLen, b, r.Part.Seg.Docs())
	}
	read := postings
	if err == nil && freqs != nil {
		read, err = list.DecodeFreqs(freqs, b, n)
	}
	if err == nil && read != postings {
		err = errShortFreqs
	}
	if err != nil {
		r.fail(format.Locate(format.Locate(err, r.Place(l)), format.Place{File: r.Part.Seg.Name(), Section: format.SectionPostings.String(), Block: b}))
		return 0, false
	}
	l.DecodedRow(b, n, freqs != nil)
	return postings, true
}

// readBlock adds the postings where w is to s. It returns false on damage.
func (r reading) readBlock(s *stretch, w *walk, as what) bool {
	l, n := w.List, len(s.docs)
	var found []uint16
	if w.only {
		found = w.members.Match(w.docs)
		l.Found += uint64(len(found))
		for _, f := range found {
			s.docs = append(s.docs, w.docs[f])
		}
	} else {
		s.docs = append(s.docs, w.docs...)
	}
	switch {
	case len(s.docs) == n || as == docsOnly:
		return true
	case as == withPlaces && w.only:
		for _, f := range found {
			s.places = append(s.places, uint64(l.Pos()+int(f)))
		}
		return true
	case as == withPlaces:
		s.addPlaces(l.Pos())
		return true
	case l.Small && !w.only:
		s.scores = extend(s.scores, len(w.docs))
		copy(s.scores[n:], l.Scores[l.Pos():])
		return true
	}
	freqs := l.Freqs()
	if len(freqs) < len(w.docs) {
		s.docs = s.docs[:n]
		return false
	}
	if freqs = freqs[:len(w.docs)]; w.only {
		r.freqs = r.freqs[:0]
		for _, f := range found {
			r.freqs = append(r.freqs, freqs[f])
		}
		freqs = r.freqs
	}
	s.scores = extend(s.scores, len(freqs))
	r.scorePostings(l, s.scores[n:], s.docs[n:], freqs)
	return true
}

// readMembers makes s the postings of l whose documents are members of the window.
func (r reading) readMembers(l *posting.List, s *stretch) {
	s.reset()
	r.read(s, r.walk(l, r.win.lo, r.win.hi, onlyMembers, &r.win.members), withScores)
}
