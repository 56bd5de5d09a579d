package query

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/reader"
)

// Collection is what scores depend on of a collection of documents, beside the document frequencies of the terms of a
// query. All are integers, so that those of parts, such as the shards of several processes, add up to those that a merge
// of the parts has.
type Collection struct {
	Docs   uint64        // documents that are not deleted
	Fields []FieldTotals // of the fields that are indexed, in the order of their names; without a schema one, named ""
}

// FieldTotals are the statistics of one field: Docs and Tokens of reader.FieldStats.
type FieldTotals struct {
	Field  string
	Docs   uint64
	Tokens uint64
}

// CollectionOf returns what a snapshot adds to the collection that it is a part of.
func CollectionOf(s *reader.Snapshot) Collection {
	c := Collection{Docs: s.Stats().Live}
	all := schemaOf(s)
	if all == nil {
		st := StatsOf(s)
		c.Fields = []FieldTotals{{"", st.Docs, st.Tokens}}
		return c
	}
	for _, f := range indexed(all) {
		st := s.FieldStats(f.Name)
		c.Fields = append(c.Fields, FieldTotals{f.Name, st.Docs, st.Tokens})
	}
	return c
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

// checkCollection returns an error unless a snapshot may be a part of o.Collection.
func (o *Options) checkCollection(s *reader.Snapshot) error {
	if o.Statistics != nil {
		return fmt.Errorf("%w: both Statistics and Collection", ErrInvalid)
	}
	c, own := o.Collection, CollectionOf(s)
	if !slices.EqualFunc(c.Fields, own.Fields, func(all, part FieldTotals) bool {
		return all.Field == part.Field && all.Docs >= part.Docs && all.Tokens >= part.Tokens
	}) {
		return fmt.Errorf("%w: Collection: the index, %+v, is no part of %+v", ErrInvalid, own, *c)
	}
	return nil
}

// statistics returns those of a field for scores: of what is searched, or of what that is a part of.
func (o *Options) statistics(field string, own Stats) Stats {
	all := own
	switch {
	case o.Statistics != nil && field == "":
		all = StatsOf(o.Statistics)
	case o.Statistics != nil:
		all = Stats(o.Statistics.FieldStats(field))
	case o.Collection != nil:
		i := slices.IndexFunc(o.Collection.Fields, func(f FieldTotals) bool { return f.Field == field })
		all = Stats{Docs: o.Collection.Fields[i].Docs, Tokens: o.Collection.Fields[i].Tokens}
	}
	all.MaxLen = max(all.MaxLen, own.MaxLen)
	return all
}
