package order

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// document is a document with its place in a forward index.
type document struct {
	start uint64 // of its terms
	n     uint32 // how many it has
	id    uint32
}

// forward is the forward index of the terms considered: four bytes for each of
// their postings, and 16 for each document. Bisection rewrites it as it descends:
// documents move next to those of their part, each loses the terms that no longer
// matter, and the other terms get numbers local to the part.
type forward struct {
	docs  []document
	terms []uint32
	width uint32 // term numbers are below width
}

// of returns the terms of d.
func (f *forward) of(d *document) []uint32 { return f.terms[d.start : d.start+uint64(d.n)] }

// newForward reads the lists twice, to count and to fill. Terms are numbered by
// descending df, so that frequent ones share cache lines.
func newForward(ctx context.Context, docs uint32, lists Lists, minDF uint32) (*forward, error) {
	counts := make([]uint32, docs)
	var dfs []uint32 // of the lists considered
	err := walk(ctx, lists, minDF, func(list []uint32) error {
		prev := int64(-1)
		for _, d := range list {
			if int64(d) <= prev || d >= docs {
				return fmt.Errorf("order: %w: a list has docID %d after %d, of %d documents", ErrInvalid, d, prev, docs)
			}
			counts[d]++
			prev = int64(d)
		}
		if len(dfs) == math.MaxUint32 {
			return fmt.Errorf("order: more than %d lists", len(dfs))
		}
		dfs = append(dfs, uint32(len(list)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	f := &forward{docs: make([]document, docs), width: uint32(len(dfs))}
	total := uint64(0)
	for d, n := range counts {
		f.docs[d] = document{start: total, id: uint32(d)}
		total += uint64(n)
	}
	f.terms = make([]uint32, total)
	rank := ranks(dfs)
	i := 0
	another := func() error { return fmt.Errorf("order: %w: list %d is another at the second reading", ErrInvalid, i) }
	err = walk(ctx, lists, minDF, func(list []uint32) error {
		if i == len(rank) || len(list) != int(dfs[i]) {
			return another()
		}
		for _, id := range list {
			if id >= docs || f.docs[id].n == counts[id] {
				return another()
			}
			d := &f.docs[id]
			f.terms[d.start+uint64(d.n)] = rank[i]
			d.n++
		}
		i++
		return nil
	})
	if err == nil && i < len(rank) {
		err = another()
	}
	return f, err
}

// walk calls do with the lists considered.
func walk(ctx context.Context, lists Lists, minDF uint32, do func([]uint32) error) error {
	postings := 0
	for list, err := range lists {
		if err == nil && len(list) >= int(minDF) {
			err = do(list)
		}
		if postings += len(list); err == nil && postings >= 1<<20 {
			postings, err = 0, ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// ranks returns the position of each df in descending order.
func ranks(dfs []uint32) []uint32 {
	by := make([]uint32, len(dfs))
	for i := range by {
		by[i] = uint32(i)
	}
	slices.SortFunc(by, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(dfs[b], dfs[a]), cmp.Compare(a, b))
	})
	rank := make([]uint32, len(dfs))
	for i, list := range by {
		rank[list] = uint32(i)
	}
	return rank
}
