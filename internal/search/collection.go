package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// CollectionOf returns what a snapshot adds to the collection that it is a part of.
func CollectionOf(s *reader.Snapshot) query.Collection {
	c := query.Collection{Docs: s.Stats().Live, Fields: []query.FieldTotals{}} // a schema without indexed fields is not the zero Collection
	for _, f := range fields.Indexed(s.Schema()) {
		st := s.FieldStats(f.Name)
		c.Fields = append(c.Fields, query.FieldTotals{Field: f.Name, Docs: st.Docs, Tokens: st.Tokens})
	}
	return c
}

// checkCollection returns an error unless a snapshot may be a part of o.Collection.
func (o *Options) checkCollection(s *reader.Snapshot) error {
	if o.Statistics != nil {
		return fmt.Errorf("%w: both Statistics and Collection", query.ErrInvalid)
	}
	c, own := o.Collection, CollectionOf(s)
	if !slices.EqualFunc(c.Fields, own.Fields, func(all, part query.FieldTotals) bool {
		return all.Field == part.Field && all.Docs >= part.Docs && all.Tokens >= part.Tokens
	}) {
		return fmt.Errorf("%w: Collection: the index, %+v, is no part of %+v", query.ErrInvalid, own, *c)
	}
	return nil
}

// ranking returns s with the parameters and weights that scores are from: those of the schema of what the statistics are of.
func (o *Options) ranking(s *schema.Schema) *schema.Schema {
	if o.Statistics == nil && o.Collection == nil {
		return s
	}
	s = s.Clone()
	for i := range s.Fields {
		f := &s.Fields[i]
		if o.Statistics != nil {
			if all, ok := o.Statistics.Field(f.Name); ok {
				d := all.Description()
				f.K1, f.B, f.Boost = d.K1, d.B, d.Boost
			}
			continue
		}
		if n := slices.IndexFunc(o.Collection.Fields, func(x query.FieldTotals) bool { return x.Field == f.Name }); n >= 0 {
			x := &o.Collection.Fields[n]
			f.K1, f.B, f.Boost = cmp.Or(x.K1, f.K1), cmp.Or(x.B, f.B), cmp.Or(x.Boost, f.Boost)
		}
	}
	return s
}

// statistics returns those of a field for scores: of what is searched, or of what that is a part of.
func (o *Options) statistics(field string, own Stats) Stats {
	all := own
	switch {
	case o.Statistics != nil:
		all = Stats(o.Statistics.FieldStats(field))
	case o.Collection != nil:
		i := slices.IndexFunc(o.Collection.Fields, func(f query.FieldTotals) bool { return f.Field == field })
		all = Stats{Docs: o.Collection.Fields[i].Docs, Tokens: o.Collection.Fields[i].Tokens}
	}
	all.MaxLen = max(all.MaxLen, own.MaxLen)
	return all
}
