package search

import (
	"cmp"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// HitOrder is the order that hits with equal scores are in, before that of their docIDs. Nil is none.
type HitOrder struct {
	by    SortBy
	value func(doc uint32) (v schema.Value, known bool, err error)
}

// OrderOf returns the order that a snapshot keeps.
func OrderOf(s *reader.Snapshot) *HitOrder {
	_, desc, ok := s.Order()
	if !ok {
		return nil
	}
	return &HitOrder{SortBy{Desc: desc}, func(doc uint32) (v schema.Value, known bool, err error) {
		if _, _, known = s.Locate(doc); known {
			v, err = s.OrderValue(doc)
		}
		return v, known, err
	}}
}

// OrderBy returns an order by the values that documents have in it; value says of which it knows them.
func OrderBy(desc bool, value func(doc uint32) (v schema.Value, known bool)) *HitOrder {
	return &HitOrder{SortBy{Desc: desc}, func(doc uint32) (schema.Value, bool, error) {
		v, known := value(doc)
		return v, known, nil
	}}
}

// compareHits compares by scores, the greatest first, and then by docIDs.
func compareHits(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc))
}

// Sort sorts hits as a search has them, the best first.
func (o *HitOrder) Sort(hits []Hit) error {
	slices.SortFunc(hits, compareHits)
	return o.SortTies(hits)
}

// SortTies sorts hits with equal scores, which are next to each other in hits.
func (o *HitOrder) SortTies(hits []Hit) error {
	if o == nil {
		return nil
	}
	for from := 0; from < len(hits); {
		to := from + 1
		for to < len(hits) && hits[to].Score == hits[from].Score {
			to++
		}
		if to > from+1 {
			if err := o.sortEqual(hits[from:to]); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// sortEqual sorts hits with one score.
func (o *HitOrder) sortEqual(hits []Hit) (err error) {
	values := make(map[uint32]schema.Value, len(hits))
	for _, h := range hits {
		if values[h.Doc], _, err = o.value(h.Doc); err != nil {
			return err
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(o.by.compare(values[a.Doc], values[b.Doc]), cmp.Compare(a.Doc, b.Doc))
	})
	return nil
}

// Behind returns those of hits, sorted by Sort, that are behind p.
func (o *HitOrder) Behind(hits []Hit, p *Position) ([]Hit, error) {
	from := sort.Search(len(hits), func(i int) bool { return hits[i].Score <= p.Score })
	at, ordered, err := o.at(p)
	for ; err == nil && from < len(hits) && hits[from].Score == p.Score; from++ {
		c := 0
		if ordered {
			var v schema.Value
			v, _, err = o.value(hits[from].Doc)
			c = o.by.compare(at, v)
		}
		if c < 0 || c == 0 && (p.Before || hits[from].Doc > p.Doc) {
			break
		}
	}
	return hits[from:], err
}

// at returns the value that hits at p have in the order. ok is false if there is none, or p is before or behind all hits with its score.
func (o *HitOrder) at(p *Position) (v schema.Value, ok bool, err error) {
	switch {
	case o == nil:
		return v, false, nil
	case len(p.Order) > 0:
		return p.Order[0], true, nil
	case p.Before:
		return v, false, nil
	}
	return o.value(p.Doc)
}
