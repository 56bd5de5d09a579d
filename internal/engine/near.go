package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/near"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/indexdir"
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
		r.approximate(e.Near)
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

// find finds the documents nearest to n, unless they are known, among those that match e, unless it is nil, and pass the filters of the query.
func (r nearing) find(n *algorithm.Near, e *algorithm.Expr) (err error) {
	if n.Known {
		err = r.possible(n)
	} else {
		n.Hits, err = r.scan(n, e)
	}
	if err != nil {
		return err
	}
	r.approximate(n)
	var bases []uint32
	for i := range r.parts() {
		bases = append(bases, r.parts()[i].Seg.Base())
	}
	n.Found = near.Split(&n.Query, n.Hits, bases)
	return nil
}

// approximate says that an answer is, if what n compares makes it so.
func (r nearing) approximate(n *algorithm.Near) {
	n.Approximate = n.Approximate || n.Rounded()
	if n.Approximate && r.q.Approximate != nil {
		*r.q.Approximate = true
	}
}

// possible returns an error if n cannot match its Hits.
func (r nearing) possible(n *algorithm.Near) error {
	end := uint32(0) // of docIDs
	if parts := r.parts(); len(parts) > 0 {
		last := parts[len(parts)-1].Seg
		end = last.Base() + last.Docs()
	}
	if len(n.Hits) > n.K {
		return fmt.Errorf("%w: %d neighbors of a Nearest with K %d", ErrInvalid, len(n.Hits), n.K)
	}
	for i, h := range n.Hits {
		if h.Doc >= end || i > 0 && h.Doc <= n.Hits[i-1].Doc || h.Near != h.Near {
			return fmt.Errorf("%w: neighbor %d is document %d, as near as %v, in an index of %d documents", ErrInvalid, i, h.Doc, h.Near, end)
		}
	}
	return nil
}

// scan is find where the documents are not known.
func (r nearing) scan(n *algorithm.Near, e *algorithm.Expr) ([]near.Hit, error) {
	if e == nil && !r.filtered() && !r.s.remote && n.Probe == 0 {
		v, err := r.s.vectors.of(vectorsOf{n.ID, r.scanning.piece}, func() (*near.Vectors, error) { return r.vectors(n, nil) })
		if err != nil {
			return nil, err
		}
		if hits, lost, err := r.work(v, n); !lost || err != nil {
			return hits, err
		}
	}
	v, err := r.vectors(n, e)
	if err != nil {
		return nil, err
	}
	hits, _, err := r.work(v, n)
	return hits, err
}

// filtered reports whether the query has a filter.
func (r nearing) filtered() bool {
	return slices.ContainsFunc(r.Sets, func(s *docset.Set) bool { return s != nil })
}

// vectors returns those of the documents that match e, unless it is nil, and pass the filters of the query.
func (r nearing) vectors(n *algorithm.Near, e *algorithm.Expr) (*near.Vectors, error) {
	v, q := near.NewVectors(r.scanning.piece), n.Query // a copy: what is shared keeps nothing else of n
	var all []near.Candidates
	for i := range r.parts() {
		p, err := q.In(r.parts()[i].Views())
		if err != nil {
			return nil, err
		}
		if p == nil {
			continue
		}
		if mask, some := r.mask(i, e); some {
			all = append(all, near.Candidates{Part: p, Base: r.parts()[i].Seg.Base(), Mask: mask})
		}
		if r.Err != nil {
			return nil, r.Err
		}
	}
	n.Approximate = v.Add(&q, n.Probe, n.K, all)
	return v, nil
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

// Nearest calls f with each OpNear in the tree of q when its Hits are found. Of q's other parts only what must match counts.
func (s *Searcher) Nearest(ctx context.Context, q *Query, f func(n *algorithm.Near)) (err error) {
	if err = s.hold(); err != nil {
		return err
	}
	defer s.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	r := s.execution()
	defer func() { r.giveBack() }()
	r.begin(ctx, s, q)
	if err := (resolving{r}).resolve(); err != nil || r.Tree == nil {
		return err
	}
	tell(r.words.Tree, f)
	return nil
}

// tell is Nearest for those within e.
func tell(e *algorithm.Expr, f func(n *algorithm.Near)) {
	if e.Op == algorithm.OpNear {
		f(e.Near)
	}
	for i := range e.Kids {
		tell(&e.Kids[i], f)
	}
}
