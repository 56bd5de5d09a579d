package search

import (
	"bytes"
	"fmt"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/fields"
)

// typed returns what a typed word stands for in a field: its whole, or all of its parts, one after the other if the index
// says where terms are. ok is false if that is nothing.
func (b *builder) typed(field int, boost float64, w analysis.Word) (x part, ok bool) {
	as := func(term []byte) part { return word(engine.Word{Bytes: term, Field: field, Boost: boost}) }
	x = part{op: algorithm.OpBool, atLeast: 1}
	if w.Whole != nil {
		x.should = append(x.should, as(w.Whole))
	}
	switch {
	case len(w.Parts) == 1:
		for _, t := range spellings(w.Parts[0]) {
			if !bytes.Equal(t, w.Whole) {
				x.should = append(x.should, as(t))
			}
		}
	case len(w.Parts) > 1 && b.p.Fields[field].Positions:
		p := phrasing{b: b, boost: boost}
		b.placed += len(w.Parts) // which emit looks at
		x.should = append(x.should, part{op: algorithm.OpPhrase, phrase: p.sequence(field, placesOf(w.Parts))})
	case len(w.Parts) > 1:
		all := part{op: algorithm.OpBool}
		for _, p := range w.Parts {
			either := part{op: algorithm.OpBool, atLeast: 1}
			for _, t := range spellings(p) {
				either.should = append(either.should, as(t))
			}
			one, _, _ := either.simplified()
			all.must = append(all.must, one)
		}
		x.should = append(x.should, all)
	}
	x, ok, _ = x.simplified()
	return x, ok
}

// spellings returns the terms of a part of a word.
func spellings(p analysis.Part) [][]byte {
	if p.Whole == nil {
		return [][]byte{p.Term}
	}
	return [][]byte{p.Term, p.Whole}
}

// placesOf returns the places of parts in a phrase.
func placesOf(parts []analysis.Part) (places []phrasePlace) {
	for _, p := range parts {
		places = append(places, phrasePlace{p.At - parts[0].At, spellings(p)})
	}
	return places
}

// compoundPlaces returns the places of a text as a phrase: the parts of its words.
func compoundPlaces(f *fields.Field, text string) []phrasePlace {
	var parts []analysis.Part
	for _, w := range f.CompoundWords(text) {
		parts = append(parts, w.Parts...)
	}
	return placesOf(parts)
}

// oneWord returns the only word of a phrase, if it is typed in a field with a compound analyzer: it is that of a Match.
func (x *phrasing) oneWord(f *fields.Field) (w analysis.Word, ok bool) {
	if f.Compound() == nil || x.near || x.prefix || x.slop > 0 || len(x.terms) > 0 {
		return w, false
	}
	words := f.CompoundWords(x.text)
	if len(words) != 1 {
		return w, false
	}
	return words[0], true
}

// key returns what is equal for words that stand for the same.
func key(w analysis.Word) string {
	s := fmt.Sprintf("%q", w.Whole)
	for _, p := range w.Parts {
		s += fmt.Sprintf(" %q/%q", p.Term, p.Whole)
	}
	return s
}
