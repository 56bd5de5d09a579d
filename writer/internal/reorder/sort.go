package reorder

import (
	"cmp"
	"context"
	"slices"

	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// keyed is a document with a value to sort by.
type keyed struct {
	key int64
	doc Doc
}

// Sorted returns the documents of sources that are not deleted, sorted by a column: by the least
// value of each, or descending by the greatest; equal ones as in the sources, and those without
// a value last. It returns nil if they are in this order one source after the other, and none has values of the column that were
// changed in place, which what is sorted by it has not. field is the id of the column's field.
func Sorted(ctx context.Context, sources []Source, field uint32, desc bool) ([]Doc, error) {
	columns := make([]*segment.Column, len(sources))
	docs, inOrder := 0, true
	for i, s := range sources {
		docs += int(s.Segment.Meta().Docs)
		number, ok := s.Segment.FieldByID(field)
		if ok && s.Schema != nil {
			_, ok = s.Schema.ByID(field)
		}
		if ok {
			var err error
			if columns[i], _, err = s.Segment.Field(number).Column(); err != nil {
				return nil, err
			}
			changes, err := s.Segment.Changes()
			if err != nil {
				return nil, err
			}
			inOrder = inOrder && changes.Column(number) == nil
		}
	}
	ranks, err := keywordRanks(sources, columns, field)
	if err != nil {
		return nil, err
	}
	with, without := make([]keyed, 0, docs), []Doc(nil)
	for i := range sources {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := eachKey(&sources[i], columns[i], desc, func(doc uint32, key int64, ok bool) {
			d := Doc{uint32(i), doc}
			if !ok {
				without = append(without, d)
				return
			}
			if ranks != nil && uint64(key) < uint64(len(ranks[i])) { // else the copy finds the damage
				key = int64(ranks[i][key])
			}
			if desc {
				key = ^key // which is in the opposite order
			}
			inOrder = inOrder && without == nil && (len(with) == 0 || with[len(with)-1].key <= key)
			with = append(with, keyed{key, d})
		})
		if err != nil {
			return nil, err
		}
	}
	if inOrder {
		return nil, nil
	}
	slices.SortFunc(with, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.doc.Source, b.doc.Source), cmp.Compare(a.doc.Doc, b.doc.Doc))
	})
	at := make([]Doc, 0, len(with)+len(without))
	for _, k := range with {
		at = append(at, k.doc)
	}
	return append(at, without...), nil
}

// keywordRanks returns for each source where its keywords are among those of all, or nil if the
// columns are not of keywords.
func keywordRanks(sources []Source, columns []*segment.Column, field uint32) ([][]uint32, error) {
	for i, c := range columns {
		if c == nil {
			continue
		}
		number, _ := sources[i].Segment.FieldByID(field)
		if sources[i].Segment.Fields()[number].Kind == schema.Keyword {
			return build.KeywordRanks(columns)
		}
	}
	return nil, nil
}

// eachKey calls f with the key of each document of s that is not deleted, if it has one: its least
// value, or if desc its greatest.
func eachKey(s *Source, c *segment.Column, desc bool, f func(doc uint32, key int64, ok bool)) error {
	var deleted []uint64
	if s.Deletes != nil {
		deleted = s.Deletes.Words()
	}
	var vals segment.ColumnValues
	for doc := range s.Segment.Meta().Docs {
		i := doc % segment.ColumnBlock
		if i == 0 && c != nil {
			if err := c.Read(int(doc/segment.ColumnBlock), &vals); err != nil {
				return err
			}
		}
		switch {
		case int(doc/64) < len(deleted) && deleted[doc/64]>>(doc%64)&1 != 0:
		case c == nil || vals.Present[i/64]>>(i%64)&1 == 0:
			f(doc, 0, false)
		case vals.Ends == nil:
			f(doc, vals.Numbers[i], true)
		case desc:
			f(doc, vals.Numbers[vals.Ends[i]-1], true)
		default:
			first := uint32(0)
			if i > 0 {
				first = vals.Ends[i-1]
			}
			f(doc, vals.Numbers[first], true)
		}
	}
	return nil
}
