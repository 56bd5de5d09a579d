package sim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// set changes values of one of a's documents in place, if there are fields for that. Some ids have no document.
func (l *life) set(r *rand.Rand, ids int, a *author) error {
	if l.schema == nil {
		return nil
	}
	i := r.IntN(len(l.schema.Fields))
	f := &l.schema.Fields[i]
	c := change{id: fmt.Sprintf("%s%d", a.name, r.IntN(ids)), set: &writer.Change{Set: []string{f.Name}}}
	c.set.Doc.ID = []byte(c.id)
	for range r.IntN(4) * (1 + r.IntN(2)) / 2 {
		c.set.Doc.Values = append(c.set.Doc.Values, drawValue(r, i, f))
	}
	number := f.Kind == schema.Integer || f.Kind == schema.Float || f.Kind == schema.Time
	switch err := l.writer.CheckChange(c.set); {
	case !f.Column || !number:
		if err == nil {
			return fmt.Errorf("values of field %+v can be changed in place", f)
		}
		return nil
	case errors.Is(err, writer.ErrDocument) && strings.Contains(err.Error(), "documents are sorted by it"):
		return nil
	case err != nil:
		return l.judge("check of a change", err)
	}
	if c.doc = a.live()[c.id]; c.doc != nil {
		c.doc = a.state(c.doc, f, c.set.Doc.Values)
	}
	a.begin(c)
	l.ops.Add(1)
	if err := l.judge("change", l.change(c)); err != nil {
		return err
	}
	a.finish()
	return nil
}

// state returns what becomes of d with other values in a field.
func (a *author) state(d *document, f *schema.Field, values []schema.Value) *document {
	var set []any
	for _, v := range values {
		set = append(set, plain(v.Floor(f.Unit)))
	}
	set = inColumn(set)
	slices.SortFunc(set, compareValues)
	set = slices.Compact(set)
	for i, v := range set {
		if x, ok := v.(float64); ok {
			set[i] = math.Float64bits(x)
		}
	}
	next := *d
	next.states = nil
	next.values = maps.Clone(d.values)
	if next.values[f.ID] = set; len(set) == 0 {
		delete(next.values, f.ID)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if next.first == nil {
		next.first = d
	}
	next.first.states = append(next.first.states, &next)
	return &next
}

// statesOf returns d, and what became of it when values were set.
func (a *author) statesOf(d *document) []*document {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]*document{d}, d.states...)
}

// looksAs reports whether an index with the schema s has the same of d and of x, either of which may be nil.
func (d *document) looksAs(x *document, s *schema.Schema) bool {
	if d == x {
		return true
	}
	if d == nil || x == nil || s == nil || d.added() != x.added() {
		return false
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		a, b := d.values[f.ID], x.values[f.ID]
		if f.Column && f.Kind != schema.Keyword && !f.Stored {
			a, b = inColumn(a), inColumn(b)
			slices.SortFunc(a, compareValues)
			slices.SortFunc(b, compareValues)
			a, b = slices.Compact(a), slices.Compact(b)
		}
		if !slices.Equal(a, b) {
			return false
		}
	}
	return true
}

// added returns the document that was added, of which d is a state.
func (d *document) added() *document {
	if d.first != nil {
		return d.first
	}
	return d
}

// stateOf returns which state of d, which was added, the document doc is in.
func (w *world) stateOf(s *reader.Snapshot, is *schema.Schema, doc uint32, d *document, rebuilt bool) (*document, error) {
	var first error
	for _, x := range w.authors[d.id[0]-'a'].statesOf(d) {
		err := w.checkValues(s, is, doc, x, rebuilt)
		if err == nil {
			return x, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// apply makes a change of values in place.
func (l *life) apply(c *writer.Change) error {
	return l.writer.Apply(context.Background(), []writer.Change{*c}, nil)
}
