package search

import (
	"errors"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query"
)

// AppendDot sets to, whose memory it uses, to what q searches for if that is one Dot, under filters or not. ok is false
// if it is anything else. The error is one of Searcher.AppendHits.
func (p *Parser) AppendDot(to *terms.Dot, q *Query) (ok bool, err error) {
	if !onlyDot(q.Node) {
		return false, nil
	}
	if err := q.checkNode(); err != nil {
		return false, err
	}
	if err := p.check(); err != nil {
		return false, err
	}
	var w engine.Words
	b := builder{p: p, w: &w}
	b.path = b.room[:0]
	x, some, err := b.build(q.Node, 1)
	if errors.Is(err, errTerms) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	to.Terms, to.Weights, to.Docs, to.Columns = to.Terms[:0], to.Weights[:0], q.Filter, nil
	if !some {
		return true, nil
	}
	if x = (emitting{&b}).unfiltered(x); x.op != algorithm.OpBest || x.weights == nil {
		return false, nil
	}
	for i := range x.should {
		to.Terms = append(to.Terms, x.should[i].word.Bytes)
	}
	to.Weights, to.Field, to.Factor, to.Columns = append(to.Weights, x.weights...), x.should[0].word.Field, x.score, w.Columns
	switch {
	case w.Filter != nil && q.Filter != nil:
		to.Docs = docset.AndGlobal(q.Filter, w.Filter)
	case w.Filter != nil:
		to.Docs = w.Filter
	}
	return true, nil
}

// onlyDot reports whether a node is a Dot, or one under filters.
func onlyDot(n query.Node) bool {
	switch n := n.(type) {
	case query.Dot:
		return true
	case query.Bool:
		if len(n.Must)+len(n.Should) != 1 || len(n.MustNot) > 0 || n.AtLeast > 1 || len(n.Should) == 1 && n.AtLeast == 0 && len(n.Filter) > 0 {
			return false
		}
		return len(n.Must) == 1 && onlyDot(n.Must[0]) || len(n.Should) == 1 && onlyDot(n.Should[0])
	case query.And:
		dots := 0
		for _, kid := range n {
			switch {
			case onlyMatches(kid):
			case onlyDot(kid):
				dots++
			default:
				return false
			}
		}
		return dots == 1
	}
	return false
}
