package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/near"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/query"
)

// CloneFrequencies returns a copy of f that shares no memory with it; nil of nil.
func CloneFrequencies(f *query.Frequencies) *query.Frequencies {
	if f == nil {
		return nil
	}
	own := &query.Frequencies{Terms: slices.Clone(f.Terms), Expansions: slices.Clone(f.Expansions)}
	for i := range own.Expansions {
		own.Expansions[i].Terms = slices.Clone(own.Expansions[i].Terms)
	}
	return own
}

// given are the Frequencies and the Neighbors that a query brings, as the engine sees them.
type given struct {
	all   *query.Frequencies
	near  []query.Neighbors // of each Nearest
	taken int               // of near
	asked bool              // near is what is asked for: once the query is parsed, it has all that there are, without documents
	p     *Parser           // of the index, once the query is parsed
}

// begin is called before a query is parsed, for the index of p.
func (g *given) begin(p *Parser) {
	g.p = p
	g.restart()
}

// restart is begin where the query is built once more.
func (g *given) restart() {
	if g.taken = 0; g.asked {
		g.near = nil
	}
}

// neighbors numbers n, the next Nearest, and sets what it matches if that is given.
func (g *given) neighbors(n *algorithm.Near) error {
	if n.Number = g.taken; g.asked {
		g.near = append(g.near, query.Neighbors{K: n.K})
	}
	if g.taken++; g.taken > len(g.near) || g.near[n.Number].K != n.K {
		return errOtherNeighbors
	}
	n.Known, n.Approximate = !g.asked, g.near[n.Number].Approximate
	for _, d := range g.near[n.Number].Docs {
		n.Hits = append(n.Hits, near.Hit(d))
	}
	return nil
}

// end is called once the query is parsed.
func (g *given) end() error {
	if g.taken != len(g.near) {
		return errOtherNeighbors
	}
	return nil
}

var errOtherNeighbors = fmt.Errorf("%w: neighbors of another query than this one, or none", query.ErrInvalid)

// DF makes given an engine.Frequencies.
func (g *given) DF(field int, term []byte, live, docs uint64) (uint64, error) {
	return DF(g.all, g.p.Fields[field].Name, term, live, docs)
}

// DF returns the document frequency of a term of a field in the collection, which has docs documents with the field. The
// term is in live documents of the part that is searched. The error matches ErrInvalid if f does not have the term, or
// the part cannot be one of the collection.
func DF(f *query.Frequencies, field string, term []byte, live, docs uint64) (uint64, error) {
	df, ok := frequencyOf(f, field, term)
	if !ok {
		return 0, fmt.Errorf("%w: Frequencies do not have the term %.40q of the field %q", query.ErrInvalid, term, field)
	}
	if df < live || df > docs {
		return 0, fmt.Errorf("%w: the term %.40q is in %d documents of the index, which cannot be in %d of %d of the collection", query.ErrInvalid, (&posting.Field{Name: field}).Label(term), live, df, docs)
	}
	return df, nil
}

// frequencyOf returns the document frequency that f has of a term of a field.
func frequencyOf(f *query.Frequencies, field string, term []byte) (df uint64, ok bool) {
	i, ok := slices.BinarySearchFunc(f.Terms, query.TermFrequency{Field: field, Term: string(term)}, func(a, b query.TermFrequency) int { return compareFrequencies(&a, &b) })
	if ok {
		df = f.Terms[i].DF
	}
	return df, ok
}

// Neighbors returns the documents of what s searches, a part of a collection, that are nearest for each Nearest of q, which brings the
// Frequencies of the collection. There are K at most for each, under its filters. The errors are those of AppendHits.
func (s *Searcher) Neighbors(ctx context.Context, q Query) ([]query.Neighbors, error) {
	q.Neighbors = nil
	ctx, err := begin(ctx, &q)
	if err != nil {
		return nil, err
	}
	if q.Frequencies == nil {
		return nil, engine.ErrFrequencies
	}
	x, g := q.engine(), &given{all: q.Frequencies, asked: true}
	x.K, x.Columns, x.Params, x.Frequencies = 0, nil, engine.Params{}, g // nothing is scored
	err = s.engine.Nearest(ctx, &x, func(n *algorithm.Near) {
		own := make([]query.Neighbor, len(n.Hits))
		for i, h := range n.Hits {
			own[i] = query.Neighbor(h)
		}
		g.near[n.Number].Docs, g.near[n.Number].Approximate = own, n.Approximate
	})
	if err != nil {
		return nil, err
	}
	return g.near, nil
}

var errOtherQuery = fmt.Errorf("%w: frequencies of another query", query.ErrInvalid)

// finding is a query whose Frequencies are asked.
type finding struct{ all *query.Frequencies }

// DF makes finding an engine.Frequencies. Nothing is scored.
func (*finding) DF(int, []byte, uint64, uint64) (uint64, error) { return 0, errOtherQuery }

func compareFrequencies(a, b *query.TermFrequency) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Term, b.Term))
}
