package engine

import (
	"cmp"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/engine/topk"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Hits with equal scores, or equal values that they are sorted by, are in the order that the index keeps, then in that of
// docIDs. Within a segment docIDs have that order, so that only hits of different segments must be compared by their values.

// ordering is the order that a snapshot keeps.
type ordering struct {
	of    schema.Field
	field ColumnField
	by    columns.SortBy

	known  atomic.Bool // whether it is known that it is needed
	mu     sync.Mutex
	needed bool // docIDs of different segments are not in the order
}

// orderingOf returns the order that a snapshot keeps, or nil if it keeps none.
func orderingOf(s *reader.Snapshot) *ordering {
	f, desc, ok := s.Order()
	if !ok {
		return nil
	}
	own := ColumnField{Name: f.Name, ID: f.ID, Keyword: f.Kind == schema.Keyword}
	return &ordering{of: f, field: own, by: columns.SortBy{Keyword: own.Keyword, Desc: desc}}
}

// findTies finds out whether hits with equal scores must be compared by values. Bounds of columns say it.
func (r *execution) findTies() (err error) {
	o := r.s.ordering
	if o == nil {
		return nil
	}
	if !o.known.Load() {
		o.mu.Lock()
		defer o.mu.Unlock()
		inOrder, err := r.words.Snapshot.DocIDsInOrder()
		if err != nil {
			return err
		}
		o.needed = !inOrder
		o.known.Store(true)
	}
	if o.needed || r.q.After != nil && len(r.q.After.Order) > 0 {
		r.tie()
	}
	return nil
}

// tie makes r compare hits with equal scores by values.
func (r *execution) tie() {
	if r.ties == nil {
		r.ties = new(ties)
	}
	*r.ties = ties{r: r, of: r.s.ordering, columns: r.ties.columns[:0], keys: r.ties.keys}
	for side := range r.ties.keys {
		for i := range r.ties.keys[side] {
			r.ties.keys[side][i].known = false
		}
	}
	for range r.parts() {
		r.ties.columns = append(r.ties.columns, columnOf{})
	}
	if r.s.ordering.needed {
		r.Top.Ties = r.ties
	}
}

// untie is the opposite of tie.
func (r *execution) untie() {
	if r.Top.Ties = nil; r.ties != nil {
		clear(r.ties.columns)
		r.ties.r, r.ties.err = nil, nil
	}
}

// tied reports whether hits with equal scores, or a hit and a place, are compared by values.
func (r *execution) tied() bool { return r.ties != nil && r.ties.r != nil }

// tieError returns why values could not be read, or nil.
func (r *execution) tieError() error {
	if r.tied() {
		return r.ties.err
	}
	return nil
}

// ties makes topk.Ties of an ordering.
type ties struct {
	r       *execution
	of      *ordering
	columns []columnOf // by segment
	keys    [2][keptKeys]keyOf
	err     error // the first of reading values

	// The documents from lo up to hi, of one segment, are behind worst. A heap whose worst hit is that refuses one after
	// the other of them.
	worst, lo, hi uint32
}

// keptKeys is how many keys are remembered on either side of comparisons.
const keptKeys = 32

// columnOf is the column of a segment, once it was asked for.
type columnOf struct {
	columns.Column
	asked bool
}

// keyOf is the key of a document.
type keyOf struct {
	key   columns.Key
	doc   uint32
	known bool
}

// Before implements topk.Ties.
func (t *ties) Before(a, b uint32) bool {
	if b == t.worst && a >= t.lo && a < t.hi {
		return false
	}
	of := t.segment(a)
	if of == t.segment(b) {
		return a < b
	}
	if c := t.of.by.Compare(*t.key(0, of, a), *t.key(1, t.segment(b), b)); c < 0 || c == 0 && a < b {
		return true
	}
	seg := t.r.parts()[of].Seg
	if b != t.worst || t.hi != seg.Base()+seg.Docs() || a < t.lo {
		t.worst, t.lo, t.hi = b, a, seg.Base()+seg.Docs()
	}
	return false
}

// segment returns the number of the segment of a document.
func (t *ties) segment(doc uint32) int {
	parts := t.r.parts()
	return sort.Search(len(parts), func(i int) bool { return parts[i].Seg.Base() > doc }) - 1
}

// key returns the key of a document of a segment. It is valid until the next call for that side.
func (t *ties) key(side, segment int, doc uint32) *columns.Key {
	k := &t.keys[side][doc%keptKeys]
	if !k.known || k.doc != doc {
		k.doc, k.known = doc, true
		if err := t.read(&k.key, segment, doc); err != nil && t.err == nil {
			t.err = err
		}
	}
	return &k.key
}

// read sets key to that of a document. What compares documents may run where nothing else reads files.
func (t *ties) read(key *columns.Key, segment int, doc uint32) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	c := &t.columns[segment]
	if !c.asked {
		own, err := t.r.column(segment, &t.of.field)
		if err != nil {
			return err
		}
		c.Column, c.asked = own, true
	}
	return t.of.by.KeyOf(key, c.Column, doc-t.r.parts()[segment].Seg.Base())
}

