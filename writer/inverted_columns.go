package writer

import (
	"iter"
	"maps"
	"slices"

	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
)

// invertedColumn has what the documents of an Inverted collection have in a field with a column.
type invertedColumn struct {
	values   []invertedValue  // in the order of documents
	keywords map[string]int64 // numbers of them
}

type invertedValue struct {
	doc uint32
	key int64 // of a keyword, its number
}

// add adds a value of a document.
func (c *invertedColumn) add(doc uint32, f *schema.Field, v schema.Value) {
	key := v.Key(f.Unit)
	if f.Kind == schema.Keyword {
		var ok bool
		if key, ok = c.keywords[string(v.Bytes())]; !ok {
			if c.keywords == nil {
				c.keywords = map[string]int64{}
			}
			key = int64(len(c.keywords))
			c.keywords[string(v.Bytes())] = key
		}
	}
	c.values = append(c.values, invertedValue{doc, key})
}

// writeColumns adds the columns of all fields of the schema to b, a segment of so many documents.
func (f *invertedFields) writeColumns(b *build.Builder, docs int) error {
	for rank := range f.all {
		if !f.all[rank].Column {
			continue
		}
		c := &f.columns[rank]
		var dictionary iter.Seq[[]byte]
		if f.all[rank].Kind == schema.Keyword {
			dictionary = c.sortKeywords()
		}
		if err := b.BeginColumn(rank, dictionary); err != nil {
			return err
		}
		values := c.values
		var keys []int64
		for doc := range uint32(docs) {
			keys = keys[:0]
			for ; len(values) > 0 && values[0].doc == doc; values = values[1:] {
				keys = append(keys, values[0].key)
			}
			if err := b.AddColumn(keys...); err != nil {
				return err
			}
		}
	}
	return nil
}

// sortKeywords numbers the keywords in bytewise order, and returns them.
func (c *invertedColumn) sortKeywords() iter.Seq[[]byte] {
	keywords := slices.Sorted(maps.Keys(c.keywords))
	to := make([]int64, len(keywords))
	for i, k := range keywords {
		to[c.keywords[k]] = int64(i)
	}
	for i := range c.values {
		c.values[i].key = to[c.values[i].key]
	}
	return func(yield func([]byte) bool) {
		for _, k := range keywords {
			if !yield([]byte(k)) {
				return
			}
		}
	}
}
