package pinion

import (
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// After is a hit, after which a page begins. If its document is no longer in the index, the page begins with
// the hits of the same score, or of the same values that they are sorted by. In an index that keeps an order
// these have the same value in it, too. The page before may have shown some of them.
type After struct {
	Score float32
	ID    string
	Sort  []schema.Value // as Hit.Sort
	Order []schema.Value // of a hit in an index that keeps an order: the value that hits there have in it
}

// position returns where in the order of hits over a snapshot a is, for search.Query.After.
func (a *After) position(s *reader.Snapshot) (search.Position, error) {
	doc, ok, err := s.FindID([]byte(a.ID))
	return search.Position{Score: a.Score, Doc: doc, Order: a.orderIn(s), Before: !ok}, err
}

// sortPosition returns where in the order of sorted hits over a snapshot a is, for search.Query.SortAfter.
func (a *After) sortPosition(s *reader.Snapshot) (search.SortPosition, error) {
	doc, ok, err := s.FindID([]byte(a.ID))
	return search.SortPosition{Values: a.Sort, Doc: doc, Order: a.orderIn(s), Before: !ok}, err
}

// orderIn returns Order, or nil if it is not of the order that the snapshot keeps: it may have had another since.
func (a *After) orderIn(s *reader.Snapshot) []schema.Value {
	f, _, ok := s.Order()
	if !ok || len(a.Order) != 1 || a.Order[0].Kind != 0 && a.Order[0].Kind != f.Kind {
		return nil
	}
	return a.Order
}

// orderAt returns After.Order of a hit.
func orderAt(s *reader.Snapshot, doc uint32) ([]schema.Value, error) {
	if _, _, ok := s.Order(); !ok {
		return nil, nil
	}
	v, err := s.OrderValue(doc)
	return []schema.Value{v}, err
}
