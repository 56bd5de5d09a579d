package search

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/engine/phrase"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
)

// Matching finds the matches of a Phrase or Near in a text, given its terms and their positions. It is for one goroutine.
type Matching interface {
	// Places returns the words of each place, and what reports whether a term is one of the last place, instead of its
	// words, unless it is nil.
	Places() (words [][][]byte, last func(term []byte) bool)
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
func MatchingOf(n query.Node, field string, a analysis.Analyzer) Matching {
	if x := phrasingOf(n, nil); x != nil {
		return x.matching(&fields.Field{Name: field, Analyzer: a})
	}
	return nil
}

// WholeOf returns the term of a Phrase that is one word in a field with an analyzer that tells the parts of words from
// words: that of the whole, which need not have these parts. It is nil of others.
func WholeOf(n query.Node, a analysis.Analyzer) []byte {
	if x, ok := n.(query.Phrase); ok {
		w, _ := phrasingOf(x, nil).oneWord(&fields.Field{Analyzer: a})
		return w.Whole
	}
	return nil
}

// matching is a Matching.
type matching struct {
	places [][][]byte             // the words of each place
	at     map[string][]int       // the places of each word
	last   func(term []byte) bool // reports whether a term is one of the last place, unless it is nil
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

func (x *phrasing) matching(f *fields.Field) Matching {
	places, prefix, err := x.places(f)
	if err != nil || len(places) == 0 || x.slop < 0 || x.slop > query.MaxSlop {
		return nil
	}
	if len(places) > query.MaxPlaces {
		return nil
	}
	q := x.sequence(0, places)
	if prefix == nil {
		return newMatching(q, places)
	}
	accepts := accepting(f, begun{x, prefix})
	last := &q.places[len(places)-1]
	for i, w := range q.words { // all words that begin with it are among those of the last place
		if accepts(w) && !slices.Contains(*last, i) {
			*last = append(*last, i)
		}
	}
	slices.Sort(*last)
	m := newMatching(q, places)
	m.last = accepts
	return m
}

// MatchingOfWord returns what finds the parts of a typed word, of which it has several, one after the other.
func MatchingOfWord(w analysis.Word) Matching {
	places := placesOf(w.Parts)
	return newMatching((&phrasing{}).sequence(0, places), places)
}

func newMatching(s *sequence, places []phrasePlace) *matching {
	m := &matching{lists: make([][]uint32, len(places)), shape: phrase.NewShape(s.offsets, s.places, s.width, s.ordered)}
	m.at = make(map[string][]int, len(places))
	for i := range places {
		m.places = append(m.places, places[i].words)
		for _, w := range places[i].words {
			if l := m.at[string(w)]; len(l) == 0 || l[len(l)-1] != i {
				m.at[string(w)] = append(l, i)
			}
		}
	}
	return m
}

func (m *matching) Places() (words [][][]byte, last func(term []byte) bool) { return m.places, m.last }

func (m *matching) Reset() {
	for i := range m.lists {
		m.lists[i] = m.lists[i][:0]
	}
	m.taken = m.taken[:0]
}

func (m *matching) Add(term []byte, position uint32) {
	for _, i := range m.at[string(term)] {
		m.add(i, position)
	}
	if m.last != nil && m.last(term) {
		m.add(len(m.places)-1, position)
	}
}

// add adds a position of a place.
func (m *matching) add(place int, position uint32) {
	if l := m.lists[place]; len(l) == 0 || l[len(l)-1] != position {
		m.lists[place] = append(l, position)
	}
}

// is reports whether a term is a word of a place.
func (m *matching) is(place int, term []byte) bool {
	if m.last != nil && place == len(m.places)-1 {
		return m.last(term)
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
