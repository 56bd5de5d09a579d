package search

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query"
)

// emitting is a builder that gives the engine what it has built.
type emitting struct{ *builder }

// unfiltered returns the root of a query, whose sets become the filter of the query: most such queries are flat
// otherwise.
func (b emitting) unfiltered(x part) part {
	if x.op != algorithm.OpBool || len(x.must) == 0 && x.atLeast == 0 {
		return x
	}
	x.filter = b.restrict(x.filter)
	x, _, _ = x.simplified()
	return x
}

// flatten adds a part to b.w as words with a mode, if it can be said so.
func (b emitting) flatten(x *part) bool {
	w := b.w
	parts, mode := []part{*x}, query.ModeOr
	if alternatives := disjunction(x); alternatives != nil {
		parts = alternatives
	} else if x.andOr {
		parts, mode = x.must, query.ModeAndOr
	} else if all := conjunction(x); all != nil {
		parts, mode = all, query.ModeAnd
	}
	for i := range parts {
		if parts[i].op == algorithm.OpNone && mode == query.ModeOr && len(parts) > 1 {
			continue
		}
		if parts[i].op != algorithm.OpWord {
			w.Words = w.Words[:0]
			return false
		}
		word := parts[i].word
		if b.blends > 0 { // equal words that are apart are ordered by their places, not by their blends
			word.Group = int32(i + 1)
		}
		w.Words = append(w.Words, word)
		for _, word.Boost = range parts[i].more {
			w.Words = append(w.Words, word)
		}
	}
	w.Mode = engine.Mode(mode)
	return true
}

// emit returns a part as the engine executes it, and adds its words.
func (b emitting) emit(x *part) (algorithm.Expr, error) {
	e := algorithm.Expr{Op: x.op, AtLeast: x.atLeast, Tie: x.tie, Score: x.score, Set: x.set, Columns: x.columns, Weights: x.weights,
		Near: x.near, Alternatives: x.alternatives, Must: len(x.must), Should: len(x.should), Not: len(x.not), Filter: len(x.filter)}
	if x.andOr {
		return e, fmt.Errorf("%w: mode %v within other nodes: its matches depend on K", query.ErrInvalid, query.ModeAndOr)
	}
	if x.op == algorithm.OpWord {
		w := x.word
		w.Boost = x.boosts()
		e.Word = b.add(w)
		return e, nil
	}
	if x.constant {
		e.Score = float32(x.boosts())
	}
	if x.op == algorithm.OpPhrase {
		if b.placed > query.MaxPlaces {
			return e, fmt.Errorf("%w: %s", query.ErrInvalid, tooManyPlaces)
		}
		e.Sequence = x.phrase.emit(b.builder)
		return e, nil
	}
	for _, parts := range [][]part{x.must, x.should, x.not, x.filter} {
		for i := range parts {
			kid, err := b.emit(&parts[i])
			if err != nil {
				return e, err
			}
			e.Kids = append(e.Kids, kid)
		}
	}
	return e, nil
}
