package search

import (
	"bytes"
	"unicode/utf8"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
)

// match makes of a Match the words of its text, combined by its Mode.
func (b *builder) match(m *query.Match, around float64) (x part, ok bool, err error) {
	fields, boost, err := b.of(m, around)
	switch {
	case err != nil:
		return x, false, err
	case m.Typos && m.Mode == query.ModeAndOr:
		return x, false, b.errorf("mode %v with Typos: ask for And, and if there are too few hits for Or", m.Mode)
	}
	x.op = algorithm.OpBool
	switch {
	case m.Mode == query.ModeOr || len(fields) == 1:
		var words []part
		for i, f := range fields {
			if words, err = b.text(words, f, boost.of(i), m); err != nil {
				return x, false, err
			}
		}
		words = merge(words)
		if x.should = words; m.Mode != query.ModeOr {
			x.must, x.should, x.andOr = words, nil, m.Mode == query.ModeAndOr && len(words) > 1
		}
	default:
		return b.everyWord(fields, boost, m)
	}
	return x.simplified()
}

// everyWord makes of a Match of several fields what has each word in one of them. A field without an analyzer has the whole text, or
// nothing: that is beside the words of the others.
func (b *builder) everyWord(fields []int, boost boosts, m *query.Match) (x part, ok bool, err error) {
	var texts []int
	var own boosts
	either := part{op: algorithm.OpBool, atLeast: 1}
	for i, f := range fields {
		if b.p.Fields[f].Analyzer != nil || b.p.Fields[f].Err != nil {
			texts, own.own = append(texts, f), append(own.own, boost.of(i))
		} else if either.should, err = b.text(either.should, f, boost.of(i), m); err != nil {
			return x, false, err
		}
	}
	places, err := b.places(texts, own, m)
	if err != nil {
		return x, false, err
	}
	x.op = algorithm.OpBool
	for _, p := range places {
		switch every := len(p.should) == len(texts); {
		case every && (len(p.should) > 1 || len(texts) == 1):
			x.must = append(x.must, p)
		default:
			x.should = append(x.should, p.should...)
		}
	}
	x.should = merge(x.should)
	if x, ok, err = x.simplified(); err != nil || len(either.should) == 0 {
		return x, ok, err
	}
	if ok {
		either.should = append(either.should, x)
	}
	return either.simplified()
}

// text appends the words of a Match in a field.
func (b *builder) text(words []part, field int, boost float64, m *query.Match) ([]part, error) {
	if b.p.Fields[field].Compound() != nil {
		for _, w := range b.p.Fields[field].CompoundWords(m.Text) {
			x, ok := b.typed(field, boost, w)
			switch its := disjunction(&x); {
			case ok && m.Mode == query.ModeOr && its != nil:
				words = append(words, its...)
			case ok:
				words = append(words, x)
			}
		}
		return words, nil
	}
	w, from := b.w, len(b.w.Terms)
	var err error
	if w.Terms, w.Bytes, err = b.p.Fields[field].AppendTerms(w.Terms, w.Bytes, m.Text); err != nil {
		return nil, b.at(err)
	}
	for _, t := range w.Terms[from:] {
		x, err := slips(b, m, b.word(engine.Word{Bytes: t, Field: field, Boost: boost}))
		if err != nil {
			return nil, err
		}
		words = append(words, x)
	}
	return words, nil
}

// Words of at least leastTypo characters may have a slip, unless more than fewDocs documents and one in rareOf have them. Those
// that are meant score slipBoost times what they would.
const (
	leastTypo = 5
	fewDocs   = 10
	rareOf    = 1000
	slipBoost = 0.001
)

// slips returns the word x of m, with Typos as the best of it and those with a slip.
func slips(b *builder, m *query.Match, x part) (part, error) {
	if n := utf8.RuneCount(x.word.Bytes); !m.Typos || x.op != algorithm.OpWord || n < leastTypo || n > automata.MaxFuzzy {
		return x, nil
	}
	common, err := isCommon(b, &x.word)
	if err != nil || common && b.given == nil {
		return x, err
	}
	n := slipsOf(x.word.Bytes)
	n.Field = b.p.Fields[x.word.Field].Name
	others, ok, err := b.expand(n, x.word.Boost)
	if err != nil || !ok || common || others.op == algorithm.OpNone || others.op == algorithm.OpWord && bytes.Equal(others.word.Bytes, x.word.Bytes) {
		return x, err
	}
	return part{op: algorithm.OpBest, should: []part{x, others}}, nil
}

// isCommon reports whether so many documents of the collection have a word that it is no slip. What is asked of a part is all that may
// be needed.
func isCommon(b *builder, w *engine.Word) (bool, error) {
	if b.found != nil || b.w.Snapshot == nil {
		return false, nil
	}
	name := b.p.Fields[w.Field].Name
	if b.given != nil {
		df, _ := frequencyOf(b.given, name, w.Bytes)
		return Common(df, b.p.docs), nil
	}
	f, ok := b.w.Snapshot.Field(name)
	if !ok {
		return false, b.w.Snapshot.Err()
	}
	df, entries, err := f.Lookup(w.Bytes, nil)
	if err != nil || !Common(df, b.p.docs) {
		return false, err
	}
	df = 0
	segments := b.w.Snapshot.Segments()
	for _, e := range entries {
		live, err := segments[e.Segment].LiveDF(e.Entry)
		if err != nil {
			return false, err
		}
		df += uint64(live)
	}
	return Common(df, b.p.docs), nil
}

// Common reports whether a word that df of docs documents have is taken as it is typed.
func Common(df, docs uint64) bool { return df > max(fewDocs, docs/rareOf) }

// slipsOf returns the node of the terms that a term with a slip may be.
func slipsOf(term []byte) fuzzy {
	return fuzzy{Text: string(term), Edits: 1, FixedPrefix: 1, Boost: slipBoost}
}

// AcceptsSlips returns what reports whether a word may be meant by a term of a Match with Typos, in a field with an analyzer, or nil if
// none may. It is for one goroutine.
func AcceptsSlips(term []byte, a analysis.Analyzer) func(term []byte) bool {
	if n := utf8.RuneCount(term); n < leastTypo || n > automata.MaxFuzzy {
		return nil
	}
	return accepting(&fields.Field{Analyzer: a}, slipsOf(term))
}
