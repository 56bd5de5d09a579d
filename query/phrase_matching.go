package query

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine/phrase"
)

// Matching finds the matches of a Phrase or Near in a text, given its terms and their positions. It is for one goroutine.
type Matching interface {
	// Places returns the words of each place, and what those of the last begin with in place of them, unless it is nil.
	Places() (words [][][]byte, prefix []byte)
	// Reset forgets the terms of a text.
	Reset()
	// Add adds a term of the text at a position, which is not less than those before.
	Add(term []byte, position uint32)
	// Find finds the matches, those that count for the score of a document with this text.
	Find()
	// Has reports whether a term at a position is part of a match that Find has found.
	Has(term []byte, position uint32) bool
}

// MatchingOf returns what finds the matches of a Phrase or Near in texts of a field with an analyzer, nil for keywords. Of
// other nodes, of those in error and of those without a word there it returns nil.
func MatchingOf(_ trusted.Caller, n Node, field string, a analysis.Analyzer) Matching {
	if x, ok := n.(matchable); ok {
		return x.matching(&fieldParser{name: field, analyzer: a})
	}
	return nil
}

// matchable is a Phrase or Near, as buildable is a node.
type matchable interface {
	matching(f *fieldParser) Matching
}

func (n Phrase) matching(f *fieldParser) Matching { return n.phrasing(nil).matching(f) }
func (n Near) matching(f *fieldParser) Matching   { return n.phrasing(nil).matching(f) }

// matching is a Matching.
type matching struct {
	places [][][]byte // the words of each place
	prefix []byte     // what the words of the last place begin with, unless it is nil
	shape  phrase.Shape

	counter phrase.Counter
	lists   [][]uint32 // positions of each place
	taken   []taken    // in order
}

// taken is a position of a place in a match.
type taken struct {
	position int64
	place    int
}

func (x *phrasing) matching(f *fieldParser) Matching {
	places, prefix, err := x.places(f)
	if err != nil || len(places) == 0 || x.slop < 0 || x.slop > MaxSlop {
		return nil
	}
	m := &matching{prefix: prefix, lists: make([][]uint32, len(places))}
	s := x.sequence(0, places)
	for i := range places {
		m.places = append(m.places, places[i].words)
	}
	if prefix != nil { // all words that begin with it are among those of the last place
		last := &s.places[len(places)-1]
		for i, w := range s.words {
			if bytes.HasPrefix(w, prefix) && !slices.Contains(*last, i) {
				*last = append(*last, i)
			}
		}
		slices.Sort(*last)
	}
	m.shape = phrase.NewShape(s.offsets, s.places, s.width, s.ordered)
	return m
}

func (m *matching) Places() (words [][][]byte, prefix []byte) { return m.places, m.prefix }

func (m *matching) Reset() {
	for i := range m.lists {
		m.lists[i] = m.lists[i][:0]
	}
	m.taken = m.taken[:0]
}

func (m *matching) Add(term []byte, position uint32) {
	for i := range m.places {
		if l := m.lists[i]; m.is(i, term) && (len(l) == 0 || l[len(l)-1] != position) {
			m.lists[i] = append(l, position)
		}
	}
}

// is reports whether a term is a word of a place.
func (m *matching) is(place int, term []byte) bool {
	if m.prefix != nil && place == len(m.places)-1 {
		return bytes.HasPrefix(term, m.prefix)
	}
	return slices.ContainsFunc(m.places[place], func(w []byte) bool { return bytes.Equal(w, term) })
}

func (m *matching) Find() {
	m.counter.Each(&m.shape, m.lists, func(positions []int64) {
		for i, p := range positions {
			m.taken = append(m.taken, taken{p, i})
		}
	})
	slices.SortFunc(m.taken, func(a, b taken) int { return cmp.Compare(a.position, b.position) })
}

func (m *matching) Has(term []byte, position uint32) bool {
	i, _ := slices.BinarySearchFunc(m.taken, int64(position), func(t taken, p int64) int { return cmp.Compare(t.position, p) })
	for ; i < len(m.taken) && m.taken[i].position == int64(position); i++ {
		if m.is(m.taken[i].place, term) {
			return true
		}
	}
	return false
}
