package search

import (
	"errors"
	"fmt"
	"math"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/engine/figures"
	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Stat asks for figures of the values that documents have in a field, which must have a column. Of several values of a document each
// counts.
type Stat struct {
	Field string
	// Percentiles are those wanted of numbers, from 0 to 100.
	Percentiles []float64
	// Distinct asks how many values are distinct.
	Distinct bool
}

func (s *Stat) check() error {
	if len(s.Percentiles) > query.MaxPercentiles {
		return fmt.Errorf("%d percentiles of the field %q, at most %d", len(s.Percentiles), s.Field, query.MaxPercentiles)
	}
	for _, p := range s.Percentiles {
		if !(p >= 0 && p <= 100) {
			return fmt.Errorf("the percentile %v of the field %q, not from 0 to 100", p, s.Field)
		}
	}
	return nil
}

// Figures are what a Stat asks for. Sum and Mean are computed of all values as they are, and rounded once.
type Figures struct {
	State // what merges with those of other documents
	// Count is how many values there are. Without any, all below is zero.
	Count    uint64
	Min, Max schema.Value // of numbers and times; the zero Value of keywords
	// Sum and Mean are those of numbers, of times in seconds since 1970; 0 of keywords.
	Sum, Mean float64
	// Percentiles are those that Stat.Percentiles ask for: of N values about the one with rank ceil(p / 100 * N). They are off by
	// PercentileError of it at most, or if it is nearer to 0 than 3e-308, by 1e-310.
	Percentiles []float64
	// Distinct is how many values are distinct, if Stat.Distinct asks for it.
	Distinct uint64
}

// State is what is known of values, beside the figures that are made of it.
type State = figures.State

// PercentileError is how far a percentile is off at most, relative to what it is.
const PercentileError = figures.Error

// measure returns how the engine adds up what s asks for.
func (c columnar) measure(s *Stat, number func(engine.ColumnField) int) (m columns.Measure, err error) {
	field, column, err := c.field("figures of the", s.Field)
	if err != nil {
		return m, err
	}
	m = columns.Measure{Name: s.Field, Column: number(column), Keyword: column.Keyword, Percentiles: len(s.Percentiles) > 0, Distinct: s.Distinct}
	n := kind.Of(uint8(field.Kind))
	m.Float = n != nil && n.Float != nil
	if m.Percentiles && (n == nil || n.Durations) {
		return m, fmt.Errorf("%w: percentiles of the field %q, which is of kind %v: they are of numbers", query.ErrInvalid, s.Field, field.Kind)
	}
	return m, nil
}

// stats returns the figures of some states: of a part of a collection the states and counts alone, as what is not a figure of the
// part, such as a sum beyond the greatest float, may be one of the whole.
func (c columnar) stats(f *Facet, of []figures.State) (to []Figures, err error) {
	for i := range of {
		n := c.schema.Number(f.Stats[i].Field)
		of[i].Kind, of[i].Unit = uint8(c.schema.Fields[n].Kind), uint8(c.schema.Fields[n].Unit)
		if f.Keep {
			to = append(to, Figures{State: of[i], Count: of[i].N})
			continue
		}
		s, err := f.Stats[i].figures(n, &of[i])
		if err != nil {
			return nil, err
		}
		to = append(to, s)
	}
	return to, nil
}

// figures returns the figures of a state of the values of a field.
func (s *Stat) figures(field int, of *figures.State) (to Figures, err error) {
	to.State = *of
	if to.Count = of.N; of.N == 0 {
		return to, nil
	}
	if to.Distinct = of.Distinct; !s.Distinct {
		to.Distinct = 0
	}
	k, n := schema.Kind(of.Kind), kind.Of(of.Kind)
	if n == nil {
		return to, nil
	}
	u := schema.Unit(of.Unit)
	to.Min, to.Max = schema.KeyValue(field, k, u, of.Min), schema.KeyValue(field, k, u, of.Max)
	unit, by := 0, []uint64{of.N}
	if n.Float != nil {
		unit = figures.Unit
	}
	if n.Durations {
		second := uint64(1e9 / u.Nanoseconds())
		to.Sum, by = of.Sum.Mean(unit, second), append(by, second)
	} else {
		to.Sum = of.Sum.Float(unit)
	}
	to.Mean = of.Sum.Mean(unit, by...)
	if math.IsInf(to.Sum, 0) {
		return to, fmt.Errorf("%w: the sum of the field %q is beyond the greatest float", query.ErrInvalid, s.Field)
	}
	least, most := float64(of.Min), float64(of.Max)
	if n.Float != nil {
		least, most = schema.KeyFloat(of.Min), schema.KeyFloat(of.Max)
	}
	for _, p := range s.Percentiles {
		to.Percentiles = append(to.Percentiles, of.Percentile(p, n.Float == nil, least, most))
	}
	return to, nil
}

// merged returns the figures of states that were added up.
func mergedStats(all []Stat, of []figures.State) (to []Figures, err error) {
	for i := range of {
		s, err := all[i].figures(0, &of[i])
		if err != nil {
			return nil, err
		}
		to = append(to, s)
	}
	return to, nil
}

// DecodeState returns the State that State.Append has written, of values that a field can have.
func DecodeState(b []byte) (s State, err error) {
	if err = s.Decode(b); err == nil && s.N > 0 && (kind.Of(s.Kind) == nil && schema.Kind(s.Kind) != schema.Keyword || schema.Unit(s.Unit) > schema.UnitSecond) {
		err = errors.New("figures of no kind of field")
	}
	return s, err
}
