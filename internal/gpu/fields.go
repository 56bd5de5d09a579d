package gpu

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/scorer"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// fieldsOf returns the fields of a snapshot, in the order in which queries number them, with the scorers of o.
func fieldsOf(s *reader.Snapshot, o *Options) ([]docs.Field, error) {
	all := search.Indexed(s)
	if len(all) == 1 && all[0].Name == "" {
		sc, err := o.Scorer, error(nil)
		if sc == nil {
			sc, err = scorerFor(s, o.CPU)
		}
		if err == nil {
			err = checkScorer(sc)
		}
		return []docs.Field{{Scorer: sc}}, err
	}
	if o.Scorer != nil {
		return nil, fmt.Errorf("%w: gpuload: Options.Scorer for an index whose fields have names, and scorers of their own", query.ErrInvalid)
	}
	fields := make([]docs.Field, len(all))
	for i, f := range all {
		sc, err := fieldScorerFor(s, o.CPU, f.Name)
		if err != nil {
			return nil, err
		}
		if err := checkScorer(sc); err != nil {
			return nil, err
		}
		fields[i] = docs.Field{Name: f.Name, ID: f.ID, Scorer: sc, Even: !f.HasLengths(), Impacts: f.HasImpacts(), Coded: f.HasLengths() && f.Lengths == schema.LengthsByte}
	}
	return fields, nil
}

// checkScorer returns an error unless kernels know the formula.
func checkScorer(sc *search.Scorer) error {
	if sc.Name() != scorer.Default {
		return fmt.Errorf("%w: GPUs score by %s, not by %s", query.ErrInvalid, scorer.Default, sc.Name())
	}
	return nil
}

// scorerFor returns the scorer of cpu, or the default scorer for a snapshot of the implicit schema.
func scorerFor(s *reader.Snapshot, cpu search.Executor) (*search.Scorer, error) {
	if c, ok := cpu.(interface{ Scorer() *search.Scorer }); ok {
		return c.Scorer(), nil
	}
	if c := fieldScorersOf(cpu); c != nil {
		if sc, ok := c.FieldScorer(""); ok {
			return sc, nil
		}
	}
	return search.NewScorer(query.DefaultParams(), search.StatsOf(s))
}

// fieldScorers has the scorers of fields, as *search.Searcher has.
type fieldScorers interface {
	FieldScorer(field string) (*search.Scorer, bool)
}

// fieldScorerFor returns the scorer that cpu has for a field, or the one of the schema's parameters.
func fieldScorerFor(s *reader.Snapshot, cpu search.Executor, field string) (*search.Scorer, error) {
	if c := fieldScorersOf(cpu); c != nil {
		if sc, ok := c.FieldScorer(field); ok {
			return sc, nil
		}
	}
	return search.NewFieldScorer(s, field, query.Params{})
}

// fieldScorersOf returns cpu or the Searcher that it answers with, or nil.
func fieldScorersOf(cpu search.Executor) fieldScorers {
	switch c := cpu.(type) {
	case fieldScorers:
		return c
	case interface{ Searcher() *search.Searcher }:
		return c.Searcher()
	}
	return nil
}

// parserFor returns the parser that cpu has, whose weights of fields its scorers have, or that of the snapshot.
func parserFor(s *reader.Snapshot, cpu search.Executor) *search.Parser {
	switch c := cpu.(type) {
	case interface{ behind() search.Executor }:
		return parserFor(s, c.behind())
	case interface{ Parser() *search.Parser }:
		return c.Parser()
	case interface{ Searcher() *search.Searcher }:
		return c.Searcher().Parser()
	}
	return search.NewParser(s)
}

// dictionariesOf returns where the terms of fields are in a segment.
func dictionariesOf(s *residency.Segment, fields int) []terms.Dictionary {
	if s.Fields == nil {
		return []terms.Dictionary{s.Seg.Lists()}
	}
	all := make([]terms.Dictionary, fields)
	for f := range all {
		if in, ok := s.In(f); ok {
			all[f] = in
		}
	}
	return all
}
