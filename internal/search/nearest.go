package search

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/near"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// nearest builds a Nearest.
func (b *builder) nearest(n *query.Nearest, around float64) (x part, ok bool, err error) {
	if n.K < 1 || n.K > query.MaxNearest {
		return x, false, b.errorf("K of a Nearest is %d, not from 1 to %d", n.K, query.MaxNearest)
	}
	if !(n.Probe >= 0 && n.Probe <= 1) {
		return x, false, b.errorf("Probe of a Nearest is %v, not from 0 to 1", n.Probe)
	}
	if i := slices.IndexFunc(b.path, func(s step) bool { return s.role == "MustNot" || s.role == "Not" }); i >= 0 {
		return x, false, b.errorf("a Nearest within %s: which documents are not the nearest depends on those that others leave out", b.path[i].role)
	}
	q, err := b.vector("Nearest", n.Field, n.Text, n.Vector, n.Boost, around)
	if err != nil {
		return x, false, err
	}
	own := &algorithm.Near{Query: q, K: n.K, Probe: n.Probe}
	if b.part != nil {
		err = b.at(b.part.neighbors(own))
	}
	return part{op: algorithm.OpNear, near: own}, true, err
}

// similarity builds a Similarity: a Bool that nothing matches, and that the one around takes apart.
func (b *builder) similarity(n *query.Similarity, around float64) (x part, ok bool, err error) {
	if len(b.path) > 0 {
		switch last := b.path[len(b.path)-1].role; {
		case b.quiet:
			return x, false, b.errorf("a Similarity where nothing scores")
		case last != "Must" && last != "Should" && last != "And" && last != "Or":
			return x, false, b.errorf("a Similarity in %s: it belongs to Must or Should of a Bool, an And or an Or", last)
		}
	}
	q, err := b.vector("Similarity", n.Field, n.Text, n.Vector, n.Boost, around)
	own := part{op: algorithm.OpSimilar, near: &algorithm.Near{Query: q}}
	return part{op: algorithm.OpBool, similar: []part{own}}, true, err
}

// vector returns what a node of that name compares with.
func (b *builder) vector(node, field, text string, v []float32, own, around float64) (q near.Query, err error) {
	f, err := compared(b.p.Schema, node, field, text, v)
	if err != nil {
		return q, b.at(err)
	}
	boost, err := b.boost(own, around)
	return near.QueryOf(f, v, float32(boost)), err
}

// compared returns the field of a node of that name, whose vector must fit.
func compared(s *schema.Schema, node, field, text string, v []float32) (*schema.Field, error) {
	f, ok := s.Field(field)
	switch {
	case !ok:
		return nil, fmt.Errorf("%w: a %s in field %q: there is no such field", query.ErrInvalid, node, field)
	case f.Kind != schema.Vector:
		return nil, fmt.Errorf("%w: a %s in field %q, which is of kind %v, not vector", query.ErrInvalid, node, field, f.Kind)
	case len(v) == 0 && text != "":
		return nil, unsupported("a %s in field %q by its text: here nothing embeds texts, as pinion.Options.Embed does for a pinion.Index; pass the vector", node, field)
	case len(v) == 0:
		return nil, fmt.Errorf("%w: a %s in field %q has neither Vector nor Text", query.ErrInvalid, node, field)
	}
	if err := f.CheckVector(v); err != nil {
		return nil, fmt.Errorf("%w: a %s: %w", query.ErrInvalid, node, err)
	}
	return f, nil
}

// separate takes from parts those that are nothing but Similarities, and returns these.
func separate(parts *[]part) (similar []part) {
	all := *parts
	kept := all[:0]
	for _, x := range all {
		if len(x.similar) > 0 {
			similar = append(similar, x.similar...)
		} else {
			kept = append(kept, x)
		}
	}
	*parts = kept
	return similar
}

// with returns x, a Bool, with Similarities beside what it matches: they are Should of it, and need not match. If it has nothing else,
// they are what the next Bool around has.
func (x *part) with(similar []part) part {
	switch {
	case len(x.must)+len(x.should)+len(x.not)+len(x.filter) == 0:
		return part{op: algorithm.OpBool, similar: similar}
	case x.atLeast > 0 || len(x.must)+len(x.filter) == 0:
		either := part{op: algorithm.OpBool, should: x.should, atLeast: max(x.atLeast, 1), alternatives: true}
		if len(either.should) < either.atLeast {
			return part{op: algorithm.OpNone}
		}
		x.must, x.should, x.atLeast = append(x.must, either), nil, 0
	}
	x.should = append(x.should, similar...)
	return *x
}
