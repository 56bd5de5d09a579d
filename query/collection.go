package query

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/schema"
)

// Collection is what scores depend on of a collection of documents, beside the document frequencies of the terms of a
// query. All are integers, so that those of parts, such as the shards of several processes, add up to those that a merge
// of the parts has.
type Collection struct {
	Docs   uint64        // documents that are not deleted
	Fields []FieldTotals // of the fields that are indexed, in the order of their names
}

// FieldTotals are the statistics of one field: Docs and Tokens of reader.FieldStats.
type FieldTotals struct {
	Field  string
	Docs   uint64
	Tokens uint64
	// K1, B and Boost, where they are not 0, are those of the collection's schema, in place of what the schema of a part has.
	K1, B, Boost float64 `json:",omitzero"`
}

// Rank sets what c says of the fields of a schema, for parts whose schemas rank in other ways.
func (c *Collection) Rank(s *schema.Schema) {
	for i := range c.Fields {
		to := &c.Fields[i]
		if f, ok := s.Field(to.Field); ok {
			k1, b := Params{K1: f.K1, B: f.B}.Values()
			p := Exactly(k1, b)
			to.K1, to.B, to.Boost = p.K1, p.B, f.Factor()
		}
	}
}

// Add adds another part to c. To a zero Collection it adds any; otherwise the fields must be the same, or the error
// matches ErrInvalid.
func (c *Collection) Add(o Collection) error {
	if c.Docs == 0 && c.Fields == nil {
		*c = Collection{o.Docs, slices.Clone(o.Fields)}
		return nil
	}
	if !slices.EqualFunc(c.Fields, o.Fields, func(a, b FieldTotals) bool { return a.Field == b.Field }) {
		return fmt.Errorf("%w: parts of a collection with other fields: %v and %v", ErrInvalid, c.names(), o.names())
	}
	c.Docs += o.Docs
	for i := range c.Fields {
		c.Fields[i].Docs += o.Fields[i].Docs
		c.Fields[i].Tokens += o.Fields[i].Tokens
	}
	return nil
}

func (c *Collection) names() (names []string) {
	for i := range c.Fields {
		names = append(names, c.Fields[i].Field)
	}
	return names
}
