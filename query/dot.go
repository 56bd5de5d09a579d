package query

import (
	"bytes"
	"math"
	"slices"

	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
)

// Dot is matched by the documents that have one of the terms in a field of impacts. It scores the dot product of two
// sparse vectors: the sum, over the terms that a document has, of their weights in the document and in Terms, times the
// field's scale. The sum is exact and the score rounded once, so it does not depend on the order of the terms. It is one
// addend of a document's score, after all terms and before static scores and constants.
type Dot struct {
	Field string
	Terms []WeightedTerm // a term that comes twice has the sum of its weights
	Boost float64        // as in Term
}

// WeightedTerm is a term of a Dot.
type WeightedTerm struct {
	Term   []byte // as the dictionary of the field spells it
	Weight uint32 // at least 1
}

// MaxDot is what 255 times the sum of the weights of a Dot is at most: below 2^24, so that every sum is exact as a
// float32.
const MaxDot = 1<<24 - 1

func (Dot) node() {}

func (d Dot) clone() Node {
	d.Terms = slices.Clone(d.Terms)
	for i := range d.Terms {
		d.Terms[i].Term = bytes.Clone(d.Terms[i].Term)
	}
	return d
}

// build makes the words of a Dot alternatives, which the engine adds up instead of taking the best.
func (d Dot) build(b *builder, around float64) (x part, ok bool, err error) {
	field, err := b.p.number(d.Field)
	if err != nil {
		return x, false, b.at(err)
	}
	if !b.p.fields[field].impacts {
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
	slices.SortStableFunc(terms, func(a, b WeightedTerm) int { return bytes.Compare(a.Term, b.Term) })
	x = part{op: algorithm.OpBest, tie: 1, score: float32(b.p.fields[field].step * boost)}
	for i, t := range terms {
		if i > 0 && bytes.Equal(t.Term, terms[i-1].Term) {
			x.weights[len(x.weights)-1] += t.Weight
			continue
		}
		x.should = append(x.should, word(engine.Word{Bytes: t.Term, Field: field, Boost: 1}))
		x.weights = append(x.weights, t.Weight)
	}
	if math.IsInf(float64(x.score), 0) {
		return x, false, b.errorf("the scale of field %q times the boosts is above all scores", d.Field)
	}
	return x, len(x.should) > 0, nil
}
