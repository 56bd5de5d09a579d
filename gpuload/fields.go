package gpuload

import (
	"fmt"

	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// field is a field of the documents that is indexed. An index without a schema has one, without a name.
type field struct {
	name   string
	id     uint32 // in segments
	scorer *query.Scorer
	coded  bool // the lengths are length codes
	even   bool // there are no lengths
	// impacts says that terms have weights.
	impacts bool
}

// fieldsOf returns the fields of a snapshot, in the order in which queries number them, with the scorers of o.
func fieldsOf(s *reader.Snapshot, o *Options) ([]field, error) {
	all := query.Indexed(trusted.Caller{}, s)
	if all == nil {
		sc, err := o.Scorer, error(nil)
		if sc == nil {
			sc, err = scorerFor(s, o.CPU)
		}
		return []field{{scorer: sc}}, err
	}
	if o.Scorer != nil {
		return nil, fmt.Errorf("%w: gpuload: Options.Scorer for an index with a schema, whose fields have their own", query.ErrInvalid)
	}
	fields := make([]field, len(all))
	for i, f := range all {
		sc, err := fieldScorerFor(s, o.CPU, f.Name)
		if err != nil {
			return nil, err
		}
		fields[i] = field{name: f.Name, id: f.ID, scorer: sc, even: !f.HasLengths(), impacts: f.HasImpacts(), coded: f.HasLengths() && f.Lengths == schema.LengthsByte}
	}
	return fields, nil
}

// scorerFor returns the scorer of cpu, or the default scorer for a snapshot without a schema.
func scorerFor(s *reader.Snapshot, cpu query.Executor) (*query.Scorer, error) {
	if c, ok := cpu.(interface{ Scorer() *query.Scorer }); ok {
		return c.Scorer(), nil
	}
	if c := fieldScorersOf(cpu); c != nil {
		if sc, ok := c.FieldScorer(""); ok {
			return sc, nil
		}
	}
	return query.NewScorer(query.DefaultParams(), query.StatsOf(s))
}

// fieldScorers has the scorers of fields, as *query.Searcher has.
type fieldScorers interface {
	FieldScorer(field string) (*query.Scorer, bool)
}

// fieldScorerFor returns the scorer that cpu has for a field, or the one of the schema's parameters.
func fieldScorerFor(s *reader.Snapshot, cpu query.Executor, field string) (*query.Scorer, error) {
	if c := fieldScorersOf(cpu); c != nil {
		if sc, ok := c.FieldScorer(field); ok {
			return sc, nil
		}
	}
	return query.NewFieldScorer(s, field, query.Params{})
}

// fieldScorersOf returns cpu or the Searcher that it answers with, or nil.
func fieldScorersOf(cpu query.Executor) fieldScorers {
	switch c := cpu.(type) {
	case fieldScorers:
		return c
	case interface{ Searcher() *query.Searcher }:
		return c.Searcher()
	}
	return nil
}

// dictionariesOf returns where the terms of fields are in a segment.
func dictionariesOf(s *residency.Segment, fields int) []terms.Dictionary {
	if s.Fields == nil {
		return []terms.Dictionary{s.Seg}
	}
	all := make([]terms.Dictionary, fields)
	for f := range all {
		if in, ok := s.In(f); ok {
			all[f] = in
		}
	}
	return all
}

// fielded reports whether the index has a schema: its queries take the kernels for fields, and the norms of each.
func (x *Executor) fielded() bool { return x.fields[0].name != "" }

// scoring returns how postings of a field are scored in a view.
func (x *Executor) scoring(view, field int) kernels.FieldScore {
	s := kernels.FieldScore{Norms: x.norms[view*len(x.fields)+field], Codes: x.codes + kernels.Ptr(field*codesSize)}
	if x.fields[field].coded {
		s.Coded = 1
	}
	return s
}

// codesSize is the size of the decoded values of a field's quad codes: float32 for 256 frequencies and 256 norms.
const codesSize = 4 * 512
