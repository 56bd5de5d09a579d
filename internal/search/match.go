package search

import (
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query"
)

// match makes of a Match the words of its text, combined by its Mode.
func (b *builder) match(m *query.Match, around float64) (x part, ok bool, err error) {
	fields, boost, err := b.of(m, around)
	if err != nil {
		return x, false, err
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
		places, err := b.places(fields, boost, m.Text)
		if err != nil {
			return x, false, err
		}
		for _, p := range places {
			switch every := len(p.should) == len(fields); {
			case len(p.should) > 1 && every:
				x.must = append(x.must, p)
			default:
				x.should = append(x.should, p.should...)
			}
		}
		x.should = merge(x.should)
	}
	return x.simplified()
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
		words = append(words, b.word(engine.Word{Bytes: t, Field: field, Boost: boost}))
	}
	return words, nil
}
