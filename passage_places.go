package pinion

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/reader"
)

// The index says how often, and in fields with positions where, each word of a query is in a document. So its words in a long text are
// found without analyzing all of it: only what may be one of them is analyzed, and once the number of each word is that
// of the index, no other can be there. The k-th occurrence of a word in the text stands at its k-th position in the
// index, so that phrases are matched before any text is looked at.

// longText is the length in bytes of texts from which on the index is asked: it takes about as long as analyzing this. Tests lower it.
var longText = 4 << 10

// piece is about how many bytes are analyzed at once, if there is white space to end them at, and mostPiece how many at most.
const (
	piece     = 16 << 10
	mostPiece = 256 << 10
)

// counted is a term of the query in one document, as the index has it.
type counted struct {
	cursor    *reader.Cursor // in the segment of the document, or nil
	want      int            // how many positions of the document have it
	positions []uint32       // of a phrased term
	found     int
	last      int // the position of the last that was found, in the piece that it was found in; -1 if in none
}

// counts reports whether the index can tell the words of the query in a text of a field.
func (w *words) counts(field int, text []byte) bool {
	f, d := &w.fields[field], &w.of.all[field]
	return len(text) >= longText && len(f.terms) > 0 && !f.patterns && d.HasLengths() && analysis.Divides(w.of.analyzers[field]) &&
		(len(f.phrases) == 0 || d.Positions)
}

// findCounted is find, in the whole of the only text that a document has in a field, if w.counts. ok is false if the text
// does not have what the index says.
func (w *words) findCounted(field int, d *document, text []byte) (marks []mark, ok bool, err error) {
	f := &w.fields[field]
	seg, local, found := d.snapshot.Locate(d.doc)
	if !found {
		return nil, false, nil
	}
	if err := f.count(w.of.all[field].Name, seg, local); err != nil {
		return nil, false, err
	}
	mark := ""
	if c, ok := w.of.analyzers[field].(analysis.Compound); ok {
		mark = c.Mark()
	}
	for _, at := range []*starts{f.starts(mark), nil} { // few words do not begin as their terms do
		w.marks = w.marks[:0]
		if w.scan(d.ctx, field, text, at) {
			return w.inOrder(), true, nil
		}
		if err := d.ctx.Err(); err != nil {
			return nil, false, err
		}
	}
	return nil, false, nil
}

// count makes f.counted that of a document, and finds the phrases in it.
func (f *fieldWords) count(name string, seg *reader.Segment, doc uint32) error {
	if f.in != seg {
		f.close()
		in, ok := seg.Field(name)
		f.in, f.counted = seg, slices.Grow(f.counted[:0], len(f.terms))[:len(f.terms)]
		for i := range f.counted {
			f.counted[i].cursor = nil
			if ok {
				var err error
				if f.counted[i].cursor, err = in.Cursor(f.terms[i].bytes); err != nil {
					return err
				}
			}
		}
	}
	for i := range f.counted {
		c := &f.counted[i]
		if c.want, c.positions = 0, c.positions[:0]; c.cursor == nil {
			continue
		}
		if c.cursor.NextGEQ(doc) == doc {
			c.want = int(c.cursor.Freq())
		}
		if err := c.cursor.Err(); err != nil {
			return err
		}
		if c.want > 0 && len(f.phrases) > 0 {
			var err error
			if c.positions, err = c.cursor.AppendPositions(c.positions); err != nil {
				return err
			}
		}
	}
	f.matchPhrases()
	return nil
}

// close gives back what the fields of a page have opened.
func (w *words) close() {
	for i := range w.fields {
		w.fields[i].close()
	}
}

// close gives back what count has opened.
func (f *fieldWords) close() {
	for i := range f.counted {
		if c := f.counted[i].cursor; c != nil {
			c.Close()
		}
		f.counted[i].cursor = nil
	}
	f.in = nil
}

// matchPhrases finds the phrases by the positions of their words.
func (f *fieldWords) matchPhrases() {
	if len(f.phrases) == 0 {
		return
	}
	f.spots = f.spots[:0]
	for i := range f.counted {
		for _, p := range f.counted[i].positions {
			f.spots = append(f.spots, spot{p, i})
		}
	}
	slices.SortFunc(f.spots, func(a, b spot) int { return cmp.Compare(a.position, b.position) })
	for _, m := range f.phrases {
		m.Reset()
		for _, x := range f.spots {
			m.Add(f.terms[x.term].bytes, x.position)
		}
		m.Find()
	}
}

// spot is a position of a term.
type spot struct {
	position uint32
	term     int
}

// starts says where in a text one of the words may begin: at their first two bytes, in either case, and at what is not
// ASCII.
type starts struct {
	first, second [256]uint8 // by byte: bits of the words that have it there
}

// always is the bit of starts behind which any byte may stand.
const always = 1 << 7

