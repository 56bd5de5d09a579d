package order

import (
	"iter"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// Lists are the posting lists of a collection: the docIDs of each, ascending and
// valid until the next iteration. They can be iterated over more than once, in the
// same order each time. An error is yielded last.
type Lists = iter.Seq2[[]uint32, error]

// SegmentLists returns the lists of s that have at least minDF postings. The lists of nil
// are nil.
func SegmentLists(s *segment.Segment, minDF uint32) Lists {
	if s == nil {
		return nil
	}
	return func(yield func([]uint32, error) bool) {
		var l segment.List
		var docs []uint32
		it := s.Lists().Terms()
		for it.Next() {
			e := it.Entry()
			if e.DF < minDF {
				continue
			}
			var err error
			if docs, err = AppendDocs(docs[:0], s, &l, e); err != nil {
				yield(nil, format.Locate(err, format.Place{List: string(it.Term()), Block: format.NoBlock}))
				return
			}
			if !yield(docs, nil) {
				return
			}
		}
		if err := it.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// AppendDocs appends the docIDs of the list of e, an entry of s, to dst. It uses l to read it.
func AppendDocs(dst []uint32, s *segment.Segment, l *segment.List, e segment.Entry) ([]uint32, error) {
	if e.Kind == segment.KindSingleton {
		return append(dst, e.Doc), nil
	}
	if err := s.Lists().Init(l, e); err != nil {
		return dst, err
	}
	if p := l.Small(); p.Len() > 0 {
		return append(dst, p.Docs...), nil
	}
	if err := l.VerifyChecksum(); err != nil {
		return dst, err
	}
	at, room := len(dst), l.Blocks*l.BlockLen
	dst = slices.Grow(dst, room)
	n, err := l.DecodeDocs(dst[at:at+room], 0, l.Blocks)
	return dst[:at+n], err
}
