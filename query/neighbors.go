package query

import (
	"cmp"
	"fmt"
	"slices"
)

// Neighbors are documents of a part of a collection that are nearest for one Nearest of a query. pinion.View.Neighbors returns those
// that are the nearest of a part, for each Nearest in an order that all parts have in common, and MergeNeighbors leaves to each part those
// that are the nearest of all.
type Neighbors struct {
	K    int        // of the Nearest
	Docs []Neighbor // K at most, by docID, ascending
	// Approximate says that Nearest.Probe left out vectors, of this part or, merged, of any.
	Approximate bool
}

// Neighbor is a document, and how near it is.
type Neighbor struct {
	Doc  uint32  // global docID in the part
	Near float32 // the cosine, the product, or the negated square of the distance; never NaN
}

// MergeNeighbors returns what the Nearest nodes of one query match in each part of a collection, given what is nearest in each. Parts are
// in the order of their documents; that of a part that is missing is nil. The error matches ErrInvalid if they are not of the same query, or
// are none that a part can have.
func MergeNeighbors(parts [][]Neighbors) ([][]Neighbors, error) {
	merged, nodes := make([][]Neighbors, len(parts)), -1
	for i, p := range parts {
		switch {
		case p == nil:
			continue
		case nodes >= 0 && len(p) != nodes:
			return nil, errOtherNeighbors
		}
		nodes = len(p)
		merged[i] = make([]Neighbors, nodes)
	}
	for n := range max(nodes, 0) {
		if err := mergeNode(merged, parts, n); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

// mergeNode is MergeNeighbors for the Nearest of a number.
func mergeNode(merged, parts [][]Neighbors, n int) error {
	type neighbor struct {
		Neighbor
		part int
	}
	var all []neighbor
	k, approximate := 0, false
	for i, p := range parts {
		if p == nil {
			continue
		}
		if err := p[n].check(); err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
		if k = cmp.Or(k, p[n].K); p[n].K != k {
			return errOtherNeighbors
		}
		approximate = approximate || p[n].Approximate
		for _, d := range p[n].Docs {
			all = append(all, neighbor{d, i})
		}
		merged[i][n].K = k
	}
	// The order of parts, then of documents, is kept among those that are equally near: the first ones match.
	slices.SortStableFunc(all, func(a, b neighbor) int { return cmp.Compare(b.Near, a.Near) })
	for _, d := range all[:min(k, len(all))] {
		own := &merged[d.part][n]
		own.Docs = append(own.Docs, d.Neighbor)
	}
	for i, p := range merged {
		if p != nil {
			merged[i][n].Approximate = approximate
			slices.SortFunc(merged[i][n].Docs, func(a, b Neighbor) int { return cmp.Compare(a.Doc, b.Doc) })
		}
	}
	return nil
}

// check returns an error matching ErrInvalid if no part can have n.
func (n *Neighbors) check() error {
	switch {
	case n.K < 1 || n.K > MaxNearest:
		return fmt.Errorf("%w: neighbors of a Nearest with K %d, not from 1 to %d", ErrInvalid, n.K, MaxNearest)
	case len(n.Docs) > n.K:
		return fmt.Errorf("%w: %d neighbors of a Nearest with K %d", ErrInvalid, len(n.Docs), n.K)
	}
	for i, d := range n.Docs {
		switch {
		case d.Near != d.Near:
			return fmt.Errorf("%w: document %d is as near as NaN", ErrInvalid, d.Doc)
		case i > 0 && d.Doc <= n.Docs[i-1].Doc:
			return fmt.Errorf("%w: neighbors out of order: document %d after %d", ErrInvalid, d.Doc, n.Docs[i-1].Doc)
		}
	}
	return nil
}

var errOtherNeighbors = fmt.Errorf("%w: neighbors of another query", ErrInvalid)
