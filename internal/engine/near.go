package engine

import (
	"cmp"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/near"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// nearing is a search that finds, before anything else, the documents of each OpNear of its tree: the first round of a query, over all
// segments. The terms and the sets of documents of the tree must be resolved.
type nearing struct{ *execution }

// beside is what must match beside a node, and must not, whatever that node matches.
type beside struct{ must, not []algorithm.Expr }

// resolveNear finds the documents of each OpNear, and opens the vectors of each OpSimilar.
func (r nearing) resolveNear() error {
	if e := r.words.Tree; has(e, algorithm.OpNear) || has(e, algorithm.OpSimilar) {
		return r.findAll(e, beside{})
	}
	return nil
}

// findAll is resolveNear for those within e, given what is beside it.
func (r nearing) findAll(e *algorithm.Expr, b beside) error {
	switch {
	case e.Op == algorithm.OpNear:
		return r.find(e.Near, b.expr())
	case e.Op == algorithm.OpSimilar:
		return r.open(e.Near)
	}
	for i := range e.Kids {
		own := beside{slices.Clip(b.must), slices.Clip(b.not)}
		if e.Op == algorithm.OpBool {
			own.addOthers(e, i)
		}
		if err := r.findAll(&e.Kids[i], own); err != nil {
			return err
		}
	}
	return nil
}

// has reports whether e is one of op, or one is within.
func has(e *algorithm.Expr, op algorithm.Op) bool {
	if e.Op == op {
		return true
	}
	for i := range e.Kids {
		if has(&e.Kids[i], op) {
			return true
		}
	}
	return false
}

// addOthers adds what e, an OpBool, must match and must not beside its kid of a number; -1 is none.
func (b *beside) addOthers(e *algorithm.Expr, number int) {
	should, not, filter := e.Must, e.Must+e.Should, e.Must+e.Should+e.Not
	for i := range e.Kids {
		kid := &e.Kids[i]
		switch {
		case i == number || i >= should && i < not || kid.Alternatives:
		case i >= not && i < filter:
			b.not = append(b.not, *kid)
		default:
			b.add(kid)
		}
	}
}

// add adds what must match. Of what has an OpNear within, which restricts no other, that is what must match there beside it.
func (b *beside) add(e *algorithm.Expr) {
	switch {
	case !has(e, algorithm.OpNear):
		b.must = append(b.must, *e)
	case e.Op == algorithm.OpBool:
		b.addOthers(e, -1)
	case e.Op == algorithm.OpConst:
		b.add(&e.Kids[0])
	}
}

// expr returns b as a node, nil if it is nothing.
func (b *beside) expr() *algorithm.Expr {
	switch {
	case len(b.must)+len(b.not) == 0:
		return nil
	case len(b.must) == 0:
		b.must = append(b.must, algorithm.Expr{Op: algorithm.OpAll})
	}
	return &algorithm.Expr{Op: algorithm.OpBool, Kids: slices.Concat(b.must, b.not), Must: len(b.must), Not: len(b.not)}
}

// open opens the vectors of all segments.
func (r nearing) open(n *algorithm.Near) error {
	n.Parts = n.Parts[:0]
	for i := range r.parts() {
		p, err := n.In(r.parts()[i].Views())
		if err != nil {
			return err
		}
		n.Parts = append(n.Parts, p)
	}
	return nil
}

// find finds the documents nearest to n among those that match e, unless it is nil, and pass the filters of the query.
func (r nearing) find(n *algorithm.Near, e *algorithm.Expr) error {
	best := near.NewBest(&n.Query, int(min(uint64(n.K), max(r.s.docs, 1))))
	var bases []uint32
	for i := range r.parts() {
		seg := r.parts()[i].Seg
		bases = append(bases, seg.Base())
		p, err := n.In(r.parts()[i].Views())
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		if mask, some := r.mask(i, e); some {
			err = best.Scan(p, seg.Base(), mask, r.Stopped)
		}
		if r.Err != nil || err != nil {
			return cmp.Or(r.Err, err)
		}
	}
	n.Found = best.Found(bases)
	return nil
}

// mask returns which documents of a segment match e, unless it is nil, are not deleted and pass the filters, as bits; nil means all.
// some is false if there are none.
func (r nearing) mask(segment int, e *algorithm.Expr) (mask []uint64, some bool) {
	part := &r.parts()[segment]
	if e == nil {
		if part.Deletes == nil && (r.Sets == nil || r.Sets[segment] == nil) {
			return nil, true
		}
		e = &algorithm.Expr{Op: algorithm.OpAll}
	}
	m := counting(r).matchesOf(segment, &r.words, e, 0, posting.End)
	if m == nil {
		return nil, false
	}
	mask = make([]uint64, (part.Seg.Docs()+63)/64)
	for m.Next() {
		m.AddTo(mask)
		some = true
	}
	r.Settle()
	return mask, some
}
