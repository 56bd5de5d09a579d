package search

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/expand"
	"github.com/pinion-index/pinion/query"
)

// expand builds a node that stands for terms: a disjunction of them, or a constant for their documents.
func (b *builder) expand(n expansion, around float64) (x part, ok bool, err error) {
	field, own, scored, label := n.expansion()
	fields, err := b.searched(field)
	if err != nil {
		return x, false, err
	}
	scored = scored && !b.quiet && !b.p.Fields[fields[0]].Impacts // as a Term there
	boost, err := b.boostOf(own, around, field, label)
	if err != nil {
		return x, false, err
	}
	if b.w.Snapshot == nil {
		return x, false, b.at(fmt.Errorf("%w: %s", errTerms, label))
	}
	e := &expanding{b: b, label: label}
	e.allow(query.MaxConstant)
	if scored {
		e.allow(query.MaxScored)
	}
	if err := e.begin(n, !scored); err != nil {
		return x, false, b.at(err)
	}
	if scored {
		in, err := e.words(n, fields)
		if err != nil {
			return x, false, b.at(err)
		}
		if in != nil {
			return e.scored(in, fields, boost)
		}
	}
	x, err = e.constant(n, fields, boost)
	return x, err == nil, b.at(err)
}

// constant returns a constant for the documents with one of the terms that n stands for.
func (e *expanding) constant(n expansion, fields []int, boost float64) (part, error) {
	docs, terms := expand.NewUnion(e.context(), e.b.w.Snapshot), 0
	for _, f := range fields {
		some, err := e.add(docs, n, f)
		if err != nil {
			return part{}, err
		}
		terms += some
	}
	if terms == 0 && (e.whole == nil || len(e.whole.Terms) == 0) {
		return part{op: algorithm.OpNone}, nil
	}
	set, err := docs.Docs()
	return part{op: algorithm.OpConst, score: float32(boost), must: []part{{op: algorithm.OpSet, set: set}}}, err
}

// add adds the documents with one of the terms that n stands for in a field, and returns how many terms these are.
func (e *expanding) add(docs *expand.Union, n expansion, field int) (terms int, err error) {
	if e.asked() == nil {
		f := e.b.p.Fields[field]
		of, err := e.selections(f, n)
		if err != nil {
			return 0, err
		}
		for i := range of {
			some, err := docs.AddTerms(f.Name, &of[i], e.left-terms)
			if err != nil {
				return 0, e.blame(f, err)
			}
			terms += some
		}
		if terms <= e.left {
			e.left -= terms
			return terms, nil
		} // deleted documents may be all that some of them have: find knows
	}
	found, err := e.find(n, field)
	for i := range found {
		if err = docs.Add(found[i].Entries); err != nil {
			break
		}
	}
	return len(found), err
}

// scored returns a disjunction of terms, which it has for each field.
func (e *expanding) scored(in [][][]byte, fields []int, boost float64) (part, bool, error) {
	b := e.b
	x := part{op: algorithm.OpBool, atLeast: 1}
	for i, terms := range in {
		if len(terms) == 0 {
			continue
		}
		if err := b.expanded(len(terms)); err != nil {
			return x, false, b.at(err)
		}
		b.blends++
		for j := range terms {
			x.should = append(x.should, word(engine.Word{Bytes: terms[j], Field: fields[i], Boost: boost, Blend: b.blends}))
		}
	}
	if len(x.should) == 0 {
		return part{op: algorithm.OpNone}, true, nil
	}
	return x.simplified()
}
