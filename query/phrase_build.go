package query

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query/internal/engine/expand"
	"github.com/pinion-index/pinion/query/internal/engine/phrase"
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

func (n Phrase) phrasing(b *builder) *phrasing {
	return &phrasing{b: b, name: "phrase", field: n.Field, text: n.Text, terms: n.Terms, slop: n.Slop, boost: n.Boost, prefix: n.Prefix}
}

func (n Near) phrasing(b *builder) *phrasing {
	return &phrasing{b: b, name: "words near each other", field: n.Field, text: n.Text, terms: n.Terms, slop: n.Distance, boost: n.Boost, near: true, ordered: n.Ordered}
}

func (n Phrase) build(b *builder, around float64) (part, bool, error) {
	return n.phrasing(b).build(around)
}

func (n Near) build(b *builder, around float64) (part, bool, error) {
	return n.phrasing(b).build(around)
}

func (n Phrase) clone() Node {
	n.Terms = slices.Clone(n.Terms)
	return n
}

func (n Near) clone() Node {
	n.Terms = slices.Clone(n.Terms)
	return n
}

// build builds the node: of several fields a disjunction.
func (x *phrasing) build(around float64) (all part, ok bool, err error) {
	b := x.b
	switch {
	case x.text != "" && len(x.terms) > 0:
		return all, false, b.errorf("%s: Text and Terms", x)
	case x.slop < 0 || x.slop > MaxSlop:
		return all, false, b.errorf("%s: by %d places, not 0 to %d", x, x.slop, MaxSlop)
	}
	fields, err := b.searched(x.field)
	if err != nil {
		return all, false, err
	}
	own := x.boost
	if x.boost, err = b.boost(own, around); err != nil {
		_, err = b.boostOf(own, around, x.field, x.String())
		return all, false, err
	}
	all = part{op: algorithm.OpBool, atLeast: 1}
	for _, f := range fields {
		one, ok, err := x.in(f)
		if err != nil {
			return all, false, b.at(err)
		}
		if ok {
			all.should = append(all.should, one)
		}
	}
	return all.simplified()
}

// String returns how errors name the node.
func (x *phrasing) String() string {
	text := x.text
	if len(x.terms) > 0 {
		text = strings.Join(x.terms, " ")
	}
	return fmt.Sprintf("%s %.40q", x.name, text)
}

// in builds the node in a field. ok is false if nothing of it is a word there.
func (x *phrasing) in(field int) (one part, ok bool, err error) {
	f := x.b.p.fields[field]
	places, prefix, err := x.places(f)
	if err != nil || len(places) == 0 && prefix == nil {
		return one, false, err
	}
	if prefix != nil {
		last := &places[len(places)-1]
		most := MaxConstant
		if len(places) == 1 {
			most = MaxScored
		}
		if last.words, err = x.expand(field, prefix, most); err != nil {
			return one, false, err
		}
		if len(last.words) == 0 {
			x.b.others(field, places[:len(places)-1])
			return part{op: algorithm.OpNone}, true, nil
		}
	}
	if len(places) == 1 {
		return x.single(field, places[0].words), true, nil
	}
	if !f.positions {
		return one, false, fmt.Errorf("%w: %s: %s", ErrInvalid, x, x.b.p.unplaced([]int{field}))
	}
	return part{op: algorithm.OpPhrase, phrase: x.sequence(field, places)}, true, nil
}

// single returns the alternatives of a phrase of one place.
func (x *phrasing) single(field int, words [][]byte) part {
	if len(words) == 1 {
		return x.b.word(engine.Word{Bytes: words[0], Field: field, Boost: x.boost})
	}
	x.b.blends++
	one := part{op: algorithm.OpBool, atLeast: 1}
	for _, w := range words {
		one.should = append(one.should, x.b.word(engine.Word{Bytes: w, Field: field, Boost: x.boost, Blend: x.b.blends}))
	}
	return one
}

// places returns the places of the phrase in a field, and what the words of the last begin with, unless it is nil.
func (x *phrasing) places(f *fieldParser) (places []phrasePlace, prefix []byte, err error) {
	switch {
	case f.err != nil:
		return nil, nil, f.err
	case len(x.terms) > 0:
		for i, t := range x.terms {
			places = append(places, phrasePlace{i, [][]byte{[]byte(t)}})
		}
	case f.analyzer == nil:
		if x.text != "" {
			places = append(places, phrasePlace{0, [][]byte{[]byte(x.text)}})
		}
	case x.prefix:
		places = x.beginning(f)
	default:
		places = f.appendPlaces(nil, x.text)
	}
	if x.prefix && len(places) > 0 {
		prefix = places[len(places)-1].words[0]
	}
	return places, prefix, nil
}

