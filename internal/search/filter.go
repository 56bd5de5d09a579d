package search

import "github.com/pinion-index/pinion/query"

// onlyMatches reports whether n only matches: no part of it adds to a score.
func onlyMatches(n query.Node) bool {
	switch n := n.(type) {
	case query.In, query.Range, query.Exists, query.IDs, query.Docs, query.Not:
		return true
	case query.And:
		return allOf(n, onlyMatches)
	case query.Or:
		return allOf(n, onlyMatches)
	}
	return false
}

func allOf(nodes []query.Node, is func(query.Node) bool) bool {
	for _, n := range nodes {
		if !is(n) {
			return false
		}
	}
	return true
}
