// Package where makes filters of nodes that say nothing but what columns and ids know.
package where

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Filter returns a node that says nothing but what columns and ids know, as a filter of an index with
// schema s: an In, Range, Exists or IDs, or an And, Or or Not of these. The error matches ErrInvalid, also for other nodes.
func Filter(s *schema.Schema, n query.Node) (filter.Filter, error) {
	if !ByColumns(n) {
		return nil, fmt.Errorf("%w: only searches take a node of type %T, or one that such a node is part of", query.ErrInvalid, n)
	}
	c := Conversion{Schema: s}
	f, err := c.Filter(n)
	if err == nil {
		err = filter.Check(s, f)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", query.ErrInvalid, err)
	}
	return f, nil
}

// Conversion makes of nodes what package filter knows.
type Conversion struct {
	Schema *schema.Schema
}

// Filter returns a node, which must be one of columns.
func (c *Conversion) Filter(n query.Node) (f filter.Filter, err error) {
	switch n := n.(type) {
	case query.In:
		return c.in(&n, make([]schema.Value, 0, len(n.Values)))
	case query.Range:
		return c.Span(&n)
	case query.Exists:
		return filter.Exists{Field: n.Field}, nil
	case query.IDs:
		f := filter.IDs{IDs: make([][]byte, len(n))}
		for i, id := range n {
			f.IDs[i] = []byte(id)
		}
		return f, nil
	case query.And:
		all, err := c.filters(n)
		return filter.And(all), err
	case query.Or:
		all, err := c.filters(n)
		return filter.Or(all), err
	case query.Not:
		f, err := c.Filter(n.Node)
		return filter.Not{Filter: f}, err
	}
	return nil, fmt.Errorf("%w: a node of type %T", query.ErrInvalid, n)
}

// in returns an In, whose values it appends.
func (c *Conversion) in(n *query.In, values []schema.Value) (filter.In, error) {
	for _, x := range n.Values {
		v, err := c.Value(n.Field, x)
		if err != nil {
			return filter.In{}, err
		}
		values = append(values, v)
	}
	return filter.In{Field: n.Field, Values: values}, nil
}

func (c *Conversion) Span(n *query.Range) (f filter.Range, err error) {
	f = filter.Range{Field: n.Field, AboveMin: n.AboveMin, BelowMax: n.BelowMax}
	if f.Min, err = c.Value(n.Field, n.Min); err == nil {
		f.Max, err = c.Value(n.Field, n.Max)
	}
	return f, err
}

func (c *Conversion) filters(nodes []query.Node) ([]filter.Filter, error) {
	all := make([]filter.Filter, len(nodes))
	for i, n := range nodes {
		var err error
		if all[i], err = c.Filter(n); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Value returns a value of Go as one of a field: the zero Value of nil.
func (c *Conversion) Value(field string, x any) (schema.Value, error) {
	switch x := x.(type) {
	case nil:
		return schema.Value{}, nil
	case schema.Value:
		return x, nil
	}
	i, err := filter.Column(c.Schema, field)
	if err != nil {
		return schema.Value{}, err
	}
	var room [1]schema.Value
	all, err := c.Schema.AppendValues(room[:0], i, x)
	switch {
	case err != nil:
		return schema.Value{}, filter.Refused(err)
	case len(all) != 1:
		return schema.Value{}, filter.Refused(fmt.Errorf("field %q: %v, of type %T, is not one value", field, x, x))
	}
	return all[0], nil
}

// ByColumns reports whether n says nothing but what columns and ids know.
func ByColumns(n query.Node) bool {
	switch n := n.(type) {
	case query.In, query.Range, query.Exists, query.IDs:
		return true
	case query.And:
		return allOf(n, ByColumns)
	case query.Or:
		return allOf(n, ByColumns)
	case query.Not:
		return ByColumns(n.Node)
	}
	return false
}

func allOf(nodes []query.Node, is func(query.Node) bool) bool {
	for _, n := range nodes {
		if !is(n) {
			return false
		}
	}
	return true
}
