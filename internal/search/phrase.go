package search

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/phrase"
	"github.com/pinion-index/pinion/query"
)

// phrasing builds a Phrase or Near.
type phrasing struct {
	b     *builder
	name  string // of the kind of node
	field string
	text  string
	terms []string
	slop  int // or Distance
	boost float64

	near, ordered, prefix bool
}

// phrasePlace is a place of a phrase in a field: its words are alternatives.
type phrasePlace struct {
	offset int // from the first place
	words  [][]byte
}

// phrasingOf returns what builds a Phrase or Near, or nil of other nodes.
func phrasingOf(n query.Node, b *builder) *phrasing {
	switch n := n.(type) {
	case query.Phrase:
		return &phrasing{b: b, name: "phrase", field: n.Field, text: n.Text, terms: n.Terms, slop: n.Slop, boost: n.Boost, prefix: n.Prefix}
	case query.Near:
		return &phrasing{b: b, name: "words near each other", field: n.Field, text: n.Text, terms: n.Terms, slop: n.Distance, boost: n.Boost, near: true, ordered: n.Ordered}
	}
	return nil
}

// String returns how errors name the node.
func (x *phrasing) String() string {
	text := x.text
	if len(x.terms) > 0 {
		text = strings.Join(x.terms, " ")
	}
	return fmt.Sprintf("%s %.40q", x.name, text)
}

var tooManyPlaces = fmt.Sprintf("the phrases of a query have at most %d places together", query.MaxPlaces)

// sequence is a phrase of several places.
type sequence struct {
	field   int
	boost   float64
	words   [][]byte // distinct
	places  [][]int  // of each place: its words, by their numbers
	offsets []uint32
	width   int64
	ordered bool
}

// sequence returns a phrase of several places.
func (x *phrasing) sequence(field int, places []phrasePlace) *sequence {
	s := &sequence{field: field, boost: x.boost, width: int64(x.slop), ordered: x.ordered}
	numbers := numbered{}
	for i, p := range places {
		its := make([]int, 0, len(p.words))
		for _, w := range p.words {
			its = append(its, numbers.of(w))
		}
		slices.Sort(its)
		offset := p.offset
		switch {
		case x.near && x.ordered && x.slop == 0:
			offset = i // it is a phrase
		case x.near:
			offset = 0
		}
		s.places, s.offsets = append(s.places, its), append(s.offsets, uint32(offset))
	}
	if x.near && x.ordered && x.slop == 0 {
		s.ordered = false
	} else if x.near {
		s.width += int64(len(places) - 1)
	}
	s.words = numbers.words
	return s
}

// emit is builder.emit of the phrase. Places with the same words share what it adds of them; others do not, since each
// reads a list from its beginning to its end.
func (s *sequence) emit(b *builder) algorithm.Sequence {
	p := &algorithm.Phrase{Field: s.field, Boost: s.boost, Shape: phrase.NewShape(s.offsets, s.places, s.width, s.ordered)}
	like := map[string]int{}
	var key []byte
	for i, its := range s.places {
		key = key[:0]
		for _, w := range its {
			key = binary.AppendUvarint(key, uint64(w))
		}
		if same, ok := like[string(key)]; ok {
			p.Like, p.Slots = append(p.Like, same), append(p.Slots, p.Slots[same])
			continue
		}
		like[string(key)] = i
		var words []int
		for _, w := range its {
			words = append(words, b.add(engine.Word{Bytes: s.words[w], Field: s.field, Boost: s.boost}))
		}
		p.Like, p.Slots = append(p.Like, i), append(p.Slots, words)
	}
	return p
}

// numbered are distinct words, which have numbers.
type numbered struct {
	words [][]byte
	at    map[string]int // of many
}

// of returns the number of a word.
func (x *numbered) of(w []byte) int {
	if n := len(x.words); n < 16 {
		if i := slices.IndexFunc(x.words, func(o []byte) bool { return string(o) == string(w) }); i >= 0 {
			return i
		}
		x.words = append(x.words, w)
		return n
	}
	if x.at == nil {
		x.at = map[string]int{}
		for i, o := range x.words {
			x.at[string(o)] = i
		}
	}
	i, ok := x.at[string(w)]
	if !ok {
		i = len(x.words)
		x.at[string(w)], x.words = i, append(x.words, w)
	}
	return i
}
