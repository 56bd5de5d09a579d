package search

import (
	"math"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query"
)

// dot makes the words of a Dot alternatives, which the engine adds up instead of taking the best.
func (b *builder) dot(d *query.Dot, around float64) (x part, ok bool, err error) {
	field, err := b.p.Number(d.Field)
	if err != nil {
		return x, false, b.at(err)
	}
	if !b.p.Fields[field].Impacts {
		return x, false, b.errorf("a Dot in field %q, which is not of kind impacts", d.Field)
	}
	boost, err := b.boost(d.Boost, around)
	if err != nil {
		return x, false, err
	}
	if err := d.Check(); err != nil {
		return x, false, b.at(err)
	}
	terms := slices.Clone(d.Terms)
	sort.SliceStable(terms, func(i, j int) bool { return terms[i].Term < terms[j].Term })
	size := 0
	for i := range terms {
		size += len(terms[i].Term)
	}
	b.w.Bytes = slices.Grow(b.w.Bytes, size)
	x = part{op: algorithm.OpBest, tie: 1, score: float32(b.p.Fields[field].Step * boost)}
	for i, t := range terms {
		if i > 0 && t.Term == terms[i-1].Term {
			x.weights[len(x.weights)-1] += t.Weight
			continue
		}
		from := len(b.w.Bytes)
		b.w.Bytes = append(b.w.Bytes, t.Term...)
		x.should = append(x.should, word(engine.Word{Bytes: b.w.Bytes[from:len(b.w.Bytes):len(b.w.Bytes)], Field: field, Boost: 1}))
		x.weights = append(x.weights, t.Weight)
	}
	if math.IsInf(float64(x.score), 0) {
		return x, false, b.errorf("the scale of field %q times the boosts is above all scores", d.Field)
	}
	return x, len(x.should) > 0, nil
}
