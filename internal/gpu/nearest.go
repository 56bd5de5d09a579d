package gpu

import (
	"slices"

	"github.com/pinion-index/pinion/query"
)

// compares reports whether a node compares vectors, or one within.
func compares(n query.Node) bool {
	any := func(lists ...[]query.Node) bool {
		return slices.ContainsFunc(lists, func(all []query.Node) bool { return slices.ContainsFunc(all, compares) })
	}
	switch n := n.(type) {
	case query.Nearest, query.Similarity:
		return true
	case query.Bool:
		return any(n.Must, n.Should, n.MustNot, n.Filter)
	case query.And:
		return any(n)
	case query.Or:
		return any(n)
	case query.Best:
		return any(n.Of)
	case query.Const:
		return compares(n.Node)
	case query.Not:
		return compares(n.Node)
	}
	return false
}