// Place is a place in the order of hits.
type Place struct {
	Score  float32
	Doc    uint32
	Before bool // it is before all hits with the score, and with Order
	// Order, unless empty, is what documents there have in the order that the index keeps. Otherwise Doc says it.
	Order []schema.Value
}

// placeOf returns the place of a hit.
func placeOf(key uint64) *Place {
	h := topk.KeyHit(key)
	return &Place{Score: h.Score, Doc: h.Doc}
}

// key returns the key that those of hits behind p are below, if docIDs have the order of ties.
func (p *Place) key() uint64 {
	if p.Before {
		return topk.Key(0, p.Score+0) + 1
	}
	return max(topk.Key(p.Doc, p.Score+0), 1) // no hit has the key 0
}

// order returns what documents at p have in the order that the index keeps. It is nil if p is before or behind all hits with its score.
func (t *ties) order(p *Place) *columns.Key {
	switch {
	case len(p.Order) > 0:
		k, err := columns.KeyIn(&t.of.of, p.Order[0])
		if err != nil {
			t.err = cmp.Or(t.err, fmt.Errorf("%w: the place after which hits are wanted: %v", ErrInvalid, err))
		}
		return &k
	case p.Before:
		return nil
	}
	of := t.segment(p.Doc)
	if of < 0 || p.Doc-t.r.parts()[of].Seg.Base() >= t.r.parts()[of].Seg.Docs() {
		return nil
	}
	return t.key(1, of, p.Doc)
}

// behind reports whether a document of a segment is behind p, whose order it is, among those with the score.
func (t *ties) behind(segment int, doc uint32, p *Place, order *columns.Key) bool {
	c := t.of.by.Compare(*order, *t.key(0, segment, doc))
	return c < 0 || c == 0 && (p.Before || doc > p.Doc)
}

// below makes r consider only hits behind p; nil means all.
func (r *execution) below(p *Place) {
	after := uint64(algorithm.NoHit)
	if r.place = p; p != nil {
		after = p.key()
	}
	r.Run.Below(after)
}

// belowIn is below in a segment, where docIDs have the order of ties.
func (r *execution) belowIn(segment int) {
	order := r.ties.order(r.place)
	if order == nil {
		return
	}
	seg := r.parts()[segment].Seg
	n := sort.Search(int(seg.Docs()), func(i int) bool {
		return r.ties.behind(segment, seg.Base()+uint32(i), r.place, order)
	})
	r.Run.Below(topk.Key(seg.Base()+uint32(n), r.place.Score+0) + 1)
}

// isBehind reports whether the hit with a key is behind p; all are behind nil.
func (r *execution) isBehind(key uint64, p *Place) bool {
	if p == nil {
		return true
	}
	if h := topk.KeyHit(key); r.tied() && h.Score == p.Score {
		if order := r.ties.order(p); order != nil {
			return r.ties.behind(r.ties.segment(h.Doc), h.Doc, p, order)
		}
	}
	return key < p.key()
}