// appendPlaces appends the places of a text that have words.
func (f *fieldParser) appendPlaces(places []phrasePlace, text string) []phrasePlace {
	t := f.tokenize(text)
	defer f.pool.Put(t)
	raw, _ := t.tokens.Raw()
	at, buf := 0, make([]byte, 0, len(raw))
	places = slices.Grow(places, t.tokens.Len())
	for token := range t.tokens.All() {
		if at += token.Increment; len(places) == 0 {
			at = 0
		}
		from := len(buf)
		buf = append(buf, token.Term...)
		w := buf[from:len(buf):len(buf)]
		if n := len(places); n == 0 || places[n-1].offset < at {
			places = append(places, phrasePlace{at, [][]byte{w}})
		} else if last := &places[n-1]; !slices.ContainsFunc(last.words, func(o []byte) bool { return string(o) == string(w) }) {
			last.words = append(last.words, w)
		}
	}
	return places
}

// beginning is appendPlaces for the text of a phrase whose last word stands for all that begin with it: it is folded as
// words are, but nothing else is done to it.
func (x *phrasing) beginning(f *fieldParser) []phrasePlace {
	text := strings.TrimRightFunc(x.text, unicode.IsSpace)
	start := strings.LastIndexFunc(text, unicode.IsSpace)
	if start >= 0 {
		_, n := utf8.DecodeRuneInString(text[start:])
		start += n
	}
	start = max(start, 0)
	t := f.tokenize(text)
	last, has := text[start:], false
	if n := t.tokens.Len(); n > 0 && t.tokens.At(n-1).Start >= start {
		last, has = text[t.tokens.At(n-1).Start:t.tokens.At(n-1).End], true
	}
	f.pool.Put(t)
	if !has { // it is left out as it is: something that is not stands at its place
		text = text[:start] + "0"
	}
	places := f.appendPlaces(nil, text)
	if before := f.appendPlaces(nil, text[:start]); !has && len(places) == len(before) {
		places = append(before, phrasePlace{})
		if n := len(before); n > 0 {
			places[n].offset = before[n-1].offset + 1
		}
	}
	if last = f.fold(last); last == "" {
		return nil
	}
	places[len(places)-1].words = [][]byte{[]byte(last)}
	return places
}

// begun are the terms that begin with a prefix, as an expansion.
type begun struct {
	x      *phrasing
	prefix []byte
}

func (g begun) expansion() (field string, boost float64, scored bool, label string) {
	return g.x.field, 1, true, fmt.Sprintf("%s: prefix %.40q", g.x, g.prefix)
}

func (g begun) selection(*fieldParser) (expand.Selection, error) {
	return expand.Selection{Prefix: g.prefix}, nil
}

// expand returns the terms of a field that begin with a prefix, if there are no more than most.
func (x *phrasing) expand(field int, prefix []byte, most int) (words [][]byte, err error) {
	n := begun{x, prefix}
	_, _, _, label := n.expansion()
	if x.b.w.Snapshot == nil {
		return nil, fmt.Errorf("%w: %s", errTerms, label)
	}
	e := &expanding{b: x.b, label: label, left: most}
	if _, err := e.begin(false); err != nil {
		return nil, err
	}
	terms, err := e.find(n, field, true)
	for i := range terms {
		words = append(words, terms[i].Bytes)
	}
	return words, err
}

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

// emit is builder.emit of the phrase. Places with the same words share what it adds of them; others do not, since each
// reads a list from its beginning to its end.
func (s *sequence) emit(b *builder) algorithm.Sequence {
	p := &algorithm.Phrase{Field: s.field, Boost: s.boost, Shape: phrase.NewShape(s.offsets, s.places, s.width, s.ordered)}
	for i, its := range s.places {
		var words []int
		if same := slices.IndexFunc(s.places[:i], func(o []int) bool { return slices.Equal(o, its) }); same >= 0 {
			words = p.Slots[same]
		} else {
			for _, w := range its {
				words = append(words, b.add(engine.Word{Bytes: s.words[w], Field: s.field, Boost: s.boost}))
			}
		}
		p.Slots = append(p.Slots, words)
	}
	return p
}

// unplaced says that fields have no positions.
func (p *Parser) unplaced(fields []int) string {
	if p.schema == nil {
		return "the index does not say where words stand"
	}
	if len(fields) == 1 {
		return fmt.Sprintf("the field %s is indexed without positions", p.names(fields))
	}
	return fmt.Sprintf("the fields %s are indexed without positions", p.names(fields))
}
