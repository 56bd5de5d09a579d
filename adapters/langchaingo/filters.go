package forlangchain

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/pinion-index/pinion/query"
)

// filter returns what vectorstores.WithFilters says as a node, nil for nil: a query.Node as it is; a string, in the language of docs/filters.md;
// or a map, as other stores take it, of fields to a value, or to a map of operators to values. All of a map must hold.
func (s *Store) filter(x any) (query.Node, error) {
	switch x := x.(type) {
	case nil:
		return nil, nil
	case query.Node:
		return x, nil
	case string:
		n, err := query.ParseFilter(s.index.Schema(), x)
		if err != nil {
			return nil, fmt.Errorf("%w: a filter: %w", ErrOption, err)
		}
		return n, nil
	case map[string]any:
		return s.all(x)
	}
	return nil, fmt.Errorf("%w: a filter of type %T: it is a query.Node, a string or a map[string]any", ErrOption, x)
}

// all returns the node of a map.
func (s *Store) all(m map[string]any) (query.Node, error) {
	var all query.And
	for _, key := range slices.Sorted(maps.Keys(m)) {
		n, err := s.one(key, m[key])
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// one returns the node of a key of a map.
func (s *Store) one(key string, x any) (query.Node, error) {
	switch key {
	case "$and", "$or", "$not":
		return s.several(key, x)
	}
	f, ok := s.index.Schema().Field(key)
	if !ok || !f.Column || key == FieldNameSpace {
		return nil, fmt.Errorf("%w: a filter by %q, which is none of Options.Fields", ErrOption, key)
	}
	ops, ok := x.(map[string]any)
	if !ok {
		return compare(key, "$eq", x)
	}
	if len(ops) == 0 {
		return nil, fmt.Errorf("%w: a filter of %q without an operator", ErrOption, key)
	}
	var all query.And
	for _, op := range slices.Sorted(maps.Keys(ops)) {
		n, err := compare(key, op, ops[op])
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// several returns the node of an operator over filters.
func (s *Store) several(op string, x any) (query.Node, error) {
	if op == "$not" {
		n, err := s.filter(x)
		if n == nil && err == nil {
			err = fmt.Errorf("%w: a filter with $not of nothing", ErrOption)
		}
		return query.Not{Node: n}, err
	}
	values, err := list(op, x)
	if err != nil {
		return nil, err
	}
	all := make([]query.Node, len(values))
	for i, v := range values {
		if all[i], err = s.filter(v); err != nil {
			return nil, err
		}
		if all[i] == nil {
			return nil, fmt.Errorf("%w: a filter with nil in %s", ErrOption, op)
		}
	}
	if op == "$and" {
		return query.And(all), nil
	}
	return query.Or(all), nil
}

// compare returns the node of an operator over a value of a field.
func compare(field, op string, x any) (query.Node, error) {
	if x == nil {
		return nil, fmt.Errorf("%w: a filter of %q with %s of nil", ErrOption, field, op)
	}
	switch op {
	case "$eq":
		return query.In{Field: field, Values: []any{x}}, nil
	case "$ne":
		return query.Not{Node: query.In{Field: field, Values: []any{x}}}, nil
	case "$gt":
		return query.Range{Field: field, Min: x, AboveMin: true}, nil
	case "$gte":
		return query.Range{Field: field, Min: x}, nil
	case "$lt":
		return query.Range{Field: field, Max: x, BelowMax: true}, nil
	case "$lte":
		return query.Range{Field: field, Max: x}, nil
	case "$in", "$nin":
		values, err := list(op, x)
		if err != nil {
			return nil, err
		}
		in := query.In{Field: field, Values: values}
		if op == "$nin" {
			return query.Not{Node: in}, nil
		}
		return in, nil
	}
	return nil, fmt.Errorf("%w: a filter of %q with operator %q: there are $eq, $ne, $in, $nin, $gt, $gte, $lt, $lte", ErrOption, field, op)
}

// list returns the elements of a slice of any type.
func list(op string, x any) ([]any, error) {
	r := reflect.ValueOf(x)
	if r.Kind() != reflect.Slice {
		return nil, fmt.Errorf("%w: a filter with %s of a %T, which is no slice", ErrOption, op, x)
	}
	all := make([]any, r.Len())
	for i := range all {
		all[i] = r.Index(i).Interface()
	}
	return all, nil
}
