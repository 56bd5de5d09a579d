package search

import (
	"cmp"

	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// NewFieldScorer returns the Scorer of a field of a snapshot's schema that is indexed. The parameters of p
// that are 0 are those of the schema, and the defaults where it has none. The error matches ErrParams, or
// ErrInvalid if there is no such field.
func NewFieldScorer(s *reader.Snapshot, field string, p query.Params) (*Scorer, error) {
	x := NewParser(s)
	if _, err := x.Number(field); err != nil {
		return nil, err
	}
	f, _ := x.Schema.Field(field)
	return ScorerOf(s.FieldStats(field), f, p)
}

// ScorerOf is NewFieldScorer for a field with statistics.
func ScorerOf(st reader.FieldStats, f *schema.Field, p query.Params) (*Scorer, error) {
	p = query.Params{K1: cmp.Or(p.K1, f.K1), B: cmp.Or(p.B, f.B), Scorer: p.Scorer}
	if err := p.Check(); err != nil {
		return nil, err
	}
	lens := bm25.Even
	switch {
	case f.HasLengths() && f.Lengths == schema.LengthsByte:
		lens = bm25.Coded
	case f.HasLengths():
		lens = bm25.Exact
	}
	k1, b := p.Values()
	return &Scorer{bm25.NewField(p.Scorer, k1, b, bm25.Stats(st), lens, f.Factor())}, nil
}
