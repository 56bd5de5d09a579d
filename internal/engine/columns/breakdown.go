package columns

import (
	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/segment"
)

// breakdown is what a Counter has for a Facet with Measures or Facets, or of all documents.
type breakdown struct {
	facet  *Facet
	budget *budget.Budget
	held   int
	more   int  // bytes beside those of parts
	apart  bool // segments have levels of their own: each numbers keywords in its own way
	parts  []*ownLevel
	now    *ownLevel
	at     place
	docs   uint32 // of the current segment
	in     batch
}

// ownLevel is the level of a segment, or of all.
type ownLevel struct {
	level
	segment int
	of      []Column
}

// Deep reports whether f asks for more than counts.
func (f *Facet) Deep() bool { return f.All || len(f.Measures)+len(f.Facets) > 0 }

// byKeyword reports whether something in f is counted by keyword.
func (f *Facet) byKeyword() bool {
	for i := range f.Measures {
		if f.Measures[i].Keyword && f.Measures[i].Distinct {
			return true
		}
	}
	for i := range f.Facets {
		if f.Facets[i].byKeyword() {
			return true
		}
	}
	return f.keywords()
}

func newBreakdown(f *Facet, b *budget.Budget) *breakdown {
	own := *f // levels outlive the Counter that began them
	return &breakdown{facet: &own, budget: b, apart: f.byKeyword()}
}

// begin makes a segment the current one.
func (x *breakdown) begin(segment int, of []Column, docs uint32) error {
	for len(x.at.views) < len(of) {
		x.at.views = append(x.at.views, view{})
	}
	for i, c := range of {
		x.at.views[i].set(c)
	}
	x.docs = docs
	if x.apart || len(x.parts) == 0 {
		x.now = &ownLevel{level: newLevel(x.facet, true), segment: segment, of: append([]Column(nil), of...)}
		x.parts = append(x.parts, x.now)
	}
	x.now.begin(of)
	return x.hold()
}

// hold holds what x takes by now.
func (x *breakdown) hold() error {
	n := x.more - x.held
	for _, l := range x.parts {
		n += l.size()
	}
	x.held += n
	return x.budget.Hold(n)
}

// add counts documents of a block.
func (x *breakdown) add(p *Part) error {
	at := &x.at
	at.block, at.start, at.whole = p.Block, p.start(), p.Bits != nil
	at.docs = int(min(segment.ColumnBlock, x.docs-at.start))
	x.in.set(p)
	before := x.now.size()
	if err := x.now.add(at, &x.in, 1); err != nil {
		return err
	}
	if n := x.now.size() - before; n != 0 {
		x.held += n
		return x.budget.Hold(n)
	}
	return nil
}

// merge adds what o, which is not used any more, has counted of other documents.
func (x *breakdown) merge(o *breakdown) error {
	for _, l := range o.parts {
		own := x.part(l)
		if own == nil {
			x.parts = append(x.parts, l)
		} else if err := own.merge(&l.level, []uint32{0}, nil); err != nil {
			return err
		}
	}
	return x.hold()
}

// part returns the level of x that l is added to as it is, or nil.
func (x *breakdown) part(l *ownLevel) *ownLevel {
	for _, own := range x.parts {
		if !x.apart || own.segment == l.segment {
			return own
		}
	}
	return nil
}

// least returns how many bytes the counts have in JSON, at least, as far as it is known.
func (x *breakdown) least() int {
	n := 0
	for _, l := range x.parts {
		n = max(n, l.inJSON())
	}
	return n
}

// drop gives back what x holds of its budget.
func (x *breakdown) drop() {
	_ = x.budget.Hold(-x.held) // which gives back, and so is no error
	x.held = 0
}

// forget drops references to columns.
func (x *breakdown) forget() {
	for i := range x.at.views {
		x.at.views[i].set(nil)
	}
	x.parts, x.now = nil, nil
}

// result returns the counts of all segments. Take is that of Counter.Result.
func (x *breakdown) result(take func(bytes int) error) (Counts, error) {
	if len(x.parts) == 0 {
		x.parts = append(x.parts, &ownLevel{level: newLevel(x.facet, true)})
	}
	one := x.parts[0]
	names := namesOf(one.of)
	if len(x.parts) > 1 {
		all := &ownLevel{level: newLevel(x.facet, true)}
		known := newInterned(len(one.of))
		for i, l := range x.parts {
			own := namesOf(l.of)
			err := all.merge(&l.level, []uint32{0}, func(column int, n int64) (int64, error) {
				name, err := own(column, n)
				return known.number(column, name), err
			})
			if err != nil {
				return Counts{}, err
			}
			x.parts[i] = &ownLevel{level: newLevel(x.facet, true)}
			x.more = all.size() + known.size
			if err := x.hold(); err != nil {
				return Counts{}, err
			}
		}
		one, names = all, known.name
	}
	x.more += one.size() // what is put in order takes as much again at most
	if err := x.hold(); err != nil {
		return Counts{}, err
	}
	w := writing{names: names, take: take, ordered: len(x.parts) == 1}
	c, err := w.counts(w.order(&one.level), 0)
	if err == nil {
		err = w.taken(0)
	}
	return c, err
}
