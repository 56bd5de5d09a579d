package search

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/expand"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
)

// build builds the node: of several fields a disjunction.
func (x *phrasing) build(around float64) (all part, ok bool, err error) {
	b := x.b
	switch {
	case x.text != "" && len(x.terms) > 0:
		return all, false, b.errorf("%s: Text and Terms", x)
	case x.slop < 0 || x.slop > query.MaxSlop:
		return all, false, b.errorf("%s: by %d places, not 0 to %d", x, x.slop, query.MaxSlop)
	}
	if len(x.terms) > query.MaxPlaces {
		return all, false, b.errorf("%s: %s", x, tooManyPlaces)
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

// in builds the node in a field. ok is false if nothing of it is a word there.
func (x *phrasing) in(field int) (one part, ok bool, err error) {
	f := x.b.p.Fields[field]
	if err := x.b.ended(); err != nil {
		return one, false, err
	}
	if w, ok := x.oneWord(f); ok {
		one, ok = x.b.typed(field, x.boost, w)
		return one, ok, nil
	}
	places, prefix, err := x.places(f)
	if err != nil || len(places) == 0 && prefix == nil {
		return one, false, err
	}
	if len(places) > 1 {
		if x.b.placed += len(places); x.b.placed > query.MaxPlaces {
			return one, false, fmt.Errorf("%w: %s: %s", query.ErrInvalid, x, tooManyPlaces)
		}
	}
	if prefix != nil && len(places) == 1 {
		return x.begins(field, prefix)
	}
	if prefix != nil {
		last := &places[len(places)-1]
		if last.words, err = x.expand(field, prefix); err != nil {
			return one, false, err
		}
		if err := x.b.expanded(len(last.words)); err != nil {
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
	if !f.Positions {
		return one, false, fmt.Errorf("%w: %s: %s", query.ErrInvalid, x, x.b.p.Unplaced([]int{field}))
	}
	return part{op: algorithm.OpPhrase, phrase: x.sequence(field, places)}, true, nil
}

// begins returns a phrase of one place, whose word stands for those that begin with a prefix.
func (x *phrasing) begins(field int, prefix []byte) (one part, ok bool, err error) {
	n := begun{x, prefix}
	most, scored := query.MaxScored, !x.b.quiet && !x.b.p.Fields[field].Impacts
	if !scored {
		most = query.MaxConstant
	}
	e, err := x.expanding(n, most, !scored)
	if err != nil {
		return one, false, err
	}
	var words [][][]byte
	if scored {
		words, err = e.words(n, []int{field})
	}
	switch {
	case err != nil:
		return one, false, err
	case words == nil:
		one, err = e.constant(n, []int{field}, x.boost)
		return one, err == nil, err
	case len(words[0]) == 0:
		return part{op: algorithm.OpNone}, true, nil
	}
	if err := x.b.expanded(len(words[0])); err != nil {
		return one, false, err
	}
	return x.single(field, words[0]), true, nil
}

// expanding begins to find the terms of n, of which most are possible, for a constant or each.
func (x *phrasing) expanding(n expansion, most int, constant bool) (*expanding, error) {
	_, _, _, label := n.expansion()
	if x.b.w.Snapshot == nil {
		return nil, fmt.Errorf("%w: %s", errTerms, label)
	}
	e := &expanding{b: x.b, label: label}
	e.allow(most)
	return e, e.begin(n, constant)
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
func (x *phrasing) places(f *fields.Field) (places []phrasePlace, prefix []byte, err error) {
	switch {
	case f.Err != nil:
		return nil, nil, f.Err
	case len(x.terms) > 0:
		for i, t := range x.terms {
			places = append(places, phrasePlace{i, [][]byte{[]byte(t)}})
		}
	case f.Analyzer == nil:
		if x.text != "" {
			places = append(places, phrasePlace{0, [][]byte{[]byte(x.text)}})
		}
	case x.prefix:
		places = x.beginning(f)
	default:
		places = appendPlaces(f, nil, x.text)
	}
	if x.prefix && len(places) > 0 {
		prefix = places[len(places)-1].words[0]
	}
	return places, prefix, nil
}

// appendPlaces appends the places of a text that have words.
func appendPlaces(f *fields.Field, places []phrasePlace, text string) []phrasePlace {
	if f.Compound() != nil {
		return append(places, compoundPlaces(f, text)...)
	}
	t := f.Tokens(text)
	defer f.Release(t)
	raw, _ := t.Raw()
	at, buf := 0, make([]byte, 0, len(raw))
	places = slices.Grow(places, t.Len())
	for token := range t.All() {
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
func (x *phrasing) beginning(f *fields.Field) []phrasePlace {
	text := strings.TrimRightFunc(x.text, unicode.IsSpace)
	start := strings.LastIndexFunc(text, unicode.IsSpace)
	if start >= 0 {
		_, n := utf8.DecodeRuneInString(text[start:])
		start += n
	}
	start = max(start, 0)
	t := f.Tokens(text)
	last, has := text[start:], false
	if n := t.Len(); n > 0 && t.At(n-1).Start >= start {
		last, has = text[t.At(n-1).Start:t.At(n-1).End], true
	}
	f.Release(t)
	if !has { // it is left out as it is: something that is not stands at its place
		text = text[:start] + "0"
	}
	places := appendPlaces(f, nil, text)
	if before := appendPlaces(f, nil, text[:start]); !has && len(places) == len(before) {
		places = append(before, phrasePlace{})
		if n := len(before); n > 0 {
			places[n].offset = before[n-1].offset + 1
		}
	}
	if last = f.Fold(last); last == "" {
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

func (g begun) raw() bool { return false }

func (g begun) selection(_ *fields.Field, mark string) (expand.Selection, error) {
	return expand.Selection{Prefix: append([]byte(mark), g.prefix...)}, nil
}

// expand returns the terms of a field that begin with a prefix, if there are no more than MaxConstant.
func (x *phrasing) expand(field int, prefix []byte) (words [][]byte, err error) {
	n := begun{x, prefix}
	e, err := x.expanding(n, query.MaxConstant, false)
	if err != nil {
		return nil, err
	}
	if e.whole != nil {
		return termsIn(e.whole, x.b.p.Fields[field].Name), nil
	}
	terms, err := e.find(n, field)
	for i := range terms {
		words = append(words, terms[i].Bytes)
	}
	return words, err
}

// others notes the words of a phrase that no document of the index can match.
func (b *builder) others(field int, places []phrasePlace) {
	if b.found == nil {
		return
	}
	for _, p := range places {
		for _, w := range p.words {
			b.w.Others = append(b.w.Others, engine.Word{Bytes: w, Field: field})
		}
	}
}
