package search

import (
	"errors"
	"math"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/near"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Near is what a query searches for that is one Nearest, under filters or not.
type Near struct {
	K       int              // of the Nearest
	Docs    *docset.Global   // as in terms.Query
	Columns *filter.Compiled // as in terms.Query
	query   near.Query
}

// Field returns the field that is compared, by its number in segments.
func (n *Near) Field() uint32 { return n.query.ID }

// Codes reports whether the field keeps codes alone.
func (n *Near) Codes() bool { return n.query.Values == schema.Int8 }

// Sums returns the vector as those with codes of c are compared with it.
func (n *Near) Sums(c *vector.Coder) vector.Sums {
	return vector.SumsOf(c, n.query.By, n.query.Vector)
}

// Vector returns the vector, which must not be modified.
func (n *Near) Vector() []float32 { return n.query.Vector }

// Score returns what a document scores, given how near its vector is.
func (n *Near) Score(score float32) float32 { return n.query.Score(score) }

// Hash returns a hash of the vector.
func (n *Near) Hash() (h uint64) {
	for _, x := range n.query.Vector {
		h = (h ^ uint64(math.Float32bits(x))) * 0x9e3779b97f4a7c15
	}
	return h ^ h>>32
}

// NearestAlone reports whether a node may be one Nearest that compares all vectors, under filters of columns or not: NearestOf says whether it is.
func NearestAlone(n query.Node) bool {
	switch n := n.(type) {
	case query.Nearest:
		return n.Probe == 0
	case query.Bool:
		if len(n.Must)+len(n.Should) != 1 || len(n.MustNot) > 0 || n.AtLeast > 1 || len(n.Should) == 1 && n.AtLeast == 0 && len(n.Filter) > 0 {
			return false
		}
		for _, f := range n.Filter {
			if !onlyMatches(f) {
				return false
			}
		}
		return len(n.Must) == 1 && NearestAlone(n.Must[0]) || len(n.Should) == 1 && NearestAlone(n.Should[0])
	case query.And:
		found := 0
		for _, kid := range n {
			switch {
			case onlyMatches(kid):
			case NearestAlone(kid):
				found++
			default:
				return false
			}
		}
		return found == 1
	}
	return false
}

// NearestOf returns what q searches for if that is one Nearest, under filters or not. It is nil if that is anything else. The error is one of
// Searcher.AppendHits.
func (p *Parser) NearestOf(q *Query) (*Near, error) {
	if !NearestAlone(q.Node) {
		return nil, nil
	}
	if err := q.checkNode(); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	var w engine.Words
	b := builder{p: p, w: &w}
	b.path = b.room[:0]
	x, some, err := b.build(q.Node, 1)
	if errors.Is(err, errTerms) || err == nil && !some {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if x = (emitting{&b}).unfiltered(x); x.op != algorithm.OpNear {
		return nil, nil
	}
	n := &Near{K: x.near.K, Docs: q.Filter, Columns: w.Columns, query: x.near.Query}
	switch {
	case w.Filter != nil && q.Filter != nil:
		n.Docs = docset.AndGlobal(q.Filter, w.Filter)
	case w.Filter != nil:
		n.Docs = w.Filter
	}
	return n, nil
}
