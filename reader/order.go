package reader

import (
	"bytes"
	"cmp"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Order returns the field by whose column the documents of each segment are sorted: by the least
// value of each in ascending order, or by the greatest in descending order; those without a value
// come last. ok is false if they are in the order in which they were added, or in any.
func (s *Snapshot) Order() (field schema.Field, desc, ok bool) {
	if s.view == nil {
		return field, false, false
	}
	f, desc, ok := s.view.commit.OrderedBy()
	if !ok {
		return field, false, false
	}
	return *f, desc, true
}

// OrderValue returns the value of a document, given by its global docID, by which it has its place in the order, the
// zero Value if it has none.
func (s *Snapshot) OrderValue(doc uint32) (schema.Value, error) {
	of, desc, ok := s.Order()
	if !ok {
		return schema.Value{}, s.Err()
	}
	f, ok := s.Field(of.Name)
	if !ok {
		return schema.Value{}, s.Err()
	}
	values, err := f.AppendValues(nil, doc)
	switch {
	case err != nil || len(values) == 0:
		return schema.Value{}, err
	case desc:
		return values[len(values)-1], nil
	}
	return values[0], nil
}

// DocIDsInOrder reports whether the documents of all segments are in the order that the snapshot keeps by their docIDs,
// as far as bounds of columns say it. Without an order they are.
func (s *Snapshot) DocIDsInOrder() (inOrder bool, err error) {
	of, desc, ok := s.Order()
	if segments := s.Segments(); ok && len(segments) > 1 {
		o := bounds{desc: desc, keyword: of.Kind == schema.Keyword}
		for _, seg := range segments {
			if inOrder, err = o.add(seg.fieldOf(&of, true)); err != nil || !inOrder {
				return false, err
			}
		}
	}
	return true, s.Err()
}

// bounds are those of the values in the segments so far.
type bounds struct {
	desc, keyword bool
	some, missing bool   // documents have a value, or lack one
	last          int64  // the greatest value, or if desc the least
	word          []byte // instead, if keyword
}

// add adds a segment. It returns false if one of its documents may be before one of an earlier segment.
func (o *bounds) add(f Field) (inOrder bool, err error) {
	if err := f.seg.life.acquire(); err != nil {
		return false, err
	}
	defer f.seg.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	docs := uint64(f.seg.Docs())
	if docs == 0 {
		return true, nil
	}
	var c *segment.Column
	if f.number >= 0 {
		if c, _, err = f.seg.views.Field(f.number).Column(); err != nil {
			return false, err
		}
	}
	if c == nil || c.Info().Docs == 0 {
		o.missing = true
		return true, nil
	}
	info := c.Info()
	first, last := info.Min, info.Max
	if o.desc {
		first, last = last, first
	}
	before := cmp.Compare(o.last, first)
	if o.keyword {
		word, err := c.Keyword(nil, first)
		if err != nil {
			return false, err
		}
		before = bytes.Compare(o.word, word)
		if o.word, err = c.Keyword(o.word[:0], last); err != nil {
			return false, err
		}
	}
	if o.desc {
		before = -before
	}
	inOrder = !o.missing && (!o.some || before <= 0)
	o.some, o.missing, o.last = true, info.Docs < docs, last
	return inOrder, nil
}