// starts returns those of the terms, of which some begin with a mark that is not in the text.
func (f *fieldWords) starts(mark string) *starts {
	if f.started {
		return f.begins
	}
	if f.begins == nil {
		f.begins = new(starts)
	}
	s := f.begins
	for b := range 256 {
		s.first[b], s.second[b] = uint8(b)&always, always
	}
	for i := range f.terms {
		t, bit := bytes.TrimPrefix(f.terms[i].bytes, []byte(mark)), uint8(1)<<(i%7)
		if len(t) == 1 {
			bit = always
		} else {
			s.second[t[1]] |= bit
			s.second[upper(t[1])] |= bit
		}
		s.first[t[0]] |= bit
		s.first[upper(t[0])] |= bit
	}
	f.started = true
	return s
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }
func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// upper returns the upper case of an ASCII letter.
func upper(b byte) byte {
	if isLower(b) {
		return b - 'a' + 'A'
	}
	return b
}

// next returns the first place of text from i on at which one of the words may begin, or len(text).
func (s *starts) next(text []byte, i int) int {
	if i >= len(text) {
		return len(text)
	}
	m := s.first[text[i]]
	for j, b := range text[i+1:] {
		if m&s.second[b] != 0 && begins(text, i+j) {
			return i + j
		}
		m = s.first[b]
	}
	if m&always != 0 {
		return len(text) - 1
	}
	return len(text)
}

// begins reports whether a word may begin at text[i], and not go on: identifiers have capitals within.
func begins(text []byte, i int) bool {
	switch b := text[i]; {
	case i == 0:
		return true
	case isLower(b):
		return !isLower(text[i-1])
	case isDigit(b):
		return !isDigit(text[i-1])
	}
	return true
}

// scan appends the marks of a text whose words f.counted has, and reports whether it found as many as there should be. It
// analyzes what stands between white space if it has one of at, or all if that is nil. It gives up where white space is
// too far apart, and when ctx ends.
func (w *words) scan(ctx context.Context, field int, text []byte, at *starts) bool {
	f := &w.fields[field]
	left := 0
	for i := range f.counted {
		f.counted[i].found = 0
		left += f.counted[i].want
	}
	for i := 0; i < len(text) && left > 0; {
		if ctx.Err() != nil {
			return false
		}
		from, to := i, 0
		if at != nil {
			if from = at.next(text, i); from == len(text) {
				break
			}
			from = divideBefore(text, i, from)
		}
		for to = divideAfter(text, from); to < len(text) && to-from < piece; {
			next := divideAfter(text, to)
			if at != nil && at.next(text[:next], to) == next {
				break
			}
			to = next
		}
		if to-from > mostPiece {
			return false
		}
		n := w.take(field, text, from, to)
		if n < 0 {
			return false
		}
		left -= n
		i = to
	}
	return left == 0
}

// divideBefore returns the last place from least to i at which text may be divided; least is one.
func divideBefore(text []byte, least, i int) int {
	for ; i > least; i-- {
		if divides(text, i) {
			break
		}
	}
	return i
}

// divideAfter returns the first place behind i at which text may be divided.
func divideAfter(text []byte, i int) int {
	for i++; i < len(text); i++ {
		if divides(text, i) {
			return i
		}
	}
	return len(text)
}

// divides reports whether text may be divided before text[i] (analysis.Divides).
func divides(text []byte, i int) bool {
	switch text[i-1] {
	case ' ', '\t', '\n', '\r', '\v', '\f':
		return text[i] > ' ' && text[i] < 0x80
	}
	return false
}

// take appends the marks of text[from:to]. It returns how many of the terms that are left it has found, or -1 if it found more.
func (w *words) take(field int, text []byte, from, to int) (n int) {
	f := &w.fields[field]
	tokens := f.tokenize(w.of.analyzers[field], text[from:to], &f.first)
	all, spans := tokens.Raw()
	for i := range f.counted {
		f.counted[i].last = -1
	}
	at := -1
	for i, s := range spans {
		t := tokens.At(i)
		at = max(at+t.Increment, 0)
		if !f.may(all[s.Start:s.End]) {
			continue
		}
		k := f.lookup(all[s.Start:s.End])
		if k < 0 {
			continue
		}
		c := &f.counted[k]
		if c.last != at { // a term counts once at a position
			if c.found == c.want {
				return -1
			}
			c.last = at
			c.found++
			n++
		}
		if f.terms[k].phrased && !f.phrasedAt(k, c.positions[c.found-1]) {
			continue
		}
		if t.Start < t.End {
			w.marks = append(w.marks, mark{from + t.Start, from + t.End, k})
		}
	}
	return n
}

// phrasedAt reports whether a term is part of a phrase at a position.
func (f *fieldWords) phrasedAt(term int, position uint32) bool {
	for _, m := range f.phrases {
		if m.Has(f.terms[term].bytes, position) {
			return true
		}
	}
	return false
}
